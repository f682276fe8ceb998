"""Causes: files that are read, files that are refused, and all that the suite ships."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import ir_models
from devices.models.judging import NUMBERS
from ir_models import CaseIdError
from ir_models.asking.how import HOWS, USUAL
from ir_models.asking.id_parts import AS_TEXT, GRAPHS, MODEL
from ir_models.corpus.purposes import PURPOSES
from ir_models.patterns import PATTERNS
from ir_models.vocabulary.element_types import ELEMENT_TYPES
from reports.__main__ import main
from reports.gate import baseline_files, causes
from reports.gate.baseline import Run, run_of
from reports.gate.causes import (
    CLASSES,
    COMPONENTS,
    COMPUTING,
    PLACES,
    Cause,
    CauseError,
    RunScope,
    area_of,
    load,
    parse,
    read,
    unit_of,
)
from reports.gate.new_causes import cause_text
from reports.gate.selectors import Selector
from reports.gate.severity import baseline_lines
from reports.results.facts_of_departures import Facts, message_class
from reports.results.outcomes import Outcome
from reports.results.shared.matching import matches_any, numbers_of
from tests.unit.reports.gate.shipped_baselines import shipped_baseline
from tests.unit.reports.small_results import header, record, write

GOOD = """\
title = "Split - unknown dimensions - the compiler dies"
class = "defect"
component = "plugin node"
page = "'The result of this operation is ...'"
smallest = "Split-1/plain/f32[2]"
place = { CPU = "pass ov::pass::SplitFusion" }
since = { CPU = "2024.0", GPU = "2026.4" }
last_good = "2023.3"
fixed = "2026.5"
devices = ["CPU", "CORE"]
fix = "empty-inputs"
theme = "empty"
below = ["a", "b"]
nondeterministic = "the memory that is read was never written"
spoils = "the layers behind it do not run"
link = "https://example.org"
notes = "worked by hand"

[[select]]
operation = ["Split-1"]
outcome = ["CRASH", "FAIL"]
message = "*Failed to infer*"
how = { shape = ["dims"] }

