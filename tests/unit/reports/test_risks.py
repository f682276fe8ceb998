"""Which known causes the layers of a model could meet, and what the suite has never asked of them."""

from __future__ import annotations

import re
from functools import partial

import numpy as np
import pytest

from ir_models.asking.id_parts import split_id
from ir_models.models import asked_layers, cases_asked, forms_asked, read
from reports.__main__ import main
from reports.gate.baseline_files import DIRECTORY, folders_of, read_folder
from reports.gate.causes import Cause
from reports.gate.causes import load as load_causes
from reports.gate.selectors import Selector
from reports.risks.features import Asked, features_of
from reports.risks.risks import POSSIBLE, SEEN, SELECTED, Known
from tests.planted.small_model import SmallModel, network
from tests.planted.wide_model import wide_network
from tests.unit.command_lines import refusal
from tests.unit.reports.small_results import record


def layers_of(model, folder):
    return list(asked_layers(read(model.write(folder))))


def one_layer(folder, shape, kind="f32", operation="ReLU", opset="opset1", **attributes):
    m = SmallModel()
    x = m.parameter("x", shape, kind)
    m.result(m.layer(operation, x, opset=opset, name="under test", **attributes))
    return layers_of(m, folder)


def known(*causes, records=()):
    return Known(causes, "TEST", "2026.4", "", records)


def cause(name, **conditions):
    return Cause(
        name, f"ReLU - {name}", "defect", devices=("TEST",), selectors=(Selector(conditions),)
    )


def departed(case, name="some", outcome="FAIL"):
    return record(case, outcome, device="TEST", cause=name, gate="known")


def test_a_layer_is_told_as_a_case_asks_it(tmp_path):
    m = SmallModel()
    x, index = m.parameter("x", "4,?,3"), m.constant(np.array([1, 2]), "i64")
    axis = m.constant(np.array(0), "i64")
    m.result(m.layer("Gather", x, index, axis, opset="opset8", name="gather", batch_dims="0"))
    (layer,) = layers_of(m, tmp_path)
    assert (layer.title, layer.operation, layer.category) == ("gather", "Gather-8", "movement")
    assert layer.inputs == ("f32[4,-1,3]", "i64[2]")
    assert layer.parameters == {"axis": "0", "batch_dims": "0"}
    assert layer.how == {"shape": "dims", "data": "first"}


def test_a_model_without_its_weights_is_read_and_its_index_inputs_are_not_known(tmp_path):
    path = network(tmp_path)
    (tmp_path / path.name).with_suffix(".bin").unlink()
    layers = list(asked_layers(read(path, needs_weights=False)))
    assert [one.operation for one in layers][:2] == ["Convolution-1", "Add-1"]
    assert layers[0].how == {"data": "first"}
    (reshape,) = [one for one in layers if one.operation == "Reshape-1"]
    assert "target_shape" not in reshape.parameters


@pytest.mark.parametrize(
    "shape, kind, case, grade",
    [
        ("2,3", "f32", "ReLU-1/plain/f32[3,5]/-", SEEN),
        ("2,3", "f32", "ReLU-1/type/f16[3,5]/-", ""),
        ("2,3", "f32", "ReLU-1/plain/f32[3,5]/-/shape=dims", ""),
        ("2,?", "f32", "ReLU-1/plain/f32[3,5]/-/shape=dims", SEEN),
        ("2,?", "f32", "ReLU-1/plain/f32[3,5]/-/shape=rank", ""),
        ("2,3", "f32", "ReLU-1/dim-0/f32[0,5]/-", ""),
        ("2,0", "f32", "ReLU-1/dim-0/f32[0,5]/-", SEEN),
        ("2,3", "f32", "ReLU-1/rank/f32[2,1,1,2,1,1,1]/-", ""),
        ("2,3", "f32", "ReLU-1/plain/f32[3,5]/-/data=constant", ""),
        ("2,3", "f32", "ReLU-1/plain/f32[3,5]/-/behind=abs", ""),
        ("2,3", "f32", "ReLU-1/variant.far/f32[3,5]/-", POSSIBLE),
        ("2,3", "f32", "ReLU-1/invalid/f32[3,5]/-", ""),
    ],
)
def test_a_cause_concerns_a_layer_that_shares_all_that_its_cases_show(
    tmp_path, shape, kind, case, grade
):
    layers = one_layer(tmp_path, shape, kind)
    risks = known(cause("some", outcome=("CRASH",)), records=[departed(case)]).risks(layers)
    assert [risk.grade for risk in risks] == ([grade] if grade else [])


