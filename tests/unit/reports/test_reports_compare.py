"""Two runs compared."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.commands.compare import document
from reports.gate import baseline_files
from reports.gate.causes import load as load_causes
from reports.gate.decision import targets_of
from reports.results.facts_of_departures import Facts
from reports.results.files.reading import Results, load
from reports.results.outcomes import RED, Gate, Outcome
from reports.results.records import NOT_ENDED, ResultsError, Selection
from reports.views.comparing.comparison import CATEGORIES, compare
from reports.views.documents import as_text
from tests.unit.reports.small_results import HOSTILE, header, record, write


def categories_of(old, new, **options):
    """The categories of a case that two runs have."""
    found = compare(results(old), results(new), **options).differences
    return " ".join(name for one in found for name in one.categories)


def results(*records, version="2026.4.1-1", **facts):
    targets = {(one.device, one.profile) for one in records}
    head = header(version, **facts)
    stated = [
        replace(head.targets[0], device=device, profile=profile) for device, profile in targets
    ]
    return Results([replace(head, targets=stated)], list(records))


@pytest.mark.parametrize(
    "old, new, categories",
    [
        ("PASS", "PASS", ""),
        ("PASS", "FAIL", "broken"),
        ("QUALITY", "CRASH", "broken"),
        ("PASS", "REFUSED", "broken"),
        ("FAIL", "REFUSED", "worse"),
        ("CRASH", "REFUSED", "better"),
        ("REFUSED", "REFUSED", ""),
        ("FAIL", "PASS", "fixed"),
        ("REFUSED", "QUALITY", "fixed"),
        ("FAIL", "CRASH", "worse"),
        ("REFUSED", "FAIL", "worse"),
        ("CRASH", "FAIL", "worse"),
        ("PASS", "QUALITY", "changed"),
        ("QUALITY", "PASS", "changed"),
        ("PASS", "ABSENT", "no-verdict"),
        ("ABSENT", "PASS", "changed"),
        ("CRASH", "ABSENT", "no-verdict"),
        ("CRASH", "ERROR", "no-verdict"),
        ("ABSENT", "FAIL", "new"),
    ],
)
def test_categories_of_a_valid_layer(old, new, categories):
    assert categories_of(record(outcome=old), record(outcome=new)) == categories


@pytest.mark.parametrize(
    "old, new, categories",
    [
        ("FOLDED", "FOLDED", ""),
        ("FOLDED", "PASS", "changed"),
        ("FOLDED", "FAIL", "broken"),
        ("REFUSED", "FOLDED", "fixed"),
        ("FOLDED", "REFUSED", "broken"),
    ],
)
def test_categories_of_a_layer_that_must_be_folded(old, new, categories):
    before, after = (record(outcome=one, expected_outcome=Outcome.FOLDED) for one in (old, new))
    assert categories_of(before, after) == categories


@pytest.mark.parametrize(
    "old, new, categories",
    [
        ((1, 2.0), (1, 2.0), ""),
        ((1, 2.0), (10, 2.0), "worse"),
        ((1, 2.0), (1, 40.0), "worse drift"),
        ((1, 2.0), (1, 5.0), "drift"),
        ((10, 40.0), (1, 2.0), ""),
        ((1, 1.7e308), (10, 1.7e308), "worse"),
        ((1, 2.0), (1, 1.7e308), "worse drift"),
    ],
)
def test_a_failure_that_is_clearly_more_wrong_is_worse(old, new, categories):
    before, after = (
        record(outcome="FAIL", wrong=wrong, elements=10, fraction=fraction)
        for wrong, fraction in (old, new)
    )
    assert categories_of(before, after) == categories


def test_a_worse_failure_says_how_much_of_it_is_wrong():
    old, new = (
        results(record(outcome="FAIL", wrong=wrong, elements=10, fraction=2.0, detail="d"))
        for wrong in (1, 10)
    )
    text = as_text(document(compare(old, new)))
    assert "10% of the elements, 2 times the bound, now 100% of the elements, 2 times" in text


def test_a_run_that_was_cut_off_is_told(tmp_path, capsys):
    whole = header(ended="2026-01-02T03:04:05+00:00", selection=Selection(depth="single"))
    old = write(tmp_path / "old.jsonl", whole, record())
    new = write(tmp_path / "new.jsonl", replace(whole, ended=NOT_ENDED), record())
    assert main(["compare", str(old), str(new)]) == 1
    first, second, *_ = filter(None, capsys.readouterr().out.splitlines())
    assert first == "No difference; 1 case without a difference"
    assert second == "INCOMPLETE, the new results: CPU (accuracy): cut off before its end."
    # Of the run to compare with as well.
    assert main(["compare", str(new), str(old)]) == 1
    assert "INCOMPLETE, the old results" in capsys.readouterr().out
    for options in (["--partial"], ["--fail-on", "none"]):
        assert main(["compare", str(old), str(new), *options]) == 0
        assert "INCOMPLETE" in capsys.readouterr().out
    assert main(["compare", str(old), str(old)]) == 0
    assert "INCOMPLETE" not in capsys.readouterr().out


def test_a_nondeterministic_cause_of_ones_own(tmp_path, capsys):
    own = tmp_path / "causes"
    own.mkdir()
    (own / "a-race.toml").write_text(
        'title = "a race"\nclass = "defect"\ndevices = ["CPU"]\nnondeterministic = "races"\n'
    )
    paths = []
    for name, fraction in (("old", 2.0), ("new", 2e9)):
        one = record(outcome="FAIL", cause="a-race", wrong=1, elements=6, fraction=fraction)
        paths.append(str(write(tmp_path / f"{name}.jsonl", header(), one)))
    assert main(["compare", *paths]) == 1
    assert main(["compare", *paths, "--causes", str(own)]) == 0
    capsys.readouterr()


DEPARTURES = {
    "value": record(outcome="FAIL", facts=Facts(kind="value", output=0), wrong=1, elements=6, fraction=2.0),
    "more wrong": record(outcome="FAIL", facts=Facts(kind="value", output=0), wrong=6, elements=6, fraction=2.0),
    "other output": record(outcome="FAIL", facts=Facts(kind="value", output=1), wrong=1, elements=6, fraction=2.0),
    "not finite": record(outcome="FAIL", facts=Facts(kind="not finite", output=0), wrong=1, elements=6),
    "shape": record(outcome="FAIL", facts=Facts(kind="shape", output=0)),
    "type": record(outcome="FAIL", facts=Facts(kind="type", output=0)),
    "narrowed": record(outcome="FAIL", facts=Facts(kind="value", output=0, computed_as="f64 as f32")),
    "no kernel": record(outcome="REFUSED", facts=Facts(stage="compile", kind="message", message="no kernel")),
    "read": record(outcome="REFUSED", facts=Facts(stage="read", kind="message", message="no kernel")),
    "infer": record(outcome="REFUSED", facts=Facts(stage="infer", kind="message", message="no kernel")),
    "other words": record(outcome="REFUSED", facts=Facts(stage="compile", kind="message", message="a bug")),
    "crash": record(outcome="CRASH", facts=Facts(stage="infer", kind="signal", signal="SIGSEGV")),
    "abort": record(outcome="CRASH", facts=Facts(stage="infer", kind="signal", signal="SIGABRT")),
    "hang": record(outcome="TIMEOUT", facts=Facts(stage="infer", kind="timeout")),
    "flake": record(outcome="FLAKE", facts=Facts(kind="two answers", output=0)),
    "folded": record(outcome="FOLDED"),
}  # fmt: skip


@pytest.mark.parametrize("version", ["2026.4.1-1", "2026.5.0-1"])
def test_each_category_is_what_the_gate_decides_with_the_old_results_as_baseline(
    tmp_path, capsys, version
):
    endings = {
        **DEPARTURES,
        "pass": record(),
        "quality": record(outcome="QUALITY"),
        "error": record(outcome="ERROR"),
    }
    names = {
        f"A-1/plain/f32[{first},{second}]": (before, after)
        for first, before in enumerate(endings, 1)
        for second, after in enumerate(endings, 1)
    }
    paths = []
    for side, head in enumerate((header(), header(version))):
        ended = [
            replace(endings[pair[side]], case=case, operation="A-1") for case, pair in names.items()
        ]
        paths.append(str(write(tmp_path / f"{side}.jsonl", head, *ended)))
    given = baseline_files.read(Path(paths[0]))
    target = targets_of(header(version), load_causes(), given)["CPU", "accuracy"]
    by_gate = {names[one.case]: target.decide(one) for one in load(paths[1]).records}
    assert main(["compare", *paths, "--json"]) == 1
    told = {
        names[one["case"]]: one["categories"]
        for one in json.loads(capsys.readouterr().out)["cases"]
    }
    for pair, one in by_gate.items():
        found = told.get(pair, [])
        if one.gate is Gate.IMPROVED:
            assert found == ["fixed" if one.conforms else "better"], pair
        elif one.gate in (*RED, Gate.REWORDED, Gate.NEW_CASE):
            assert found == [str(one.gate).replace(" ", "-")], pair
        else:
            assert not {*found} - {"changed"}, pair
    assert not any(before == after and before != "error" for before, after in told)
    # The same outcome in another way is another departure.
    for pair in (
        ("value", "shape"),
        ("value", "not finite"),
        ("shape", "type"),
        ("value", "other output"),
        ("no kernel", "infer"),
        ("crash", "abort"),
    ):
        assert told[pair] == ["worse"], pair


def test_what_a_simpler_case_explains_is_counted_with_it_as_in_a_run():
    """The gate counts a departure that a part explains as that part."""
    ids = ["Add-1/type/f64[2,3]/-", "Add-1/type/f64[2,3]/-/shape=dims"]
    old, new = (
        results(*(
            record(one, outcome, purpose="type", inputs=["f64[2,3]"],
                   how={"shape": "dims"} if "dims" in one else {},
                   facts=Facts(stage="compile", kind="message", message="no") if outcome == "REFUSED" else Facts())
            for one in ids
        ))
        for outcome in ("PASS", "REFUSED")
    )  # fmt: skip
    assert compare(old, new).counts() == {"broken": 1, "explained": 1}
    new.records = [replace(one, added=one.how == {}) for one in new.records]
    assert compare(old, new).counts() == {"broken": 1}


def test_a_departure_of_the_same_outcome_says_what_it_was():
    old, new = (
        results(
            record(
                outcome="FAIL", facts=Facts(kind=kind, output=0), detail=f"a {kind} that is wrong"
            )
        )
        for kind in ("value", "shape")
    )
    text = as_text(document(compare(old, new)))
    assert "FAIL → FAIL" in text
    assert "a value that is wrong; now a shape that is wrong" in text


RACE = """\
title = "a race"
class = "defect"
devices = ["CPU"]
nondeterministic = "races"