[[select]]
parameter = { mode = "reflect" }
"""
LEAST = 'title = "t"\nclass = "limit"\ndevices = ["CPU"]\n'


def test_a_file_says_everything(tmp_path: Path) -> None:
    path = tmp_path / "split-of-unknown-dimensions.toml"
    path.write_text(GOOD)
    assert read(path) == Cause(
        "split-of-unknown-dimensions",
        "Split - unknown dimensions - the compiler dies",
        "defect",
        "plugin node",
        "'The result of this operation is ...'",
        "Split-1/plain/f32[2]",
        {"CPU": "2024.0", "GPU": "2026.4"},
        "2023.3",
        "2026.5",
        ("CPU", "CORE"),
        "empty-inputs",
        "the memory that is read was never written",
        "the layers behind it do not run",
        "https://example.org",
        "worked by hand",
        (
            Selector(
                {
                    "operation": ("Split-1",),
                    "outcome": ("CRASH", "FAIL"),
                    "message": ("*Failed to infer*",),
                    "how.shape": ("dims",),
                }
            ),
            Selector({"parameter.mode": ("reflect",)}),
        ),
        path,
        ("a", "b"),
        "empty",
        {"CPU": "pass ov::pass::SplitFusion"},
    )


def test_since_and_fixed_by_device(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_text(GOOD)
    one = read(path)
    releases = [one.since_on(name) for name in ("CPU", "GPU.1", "AUTO:GPU,CPU", "NPU")]
    assert releases == ["2024.0", "2026.4", "2026.4", ""]
    assert {one.fixed_on(name) for name in ("CPU", "NPU")} == {"2026.5"}


@pytest.mark.parametrize(
    "text, told",
    [
        ("title = ", "Invalid value"),
        (LEAST.replace("class", "klass"), "unknown key 'klass'; there are title, class, component"),
        (LEAST.replace('"t"', "3"), "title must be a text"),
        (LEAST + "notes = []\n", "notes must be a text"),
        (LEAST + 'corrupts = ["GPU"]\n', "corrupts must be a list of names that stand in devices"),
        (LEAST + 'corrupts = "CPU"\n', "corrupts must be a list of names that stand in devices"),
        (LEAST + 'below = "a"\n', "below must be a list of ids of causes"),
        (LEAST.replace('"t"', '""'), "title is missing"),
        (LEAST.replace('class = "limit"\n', ""), "class is missing"),
        (LEAST.replace("limit", "bug"), "class must be one of defect, limit, page, open, stack, got 'bug'"),
        (LEAST + 'component = "kernel"\n', "component must be one of reader, core, "),
        (LEAST.replace('["CPU"]', '"CPU"'), "devices must be a list of names such as CPU"),
        (LEAST.replace('["CPU"]', "[]"), "devices must be a list of names such as CPU"),
        (LEAST.replace('["CPU"]', "[1]"), "devices must be a list of names such as CPU"),
        (LEAST.replace('devices = ["CPU"]\n', ""), "devices must be a list of names such as CPU"),
        (LEAST + 'since = "always"\n', 'since must be a release such as "2026.4", or a table of them by device'),
        (LEAST + "since = 2026.4\n", "since must be a release"),
        (LEAST + 'fixed = { CPU = "soon" }\n', "fixed must be a release"),
        (LEAST + 'place = "node A"\n', "place must be a table by device of texts that begin with line, frame"),
        (LEAST + 'place = { CPU = "somewhere" }\n', "place must be a table by device of texts"),
        (LEAST + "select = 3\n", "select must be tables, [[select]]"),
        (LEAST + '[select]\ntype = "u4"\n', "select must be tables, [[select]]"),
        (LEAST + 'select = ["u4"]\n', "select 1 must be a table with a condition"),
        (LEAST + "[[select]]\n", "select 1 must be a table with a condition"),
        (LEAST + '[[select]]\ntype = "u4"\n[[select]]\nkinds = "u4"\n',
         "select 2: unknown field 'kinds'; there are operation, category, "),
        (LEAST + '[[select]]\nhow = "dims"\n', "select 1: how must be a table"),
        (LEAST + "[[select]]\nhow = { shape = 3 }\n", "select 1: how.shape must be a text or a list of texts"),
        (LEAST + "[[select]]\ntype = []\n", "select 1: type must be a text or a list of texts"),
        (LEAST + '[[select]]\nrank = ["2", 3]\n', "select 1: rank must be a text or a list of texts"),
        (LEAST.replace('["CPU"]', '["cpu"]'), "devices must be a list of names such as CPU"),
        (LEAST + '[[select]]\noutcome = ["FAIL", "BAD"]\n', "select 1: outcome 'BAD' is none of PASS, "),
        (LEAST + '[[select]]\nstage = ["compil"]\n', "select 1: stage 'compil' is none of "),
        (LEAST + '[[select]]\nkind = ["values"]\n', "select 1: kind 'values' is none of "),
        (LEAST + '[[select]]\nhow = { shapee = ["dims"] }\n', "select 1: how.shapee: the factors are "),
        (LEAST + '[[select]]\nhow = { shape = ["*"] }\n', "select 1: how.shape: '*' holds without the factor, too"),
    ],
)  # fmt: skip
def test_a_file_that_is_refused(
    tmp_path: Path, shipped: Path, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "mine.toml").write_text(text)
    with pytest.raises(CauseError) as caught:
        load(own)
    assert str(caught.value).startswith(f"{own / 'mine.toml'}: {told}")
    # A command tells it in one line.
    results = write(tmp_path / "a.jsonl", header(), record())
    assert main(["accept", str(results), "--causes", str(own)]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert told in err


def test_files_that_are_no_text(tmp_path: Path, shipped: Path) -> None:
    (shipped / "a.toml").write_bytes(b"\xff")
    with pytest.raises(CauseError, match=r"a\.toml: 'utf-8' codec"):
        load()
    (shipped / "a.toml").unlink()
    (shipped / "b.toml").mkdir()
    with pytest.raises(CauseError, match=r"b\.toml: cannot be read: Is a directory"):
        load()


def test_folders_of_ones_own(tmp_path: Path, shipped: Path) -> None:
    own, other = tmp_path / "own", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    (shipped / "a.toml").write_text(LEAST)
    (own / "b.toml").write_text(LEAST)
    (own / "README.md").write_text("ours")
    (other / "c.toml").write_text(LEAST)
    assert list(load().by_id) == ["a"]
    assert list(load(own, other).by_id) == ["a", "b", "c"]
    (other / "a.toml").write_text(LEAST)
    with pytest.raises(CauseError) as caught:
        load(own, other)
    assert str(caught.value) == f"{other / 'a.toml'}: there is a cause of this name in {shipped}"
    with pytest.raises(CauseError, match="none: there is no such folder of causes"):
        load(tmp_path / "none")


@pytest.mark.parametrize(
    "below, told",
    [
        ({"a": ["b"], "b": ["no"]}, "b.toml: below: there is no cause 'no'"),
        ({"a": ["a"], "b": []}, "a.toml: below: a below a"),
        ({"a": ["b"], "b": ["c"], "c": ["b"]}, "b.toml: below: b below c below b"),
        ({"a": ["b", "c"], "b": ["d"], "c": ["d"], "d": []}, ""),
    ],
)
def test_the_order_of_causes_has_an_end(
    shipped: Path, below: dict[str, list[str]], told: str
) -> None:
    for name, others in below.items():
        (shipped / f"{name}.toml").write_text(f"{LEAST}below = {others}\n")
    if not told:
        assert [*load().by_id] == [*below]
        return
    with pytest.raises(CauseError) as caught:
        load()
    assert str(caught.value) == f"{shipped}/{told}"


def test_causes_of_the_suite_stand_in_the_folders_of_their_areas() -> None:
    astray = {one.path: area_of(one) for one in load().by_id.values()}
    assert {path: area for path, area in astray.items() if path.parent.name != area} == {}


def test_a_cause_in_two_areas_is_told(shipped: Path) -> None:
    for area in ("cpu", "gpu"):
        (shipped / area).mkdir()
        (shipped / area / "a.toml").write_text(LEAST)
    with pytest.raises(CauseError, match=r"a\.toml: there is a cause of this name in .*/[cg]pu"):
        load()


def test_only_an_open_question_is_undecided() -> None:
    text = LEAST.replace("limit", "open") + "undecided = true\n"
    assert parse(Path("a.toml"), text).undecided
    for wrong in (LEAST + "undecided = true\n", text.replace("true", '"yes"')):
        with pytest.raises(CauseError, match='true for class = "open" alone'):
            parse(Path("a.toml"), wrong)


def test_causes_of_the_suite_that_have_not_changed_are_not_parsed_again(
    shipped: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.dont_write_bytecode", False)
    monkeypatch.setattr(causes, "_KEPT", shipped)
    path = shipped / "one.toml"
    path.write_text(LEAST)
    (before,) = load().by_id.values()
    parsed: list[Path] = []
    monkeypatch.setattr(causes, "read", lambda path: [parsed.append(path), read(path)][1])
    assert list(load().by_id.values()) == [before]
    assert parsed == []
    path.write_text(LEAST.replace('"t"', '"another"'))
    assert load().by_id["one"].title == "another"
    (shipped / "two.toml").write_text(LEAST)
    assert list(load().by_id) == ["one", "two"]
    assert parsed == [path, path, shipped / "two.toml"]
    # One that was put back with its old time and size is another one.
    times = path.stat().st_atime_ns, path.stat().st_mtime_ns
    path.write_text(path.read_text().replace("another", "the old"))
    os.utime(path, ns=times)
    assert load().by_id["one"].title == "the old"
    # A file that is no pickle, or one of other classes, costs only the time.
    (kept,) = shipped.glob("__pycache__/*")
    kept.write_bytes(b"notes")
    assert list(load().by_id) == ["one", "two"]
    path.unlink()
    assert list(load().by_id) == ["two"]


def test_a_cause_of_ones_own_that_names_nothing_is_told_where_all_of_its_cases_were_asked(
    tmp_path: Path, shipped: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    selects = {"split": 'operation = ["Split-1"]', "two": 'operation = ["Split-1", "Add-1"]'}
    selects |= {"any": 'outcome = ["FAIL"]', "chosen": "", "found": 'operation = ["Split-1"]'}
    for name, select in selects.items():
        (own / f"{name}.toml").write_text(LEAST + (f"[[select]]\n{select}\n" if select else ""))
    (own / "elsewhere.toml").write_text(
        LEAST.replace("CPU", "GPU") + '[[select]]\noperation = ["Split-1"]\n'
    )
    (shipped / "theirs.toml").write_text(LEAST + '[[select]]\noperation = ["Split-1"]\n')
    run = run_of(header(), "CPU", "accuracy")

    def idle(*operations: str, is_everything: bool = False) -> list[str]:
        asked = RunScope(frozenset(operations), frozenset({"found", ""}), is_everything)
        return [cause.id for cause in load(own).idle([own], [run], asked)]

    assert idle("Split-1") == ["split"]
    assert idle("Split-1", "Add-1") == ["split", "two"]
    assert idle("Split-1", "Add-1", is_everything=True) == ["any", "split", "two"]
    assert idle("Add-1") == []


def test_a_suite_without_causes(shipped: Path) -> None:
    shipped.rmdir()
    assert load().by_id == {}


@pytest.mark.parametrize(
    "content, selectors",
    [
        ({"title": "a \"quoted\" - größe", "class": "limit", "devices": ["CPU"], "notes": "a\nb\\"}, []),
        (
            {"title": "t", "class": "open", "devices": ["CPU", "GPU"], "since": "2026.4"},
            [{"operation": ["A-1"], "how": {"shape": ["dims"]}}, {"message": ["*a 'b'*"]}],
        ),
    ],
)  # fmt: skip
def test_what_is_drafted_is_read_back(
    tmp_path: Path, content: dict[str, Any], selectors: list[dict[str, Any]]
) -> None:
    path = tmp_path / "a.toml"
    path.write_text(cause_text(content, selectors), "utf-8")
    found = read(path)
    assert (found.title, found.cause_class, found.devices) == (
        content["title"],
        content["class"],
        tuple(content["devices"]),
    )
    assert (found.notes, found.since) == (content.get("notes", ""), content.get("since", ""))
    assert [set(each.conditions) for each in found.selectors] == (
        [{"operation", "how.shape"}, {"message"}] if selectors else []
    )


# --- those of the suite -------------------------------------------------------------------------------------------

SHIPPED = load().by_id
MOST = 80
"""Characters of a title: it stands in a table, and in the list of a tracker."""

KNOWN = {
    "operation": [AS_TEXT, *(each.name for each in (*ir_models.operations(), *PATTERNS))],
    "category": [*(each.category for each in ir_models.operations()), GRAPHS],
    "purpose": [
        *PURPOSES,
        GRAPHS,
        MODEL,
        *(f"variant.{one.name}" for each in ir_models.operations() for one in each.variants),
    ],
    "type": [*ELEMENT_TYPES],
    "outcome": [str(each) for each in Outcome],
    "stage": ["read", "compile", "infer"],
    # The levels of a factor without any of its own are names of inputs.
    **{f"how.{name}": ["", *levels, *NUMBERS] for name, levels in HOWS.items() if levels},
}
"""Every value of the fields that have a list of them: a wildcard that none of them matches can select nothing."""


def test_the_suite_has_causes() -> None:
    assert len(SHIPPED) > 500


@cache
def is_of_something(name: str, wildcard: str) -> bool:
    return any(matches_any([wildcard.removeprefix("!")], value) for value in KNOWN[name])


def faults_of(cause: Cause) -> Iterator[str]:
    """Why a cause cannot be found."""
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", cause.id):
        yield "the name of its file"
    if cause.id == "no-cause":
        yield "the name of a file of every baseline"
    if cause.cause_class not in CLASSES:
        yield f"no class {cause.cause_class!r}"
    if cause.component not in COMPONENTS:
        yield f"no component {cause.component!r}"
    if not cause.selectors:
        yield "it names no departures"
    for each in cause.selectors:
        for name, wildcards in each.conditions.items():
            for wildcard in wildcards if name in KNOWN else ():
                if not is_of_something(name, wildcard):
                    yield f"no {name} is {wildcard!r}"


def test_every_shipped_cause_can_be_found() -> None:
    found = [f"{one.id}: {fault}" for one in SHIPPED.values() for fault in faults_of(one)]
    assert found == []


def test_a_cause_that_cannot_be_found_says_why() -> None:
    wrong = Cause("No-Cause", "t", "none", selectors=(Selector({"operation": ("Abs-0",)}),))
    assert [*faults_of(wrong)] == [
        "the name of its file",
        "no class 'none'",
        f"no component {wrong.component!r}",
        "no operation is 'Abs-0'",
    ]


def test_causes_of_core_name_what_departs_at_reading_on_every_device() -> None:
    own = Cause(
        "a",
        "t",
        "defect",
        devices=("CORE",),
        since={"CORE": "2026.4"},
        selectors=(Selector({"device": ("CORE",)}),),
    )
    known, gpu = causes.Causes([own]), Run("GPU", openvino="2026.4.1-1")
    named = {
        facts: known.name(record("A-1/plain/f32[2]", "FAIL", facts=facts), gpu) is not None
        for facts in (Facts(kind="value"), Facts(stage="read"), Facts(kind="shape at reading"))
    }
    assert [*named.values()] == [False, True, True]
    read = record("A-1/plain/f32[2]", "CRASH", facts=Facts(stage="read"))
    assert known.name(read, Run("GPU", openvino="2026.3.0-1")) is None


NAME_USUAL_LAYERS = {
    "deformable-convolution-inner-boundary", "detectron-proposals-small-boxes-stay",
    "interpolate-linear-antialias", "interpolate-scale-as-given",
}  # fmt: skip
"""Causes that also name a usual layer which conforms: others of its kind depart. None may be added."""


def test_no_cause_names_a_usual_layer_that_conforms() -> None:
    """Or a device that gets all of an operation wrong would be known, where it has no baseline of its own."""
    lines = shipped_baseline(baseline_files.DIRECTORY / "CPU" / "2026.4").lines
    known = load()
    run = Run(
        device="CPU",
        profile="accuracy",
        architecture="x86_64",
        isa="avx512+vnni",
        openvino="2026.4.1",
    )
    found = set()
    for operation in ir_models.operations():
        for case in ir_models.cases(operation, ["plain"]):
            if case.how != USUAL or case.id in lines:
                continue
            one = record(case.id)
            if not all(text.startswith("f32[") for text in one.inputs if text != "-"):
                continue
            for outcome, facts in (
                ("FAIL", Facts(kind="value", output=0)),
                ("CRASH", Facts(stage="infer", kind="signal", signal="SIGSEGV")),
            ):
                cause = known.name(record(case.id, outcome, facts=facts), run)
                if cause is not None:
                    found.add(cause.id)
    assert found == NAME_USUAL_LAYERS


def test_wildcards_of_messages_are_words_that_are_kept() -> None:
    """Signs and words with digits are dropped from a message: a wildcard with "can't" or "FP16" matches nothing.

    A signal is no message.
    """
    assert [
        (one.id, wildcard)
        for one in SHIPPED.values()
        for each in one.selectors
        for wildcard in each.conditions.get("message", ())
        for part in re.split(r"[*?]+", wildcard.removeprefix("!"))
        if message_class(part) != part.strip() or part.strip().startswith("SIG")
    ] == []


@pytest.mark.parametrize(
    "place, unit",
    [
        ("line src/plugins/intel_cpu/src/nodes/embedding_bag_offsets.cpp:140", "embeddingbagoffsets"),
        ("frame ov::intel_cpu::node::EmbeddingBagOffsets (libopenvino_intel_cpu_plugin.so+0x1)",
         "embeddingbagoffsets"),
        ("node EmbeddingBagOffsets (ref_any_f32)", "embeddingbagoffsets"),
        ("frame ov::op::v15::Col2Im::validate_and_infer_types (libopenvino.so.2641+0x1)", "col2im"),
        ("pass ov::pass::RMSFusion", "rmsfusion"),
        ("line src/plugins/intel_cpu/src/nodes/reference.cpp:36", ""),
        ("frame libopenvino_intel_cpu_plugin.so+0x1", ""),
        ("node RMS (jit_avx512_f32), made by pass ov::pass::RMSFusion", "rms"),
    ],
)  # fmt: skip
def test_the_unit_of_a_place(place: str, unit: str) -> None:
    assert unit_of(place) == unit


def test_places_agree_with_components() -> None:
    """Passes are of transformations, nodes of what computes: what was measured holds against what was thought."""
    passing = ("transformation", "plugin transformation", "constant folding")
    assert [
        one.id
        for one in SHIPPED.values()
        for place in one.place.values()
        if (place.startswith("pass ") and one.component not in passing)
        or (place.startswith("node ") and one.component not in COMPUTING)
    ] == []


def test_a_fix_is_one_change() -> None:
    """Causes of one component and, where they were measured, at one place; what spans more is a theme."""
    groups: dict[str, list[Cause]] = {}
    for one in SHIPPED.values():
        if one.fix:
            groups.setdefault(one.fix, []).append(one)
    found = {}
    for name, group in groups.items():
        components = {one.component for one in group}
        units = {unit_of(place) for one in group for place in one.place.values()} - {""}
        if len(components) > 1 or len(units) > 1 or len(group) < 2:
            found[name] = (sorted(components), sorted(units), len(group))
    assert found == {}


def test_titles_of_shipped_causes_are_short() -> None:
    long = [one.id for one in SHIPPED.values() if len(one.title) > MOST or one.title.endswith("…")]
    assert long == []


def test_shipped_defects_and_errors_of_pages_quote_words_of_the_page() -> None:
    kinds = ("defect", "page")
    quoted = re.compile(r"'[^']+'|\"[^\"]+\"")
    assert [
        one.id
        for one in SHIPPED.values()
        if one.cause_class in kinds and not quoted.search(one.page)
    ] == []


REFUSED_EVERYWHERE = {
    "block-size-has-no-default": "the default is not filled in",
    "bucketize-output-type-required": "the default is not filled in",
    "deformable-convolution-default-groups": "the default is not filled in",
    "multinomial-seeds-of-64-bits": "the number is not parsed",
    "optional-last-input-refused": "the input is read without a look whether it is there",
    "output-type-required": "the default is not filled in",
    "pad-crop-to-nothing-refused": "a negative size is allocated",
    "psroi-defaults": "the default is not filled in",
    "string-tensor-pack-must-ascend": "what comes at run time is not checked",
}
"""Why these are no errors of the page: the code does not state another rule, it forgets the page's."""