def test_factors_may_come_from_several_cases_and_words_must_be_theirs(tmp_path):
    layers = one_layer(tmp_path, "2,3,4", "f16", "SoftMax", "opset8", axis="1")
    cases = [
        departed("SoftMax-8/type/f16[3,5]/axis=1"),
        departed("SoftMax-8/rank/f32[3,5,2]/axis=1"),
    ]
    assert [risk.grade for risk in known(cause("some"), records=cases).risks(layers)] == [SEEN]
    pads = one_layer(tmp_path, "2,3,8,8", "f16", "MaxPool", strides="1,1", pads_begin="0,0",
                     pads_end="0,0", kernel="2,2", rounding_type="ceil", auto_pad="explicit")  # fmt: skip
    rest = "strides=1,1;pads_begin=0,0;pads_end=0,0;kernel=2,2;rounding_type={};auto_pad=explicit"
    floor = departed(f"MaxPool-1/type/f16[2,3,8,8]/{rest.format('floor')}")
    ceil = departed(f"MaxPool-1/enumeration/f32[2,3,8,8]/{rest.format('ceil')}")
    assert known(cause("some"), records=[floor]).risks(pads) == []
    (risk,) = known(cause("some"), records=[floor, ceil]).risks(pads)
    assert risk.grade == POSSIBLE


def test_what_no_model_shows_is_told_and_the_worst_comes_first(tmp_path):
    layers = one_layer(tmp_path, "2,3")
    records = [
        departed("ReLU-1/plain/f32[3,5]/-/values=special", "values"),
        departed("ReLU-1/plain/f32[3,5]/-", "dies", "CRASH"),
    ]
    selected = cause("selected", operation=("ReLU-1",), outcome=("REFUSED",), isa=("sse42",))
    other = cause("other", operation=("ReLU-1",), type=("i8",), outcome=("CRASH",))
    accepts = cause("accepts", operation=("ReLU-1",), outcome=("ACCEPTED_INVALID",))
    risks = known(cause("values"), cause("dies"), selected, other, accepts, records=records).risks(
        layers
    )
    assert [(r.cause.id, r.severity.kind, r.grade, r.needs) for r in risks] == [
        ("dies", "memory", SEEN, ""),
        ("values", "silent", SEEN, "values=special"),
        ("selected", "refusal", SELECTED, "isa=sse42"),
    ]
    assert [layer.title for layer in risks[0].layers] == ["under test"]


def test_numbers_of_a_layer_exclude_a_cause_that_all_other_cases_with_them_do_not_show(tmp_path):
    cases = [f"ReLU-1/rank/f32[{n}]/level={level}" for n in range(2, 82) for level in (2, -7)]
    negative = [departed(case) for case in cases if "-7" in case]
    asked = Asked(
        (features_of(parts.inputs, parts.parameters, parts.how), frozenset(parts.parameters))
        for parts in map(split_id, cases)
    )

    def excluded(text, given=("level",), unread=(), of=negative):
        parts = split_id(text)
        features = [
            (features_of(p.inputs, p.parameters, p.how), frozenset(p.parameters))
            for p in (split_id(one.case) for one in of)
        ]
        own = features_of(parts.inputs, parts.parameters, parts.how)
        return asked.excludes(own, frozenset(given), frozenset(unread), features)

    assert excluded("ReLU-1/plain/f32[9]/level=2") == "numbers level"
    assert not excluded("ReLU-1/plain/f32[9]/level=-7")
    assert not excluded("ReLU-1/plain/f32[9]/level=4000000"), "what nobody asked excludes nothing"
    assert not excluded("ReLU-1/plain/f32[9]/level=2", of=negative[:2]), (
        "two cases can miss it by chance"
    )
    assert not excluded("ReLU-1/plain/f32[9]/-", (), ("level",))
    clipped = [*cases[:-1], "ReLU-1/variant.clip/f32[5]/level=2,clip=1"]
    asked = Asked(
        (features_of(parts.inputs, parts.parameters, parts.how), frozenset(parts.parameters))
        for parts in map(split_id, clipped)
    )
    left_out = excluded("ReLU-1/plain/f32[9]/level=2", of=[departed(clipped[-1])])
    assert left_out == "given clip", "one case is enough where nearly all others lack it"


@pytest.mark.parametrize(
    "shape, where, is_named",
    [
        ("2,3", ("shape0[0] == 2",), True),
        ("2,3", ("shape0[0] > 2",), False),
        ("2,3", ("shape0[0] > 2", "shape0[1] > 2"), True),
        ("?,3", ("shape0[0] > 2",), True),  # the model does not show it
        ("2,3", ("level > 2",), True),
    ],
)
def test_a_statement_that_is_false_of_a_layer_excludes_a_cause(tmp_path, shape, where, is_named):
    layers = one_layer(tmp_path, shape)
    seen = cause("some", operation=("ReLU-1",), where=where)
    unseen = cause("other", type=("f32",), outcome=("FAIL",), where=where)
    case = "ReLU-1/plain/f32[3,4]/-" + ("/shape=dims" if "?" in shape else "")
    own = known(seen, unseen, records=[departed(case)])
    assert {risk.cause.id for risk in own.risks(layers)} == (
        {"some", "other"} if is_named else set()
    )
    assert own.excluded == (set() if is_named else {"some"})