[[select]]
operation = ["SpaceToDepth-1"]
outcome = ["FAIL"]

[[select]]
operation = ["SpaceToDepth-1"]
outcome = ["REFUSED"]
stage = ["infer"]
"""


@pytest.mark.parametrize(
    "before, after, categories",
    [
        # Elements that nobody wrote may have any value; there are not more of them.
        ("value", "not finite", ""),
        ("value", "more wrong", "worse"),
        # Whatever else happens by chance the cause says.
        ("value", "infer", "changed"),
        ("read", "value", "changed"),
        ("value", "crash", "worse"),
        ("infer", "crash", "worse"),
        ("hang", "flake", "worse"),
        ("no kernel", "crash", "worse"),
        ("no kernel", "other words", "worse"),
    ],
)
def test_only_some_departures_come_by_chance(tmp_path, before, after, categories):
    (tmp_path / "a-race.toml").write_text(RACE)
    old, new = (replace(DEPARTURES[name], cause="a-race") for name in (before, after))
    assert categories_of(old, new, causes=load_causes(tmp_path)) == categories


def test_only_in_one():
    one, other = record("A-1/a"), record("A-1/b")
    assert compare(results(one), results(one, other)).counts() == {"extra": 1}
    assert compare(results(one, other), results(one)).counts() == {"gone": 1}
    failing = replace(other, outcome=Outcome.FAIL)
    assert compare(results(one), results(one, failing)).counts() == {"new": 1}


@pytest.mark.parametrize(
    "old, new, factor, drifted",
    [
        (0.2, 0.5, 2.0, True),
        (0.2, 0.4, 2.0, False),
        (0.2, 0.5, 3.0, False),
        (0.0, 0.2, 2.0, True),
        (0.0, 0.09, 2.0, False),
        (None, 0.9, 2.0, False),
        (0.9, None, 2.0, False),
        (0.5, 0.1, 2.0, False),
    ],
)
def test_drift(old, new, factor, drifted):
    found = categories_of(record(fraction=old), record(fraction=new), drift=factor)
    assert found == "drift" * drifted


def test_a_broken_case_does_not_drift_too():
    old, new = record(fraction=0.1), record(outcome="FAIL", fraction=9)
    assert categories_of(old, new) == "broken"


def test_cases_that_are_the_same_are_counted_and_differences_sorted():
    old = results(record("C-1/x"), record("B-1/x"), record("A-1/x"))
    new = results(record("A-1/x", "FAIL"), record("B-1/x"), record("C-1/x", "CRASH"))
    comparison = compare(old, new)
    assert comparison.same == 1
    assert [one.case for one in comparison.differences] == ["A-1/x", "C-1/x"]
    assert comparison.counts() == {"broken": 2}


def test_targets_in_common_are_compared_and_the_others_told():
    old = results(record(), record(device="GPU"))
    new = results(record(outcome="FAIL"), record(profile="performance"))
    comparison = compare(old, new)
    assert comparison.counts() == {"broken": 1, "gone": 1, "extra": 1}
    text = as_text(document(comparison))
    assert "Only in the old results: GPU (accuracy)." in text
    assert "Only in the new results: CPU (performance)." in text


def test_one_device_is_compared_with_another_and_that_is_said():
    comparison = compare(results(record()), results(record(outcome="FAIL", device="GPU")))
    assert comparison.counts() == {"broken": 1}
    text = as_text(document(comparison))
    assert "CPU (accuracy) of the old results is compared with GPU (accuracy) of the new." in text


def test_devices_are_paired_by_profile():
    old = results(record(), record(profile="performance"))
    new = results(record(device="GPU"), record(device="GPU", profile="performance"))
    comparison = compare(old, new)
    assert (comparison.same, len(comparison.pairs)) == (2, 2)


def test_targets_that_do_not_correspond():
    old = results(record(), record(device="GPU"))
    new = results(record(device="NPU"), record(device="CORE"))
    with pytest.raises(
        ResultsError, match=r"no device and profile in common: CPU \(accuracy\) and"
    ):
        compare(old, new)
    with pytest.raises(ResultsError, match="no case to compare"):
        compare(results(), new)


def test_what_the_runs_differ_in_is_told():
    old = results(record(), version="2025.4.0-7", suite="0.0.9", random=5)
    new = results(record())
    old.runs[0] = replace(old.runs[0], selection=Selection(depth="single"))
    new.runs[0] = replace(new.runs[0], selection=Selection(depth="pairs"))
    (target,) = new.runs[0].targets
    settings = {"INFERENCE_PRECISION_HINT": "bf16", "N": "1"}
    new.runs[0] = replace(new.runs[0], targets=[replace(target, settings=settings)])
    text = as_text(document(compare(old, new)))
    rows = [line.split() for line in text.splitlines()]
    assert ["OpenVINO", "2025.4.0", "2026.4.1"] in rows
    assert ["suite", "0.0.9", "0.1.0"] in rows
    assert ["random", "5", "10"] in rows
    assert ["depth", "single", "pairs"] in rows
    assert not any(row[:1] == ["processor"] for row in rows)
    assert (
        "Settings of CPU (accuracy) that differ: "
        "INFERENCE_PRECISION_HINT (f32, now bf16) and N (not set, now 1)." in text
    )


def test_that_the_kernels_differ_is_told_first():
    runs = []
    for isa in ("AVX2", "AVX512"):
        run = results(record())
        (target,) = run.runs[0].targets
        run.runs[0] = replace(run.runs[0], targets=[replace(target, isa=isa)])
        runs.append(run)
    text = as_text(document(compare(*runs)))
    first, *others = filter(None, text.splitlines())
    assert first.startswith("No difference")
    assert others[0] == (
        "The instruction sets of CPU (accuracy) differ: AVX2 in the old results, AVX512 in the new."
    )
    assert ["kernels", "AVX2", "AVX512"] in [line.split() for line in others]
    text = as_text(document(compare(runs[0], runs[0])))
    assert "kernels" not in text


def test_the_document_says_what_happened_to_each():
    old = results(
        record("A-1/a", detail="was right"),
        record("A-1/b", "FAIL", detail="was wrong"),
        record("B-1/c", fraction=0.2),
        record("B-1/d", seconds=1.0, pack_size=1),
    )
    new = results(
        record("A-1/a", "FAIL", detail="now wrong"),
        record("A-1/b"),
        record("B-1/c", fraction=0.8),
        record("B-1/d", seconds=5.0, pack_size=1),
    )
    text = as_text(document(compare(old, new)))
    assert text.startswith("1 broken, 1 fixed, 1 drift, 1 slower; 0 cases without a difference\n")
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "PASS → FAIL A-1/a now wrong" in lines
    assert "FAIL → PASS A-1/b was wrong" in lines
    assert "PASS B-1/c 0.2 of the bound, now 0.8" in lines
    assert "PASS B-1/d 1 s, now 5 s" in lines
    assert "total 1 1 1 1" in lines


def test_long_lists_are_capped():
    new = results(*(record(f"A-1/{number:03}", "FAIL") for number in range(100)))
    old = results(*(record(f"A-1/{number:03}") for number in range(100)))
    text = as_text(document(compare(old, new), 30))
    assert text.count("A-1/") == 30
    assert "… 100 cases of this reason in total" in text


def test_what_the_cases_of_one_reason_share_is_told_although_all_are_listed():
    ids = [f"{name}/type/f64[2,{size}]/-" for name in ("Add-1", "Elu-1") for size in (3, 4)]
    told = {"detail": "no kernel", "facts": Facts(stage="compile", message="no kernel")}
    new = results(
        *(record(one, "REFUSED", inputs=[one.split("/")[2]], **told) for one in ids),
        record("Add-1/type/f32[2,3]/-", inputs=["f32[2,3]"]),
    )
    old = results(*(record(one) for one in ids), record("Add-1/type/f32[2,3]/-"))
    lines = [" ".join(line.split()) for line in as_text(document(compare(old, new))).splitlines()]
    assert sum("→ REFUSED" in line for line in lines) == 4
    assert "all type=f64" in lines


class TestCommand:
    @pytest.fixture
    def files(self, tmp_path):
        old = write(
            tmp_path / "old.jsonl",
            header("2025.4.0-1"),
            record("A-1/a"),
            record("A-1/b", "FAIL"),
            record("A-1/c"),
        )
        new = write(
            tmp_path / "new.jsonl",
            header(),
            record("A-1/a", "FAIL", detail=HOSTILE),
            record("A-1/b"),
            record("A-1/" + HOSTILE),
        )
        return [str(old), str(new)]

    @pytest.mark.parametrize(
        "options, code",
        [
            ([], 1),
            (["--fail-on", "none"], 0),
            (["--fail-on", "worse,better"], 0),
            (["--fail-on", "regressed"], 1),
            (["--fail-on", "fixed"], 1),
            (["--fail-on", "extra"], 1),
            (["--fail-on", "gone"], 1),
            (["--fail-on", "drift,slower,changed"], 0),
        ],
    )
    def test_exit_code(self, files, options, code, capsys):
        assert main(["compare", *files, *options]) == code

    def test_nothing_differs(self, files, capsys):
        assert main(["compare", files[0], files[0], "--fail-on", ",".join(CATEGORIES)]) == 0
        assert capsys.readouterr().out.startswith("No difference; 3 cases without a difference\n")

    @pytest.mark.parametrize(
        "options",
        [["--fail-on", "broke"], ["--drift", "1"], ["--slower", "x"], ["--drift", "nan"]],
    )
    def test_wrong_usage(self, files, options, capsys):
        with pytest.raises(SystemExit) as caught:
            main(["compare", *files, *options])
        assert caught.value.code == 2

    def test_text_and_markdown_stay_in_their_lines(self, files, capsys):
        for options in ([], ["--markdown"]):
            main(["compare", *files, *options])
            out = capsys.readouterr().out
            assert all(line.isprintable() for line in out.splitlines())
            assert len([line for line in out.splitlines() if "script" in line]) == 2

    def test_json(self, files, capsys):
        main(["compare", *files, "--json"])
        content = json.loads(capsys.readouterr().out)
        assert content["counts"] == dict.fromkeys(CATEGORIES, 0) | {
            "regressed": 1,
            "fixed": 1,
            "extra": 1,
            "gone": 1,
        }
        assert content["compared"] == [
            {side: {"device": "CPU", "profile": "accuracy"} for side in ("old", "new")}
        ]
        assert content["old"]["openvino"] == ["2025.4.0"]
        by_case = {one["case"]: one for one in content["cases"]}
        assert by_case["A-1/a"]["new"]["detail"] == HOSTILE
        assert by_case["A-1/c"]["categories"] == ["gone"]
        assert by_case["A-1/c"]["new"] is None

    def test_html(self, files, tmp_path):
        out = tmp_path / "page.html"
        assert main(["compare", *files, "--html", "--out", str(out)]) == 1
        text = out.read_text()
        assert "<title>OpenVINO 2025.4.0 and 2026.4.1 compared</title>" in text
        assert "<script" not in text
        assert "&lt;script&gt;" in text

    def test_runs_of_shards_are_compared_when_merged(self, files, tmp_path, capsys):
        merged = tmp_path / "merged.jsonl"
        main(["merge", files[0], "--out", str(merged)])
        assert main(["compare", files[0], str(merged)]) == 0
        assert load(merged).openvino_versions() == ["2025.4.0"]


@pytest.mark.parametrize(
    "before, after, category",
    [
        ("COMPILED", "CRASH", "broken"),
        ("COMPILED", "FAIL", "broken"),
        ("COMPILED", "REFUSED", "broken"),
        ("COMPILED", "PASS", "changed"),
        ("PASS", "COMPILED", "changed"),
        ("REFUSED", "COMPILED", "fixed"),
    ],
)
def test_what_was_only_compiled(before, after, category):
    old, new = (results(record(outcome=outcome)) for outcome in (before, after))
    (found,) = compare(old, new).differences
    assert found.categories == (category,)


def test_of_a_device_that_only_compiles_fixed_means_compiled():
    old, new = (results(record(outcome=outcome)) for outcome in ("REFUSED", "COMPILED"))
    for one in (old, new):
        (head,) = one.runs
        head.targets[0] = replace(head.targets[0], compile_only=True)
    text = as_text(document(compare(old, new)))
    assert (
        "compiled, values not checked. fixed: it compiles now; broken or regressed: it no longer compiles"
        in text
    )
    assert "values not checked" not in as_text(
        document(compare(results(record()), results(record())))
    )