def test_a_check_that_all_devices_share_is_an_error_of_the_page() -> None:
    found = {
        one.id
        for one in SHIPPED.values()
        if one.cause_class == "defect"
        and {"CPU", "CORE", "GPU"} <= set(one.devices)
        and all(each.conditions.get("outcome") == ("REFUSED",) for each in one.selectors)
    }
    assert found == set(REFUSED_EVERYWHERE)


def test_titles_of_shipped_causes_have_the_terms_of_the_field() -> None:
    own = re.compile("written out|scalar of higher|this one")
    assert [one.id for one in SHIPPED.values() if own.search(one.title)] == []


def test_a_defect_does_not_say_that_its_page_is_silent() -> None:
    """Its issue quotes what the page says: notes that deny it would be read below."""
    silent = re.compile(r"\bpages? (do(es)? not speak|(is|are) silent)")
    defects = [one for one in SHIPPED.values() if one.cause_class == "defect"]
    assert [one.id for one in defects if silent.search(" ".join(one.notes.split()))] == []


def test_the_smallest_case_of_a_shipped_cause_can_be_asked() -> None:
    assert [one.id for one in SHIPPED.values() if not _can_be_asked(one.smallest)] == []


def _can_be_asked(case: str) -> bool:
    try:
        return ir_models.parse(case).id == case
    except CaseIdError:
        return False