def test_a_model_of_many_kinds_is_told_what_running_it_shows(tmp_path):
    """On the CPU the LSTM is refused; with activations i64 sums and HSwish depart, and nothing else does."""
    shown = {"LSTMSequence-5", "HSwish-4", "Add-1", "LRN-1"}
    layers = [one for one in asked_layers(read(wide_network(tmp_path))) if one.operation in shown]
    device = Known(load_causes().by_id.values(), "CPU", "2026.4", "accuracy", (), cases_asked)
    told = {risk.cause.id: risk.grade for risk in device.risks(layers)}
    for name in (
        "sequence-activations-left-out",
        "64-bit-integers-computed-in-i32",
        "hswish-inexact-near-minus-3",
    ):
        assert told[name] == SEEN
    assert device.excluded >= {"lstm-cell-clip-before-h", "lrn-no-axes", "sequence-of-length-0"}
    assert not device.excluded & told.keys()


def test_a_form_is_asked_if_a_case_has_it(tmp_path):
    forms = forms_asked("ReLU-1")
    (asked,), (other,) = (
        one_layer(tmp_path, shape) for shape in ("2,3,4,5", "1,1,1,1,1,1,1,1,1,1")
    )
    assert forms[asked.form] > 0
    assert other.form not in forms


def test_every_case_of_a_baseline_is_a_risk_of_its_own_layer():
    """A layer that is asked as a case was asked shows the cause that the case has, if a model can show it at all."""

    class AsLayer:
        def __init__(self, parts):
            self.title, self.operation, self.category = "layer", parts.operation, ""
            self.inputs, self.parameters = tuple(parts.inputs), parts.parameters
            self.how, self.unread = parts.how, frozenset()
            self.before = {parts.how.get("before", "").replace("-", "")}
            self.behind = {parts.how.get("behind", "").replace("-", "")}

    causes = load_causes().by_id
    (folder,) = [f for f in folders_of("GPU", DIRECTORY) if f.name == "2026.4-pocl"]
    device = Known(causes.values(), "GPU", "2026.4", "opencl=pocl")
    told = 0
    for case, line in read_folder(folder).departures().items():
        parts = split_id(case)
        if line.cause in causes and parts.purpose != "invalid" and parts.data:
            told += 1
            found = {risk.cause.id for risk in device.risks([AsLayer(parts)])}
            assert line.cause in found, case
    assert told > 100


def test_the_command_names_layers_and_counts_what_was_never_asked(tmp_path, capsys):
    m = SmallModel()
    x, index = m.parameter("x", "?,?,?"), m.parameter("i", "2,1", "i64")
    gather = m.layer("GatherND", x, index, opset="opset8", name="the gather", batch_dims="0")
    m.result(m.layer("Mine", gather, opset="extension", name="own"))
    path = m.write(tmp_path)
    assert main(["risks", str(path), "--device", "GPU"]) == 0
    said = capsys.readouterr().out
    assert "unknown-dimensions-refused" in said
    assert "the gather" in said
    assert "Mine (extension)" in said
    assert main(["risks", str(path), "--device", "GPU", "--release", "2024.0"]) == 0
    assert "unknown-dimensions-refused" not in capsys.readouterr().out


def test_what_cannot_be_read_is_said_in_one_line(tmp_path, capsys):
    refused = partial(refusal, capsys, main, "python -m reports risks", "risks")
    (tmp_path / "no.xml").write_text("<net")
    (tmp_path / "model.onnx").write_bytes(b"no model \xa1")
    assert "not XML" in refused(tmp_path / "no.xml")
    assert "there is no such file" in refused(tmp_path / "missing.xml")
    assert "OpenVINO does not read it" in refused(tmp_path / "model.onnx")
    path = network(tmp_path)
    assert "no cause names device" in refused(path, "--device", "TPU")
    assert "--release must be like" in refused(path, "--release", "new")
    assert "--release must be 2024.0 or later" in refused(path, "--release", "1999.1")
    (tmp_path / "none.xml").write_text('<net name="x" version="11"><layers/><edges/></net>')
    assert "has no layer" in refused(tmp_path / "none.xml")
    edge = tmp_path / "edge.xml"
    edge.write_text(re.sub('from-layer="[^"]*"', 'from-layer="999"', path.read_text()))
    assert "no layer has the id '999'" in refused(edge)