# --- the command that lists them ----------------------------------------------------------------------------------


def test_causes_are_counted_by_class_component_and_severity(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["causes", "--severity", "crash", "silent", "--class", "defect"]) == 0
    lines = capsys.readouterr().out.splitlines()
    head = next(n for n, line in enumerate(lines) if line.startswith("class "))
    assert lines[head].split() == [
        *("class", "component", "regression", "crash", "silent", "causes")
    ]
    rows = lines[head + 1 : lines.index("", head)]
    numbers = [[int(cell.replace("–", "0")) for cell in row.split()[-4:]] for row in rows]
    assert {row.split()[0] for row in rows[:-1]} == {"defect"}
    assert all(sum(each) == total for *each, total in numbers)
    assert [sum(column) for column in zip(*numbers[:-1], strict=True)] == numbers[-1]
    told = re.match(r"(\d+) causes on CPU", lines[0])
    assert told is not None
    assert numbers[-1][-1] == int(told[1])
    place = next(n for n, line in enumerate(lines) if line.startswith("place on "))
    assert re.split(r"\s{2,}", lines[place]) == ["place on", *PLACES, "not measured", "causes"]
    name, *of_kinds, total = lines[place + 1].replace("–", "0").split()
    assert (name, total, sum(map(int, of_kinds))) == ("CPU", told[1], int(total))
    kinds = Counter(row[-1].split()[0] for row in rows_of("\n".join(lines)))
    assert [kinds[kind] for kind in (*PLACES, "–")] == [*map(int, of_kinds)]


def test_causes_of_results(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = "not-executed-for-an-empty-input"
    cases = [
        record("Abs-1/dim-0/f32[0]/-", "FAIL", "known", cause=name, cause_class="defect"),
        record("Abs-1/dim-0/f16[0]/-", "FAIL", "new case", cause=name, cause_class="defect"),
        record("Abs-1/plain/f32[2]/-", "FAIL", "new"),
    ]
    path = str(write(tmp_path / "run.jsonl", header(), *cases))
    assert main(["causes", path]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1 cause on CPU (2 cases)\n")
    assert re.search(rf"^2 .* silent .* {name} +\S", out, re.MULTILINE)
    assert main(["causes", path, "--history"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^0 .* not seen .* packed-types-moved-as-bytes +\S", out, re.MULTILINE)
    assert re.search(r"^0 .* fixed in 2025.0 .* strings-cut-at-zero-bytes +–$", out, re.MULTILINE)
    assert main(["causes", path, "--device", "GPU"]) == 2
    assert "the results have no case of device 'GPU'" in capsys.readouterr().err


def rows_of(out: str) -> list[list[str]]:
    """The cells of the causes that the command printed."""
    table = out.partition("\ncases ")[2].partition("\n\n")[0]
    return [re.split(r"\s{2,}", line) for line in table.splitlines()[1:]]


def listed(out: str) -> list[tuple[str, str]]:
    """The ids of the causes that the command printed, with their severities."""
    return [(row[-2], row[2]) for row in rows_of(out)]


def test_the_severity_regression_is_of_all_causes_that_an_earlier_release_did_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["causes", "--severity", "regression"]) == 0
    out = capsys.readouterr().out
    told = {name: severity for name, severity in listed(out) if severity.startswith("regression: ")}
    assert main(["causes"]) == 0
    names = [name for name, _ in listed(capsys.readouterr().out)]
    assert told.keys() == {name for name in names if SHIPPED[name].last_good_on("CPU")}
    # Invalid layers that are no longer refused stand behind what harms models.
    first = {name for name, severity in told.items() if "unchecked" not in severity}
    assert set(names[: len(first)]) == first
    assert len(first) < len(told)


def test_limits_and_the_stack_come_last(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["causes", "--device", "GPU"]) == 0
    names = [name for name, _ in listed(capsys.readouterr().out)]
    apart = [
        SHIPPED[name].cause_class in ("limit", "stack") or SHIPPED[name].only_on for name in names
    ]
    apart = [bool(each) for each in apart]
    assert apart == sorted(apart)
    assert any(SHIPPED[name].only_on for name in names)


DAMAGE = re.compile(r"(heap|memory) corrupted|out-of-bounds write|writes beyond")


@pytest.mark.parametrize("device", ["CPU", "CORE", "GPU"])
def test_a_cause_whose_title_says_that_memory_is_damaged_is_listed_as_damage(
    device: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Unless the title says that it is refused as well, or another device has the damage."""
    assert main(["causes", "--device", device]) == 0
    found = dict(listed(capsys.readouterr().out))
    own = {name: SHIPPED[name] for name in found if DAMAGE.search(SHIPPED[name].title)}
    damaged = [
        name
        for name, one in own.items()
        if one.corrupts_on(device) or not (one.corrupts or "refused, or" in one.title)
    ]
    assert damaged
    assert {name: found[name] for name in damaged if "crash" not in found[name]} == {}


_OF_THE_HEAP = re.compile(r"malloc|free\b|corrupted|munmap_chunk")
_IN_NOTES = re.compile(r"malloc|free\(\)|munmap_chunk")


def test_causes_that_damage_the_heap_were_seen_to() -> None:
    """The C library said so when a process died: in a baseline, else in the notes."""
    claimed = []
    for one in SHIPPED.values():
        for device in one.corrupts:
            lines = baseline_lines(device).get(one.id, {}).values()
            deaths = [facts for line in lines for _, facts in line.endings if facts.signal]
            if not (
                any(_OF_THE_HEAP.search(facts.message) for facts in deaths)
                or _IN_NOTES.search(one.notes)
            ):
                claimed.append(f"{one.id} on {device}")
    # Their notes say where they write; no process was seen to die of it.
    assert sorted(claimed) == [
        "grouped-mat-mul-as-fully-connected on GPU",
        "scatter-nd-update-of-one-index on GPU",
    ]


def test_a_cause_whose_notes_name_a_right_release_has_a_last_good_one() -> None:
    right = re.compile(r"\b20\d\d\.\d (both )?(is|was|are|were) right")
    own = [one for one in SHIPPED.values() if not (one.last_good or one.fixed)]
    assert [one.id for one in own if right.search(one.notes)] == []


def test_the_last_good_release_of_each_shipped_cause_is_before_the_first_bad_one() -> None:
    found = []
    for cause in SHIPPED.values():
        for device in cause.devices:
            good, since = map(numbers_of, (cause.last_good_on(device), cause.since_on(device)))
            if good and not good < since:
                found.append(f"{cause.id} on {device}: good in {good}, bad since {since}")
    assert found == []


def test_a_release_that_was_not_tried_on_a_device_says_nothing_of_it() -> None:
    """The GPU plugin was tried from 2025.4 on; older releases are those of the CPU."""
    cause = Cause(
        "one", "title", "defect", devices=("CPU", "GPU"), since="2024.3", last_good="2024.2"
    )
    assert (cause.told_since_on("CPU"), cause.last_good_on("CPU")) == ("2024.3", "2024.2")
    assert (cause.told_since_on("GPU"), cause.last_good_on("GPU")) == (
        "2026.4, not tried before",
        "",
    )
    assert replace(cause, last_good="2025.4", since="2026.0").last_good_on("GPU") == "2025.4"


def test_cases_of_other_operations_are_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    name = "not-executed-for-an-empty-input"
    cases = [
        record(f"{operation}/dim-0/f32[0]/-", "FAIL", "known", cause=name, cause_class="defect")
        for operation in ("Abs-1", "Abs-1", "Cos-1")
    ]
    cases[1] = record("Abs-1/dim-0/f16[0]/-", "FAIL", "known", cause=name, cause_class="defect")
    path = str(write(tmp_path / "run.jsonl", header(), *cases))
    assert main(["causes", path, "--operation", "Cos"]) == 0
    assert capsys.readouterr().out.startswith("1 cause on CPU (1 case)\n")
    assert main(["causes", path, "--operation", "Abs", "Nope"]) == 2
    said = capsys.readouterr()
    assert not said.out
    assert said.err == (
        "python -m reports causes: no cause on CPU has a case of an operation 'Nope'\n"
    )
