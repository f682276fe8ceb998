"""Baselines in files: folders that come back as they were written, results files, and the nearest that is shipped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reports.gate import baseline_files, causes
from reports.gate.baseline import Baseline, Ending, Line, Run
from reports.gate.baseline_files import (
    BaselineError,
    families_of,
    folders_of,
    name_of,
    nearest,
    read,
    read_folder,
    read_run,
    write_folder,
)
from reports.results.facts import Extent, Facts
from reports.results.outcomes import Outcome
from reports.results.records import ResultsError, WorstElement
from tests.unit.reports.small_results import HOSTILE, header, record, write

RUN = Run(
    "CPU", "accuracy", "2026.4.1-21000-abc", "x86_64", 'A "CPU" \\ of ü', "1.2", "AVX512_CORE", "f32", True, 3, 50,
    "pairs",
)  # fmt: skip
FAIL = Ending(Outcome.FAIL, Facts(kind="value", output=0))
DEAD = Ending(Outcome.CRASH, Facts(stage="infer", kind="signal", signal="SIGSEGV"))
REFUSED = Ending(
    Outcome.REFUSED,
    Facts(stage="compile", kind="message", message='Check it\'s not "quoted" ok', rule="r-1"),
)
LINES = {
    "Abs-1/plain/f32[2,3]": Line((FAIL,)),
    "Abs-1/type/f64[2,3]/-/values=large": Line((FAIL,), "f64", Extent(1 / 12, 2.5)),
    "Abs-1/type/i64[2,3]": Line((FAIL,), "f64", Extent(0.75, None, ("2,0=-128",))),
    "Abs-1/type/u64[2,3]": Line((FAIL,), "f64", Extent(1.0, None, ("0=1", "0=2"))),
    "Abs-1/type/u4[2,3]": Line((REFUSED,), "no-u4"),
    "Split-1/x/y": Line((FAIL, DEAD), "memory", None, is_nondeterministic=True),
    "Split-1/x/z": Line(
        (Ending(Outcome.PASS), FAIL), "memory", Extent(0.5, None), is_nondeterministic=True
    ),
}
HOSTILE_IDS = [
    "Const-1/plain/string[2]/value=a\tb",
    "Const-1/plain/string[2]/value=a\nb\r",
    "Const-1/plain/string[2]/value=\\t",
    "Const-1/plain/string[2]/value=größe €",
    "Const-1/plain/string[2]/value=\ud800",
    "Const-1/plain/string[2]/value=#",
    "Const-1/plain/string[2]/value= ",
    "Const-1/plain/string[2]/value=\\u00e4ä\x00",
    f"Const-1/{HOSTILE}",
]


def tree(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


# --- round trips --------------------------------------------------------------------------------------------------


def test_a_folder_comes_back_as_it_was_written(tmp_path: Path) -> None:
    folder = tmp_path / "CPU" / "2026.4"
    lines = LINES | {case: Line((FAIL,), "f64", Extent(0.5, 2.0)) for case in HOSTILE_IDS}
    changed = write_folder(folder, Baseline(RUN, lines))
    assert sorted(path.name for path in changed) == [
        "f64.txt",
        "memory.txt",
        "no-cause.txt",
        "no-u4.txt",
        "run.toml",
    ]
    found = read_folder(folder)
    assert (found.run, found.name, found.asked) == (RUN, "CPU 2026.4", None)
    assert dict(found.lines) == {
        case: line._replace(extent=_rounded(line.extent)) for case, line in lines.items()
    }
    # Written again, nothing changes, whatever the order of the lines is.
    backwards = dict(reversed(list(found.lines.items())))
    assert write_folder(folder, Baseline(RUN, backwards)) == []


def _rounded(found: Extent | None) -> Extent | None:
    """As a file has it: four digits of the share, three of the fraction."""
    if found is None:
        return None
    fraction = None if found.fraction is None else float(f"{found.fraction:.3g}")
    return found._replace(share=float(f"{found.share:.4g}"), fraction=fraction)


def test_a_file_reads_well(tmp_path: Path) -> None:
    write_folder(tmp_path, Baseline(RUN, LINES))
    assert (tmp_path / "f64.txt").read_text() == (
        "FAIL output=0 kind=value\n"
        "\tAbs-1/type/f64[2,3]/-/values=large\t0.08333\t2.5\n"
        "\tAbs-1/type/i64[2,3]\t0.75\t\t2,0=-128\n"
        "\tAbs-1/type/u64[2,3]\t1\t\t0=1 | 0=2\n"
    )
    assert (tmp_path / "memory.txt").read_text() == (
        "nondeterministic FAIL output=0 kind=value | CRASH stage=infer kind=signal signal=SIGSEGV\n"
        "\tSplit-1/x/y\n"
        "nondeterministic PASS | FAIL output=0 kind=value\n"
        "\tSplit-1/x/z\t0.5\n"
    )
    assert (tmp_path / "no-cause.txt").read_text() == (
        "FAIL output=0 kind=value\n\tAbs-1/plain/f32[2,3]\n"
    )
    assert 'full_name = "A \\"CPU\\" \\\\ of ü"' in (tmp_path / "run.toml").read_text("utf-8")


def test_only_files_that_change_are_written_and_those_of_causes_without_cases_go(
    tmp_path: Path,
) -> None:
    write_folder(tmp_path, Baseline(RUN, LINES))
    before = {path: path.stat().st_ino for path in tmp_path.iterdir()}
    fewer = {case: line for case, line in LINES.items() if line.cause != "no-u4"}
    fewer["Abs-1/plain/f32[7]"] = Line((FAIL,))
    changed = write_folder(tmp_path, Baseline(RUN, fewer))
    assert sorted(path.name for path in changed) == ["no-cause.txt", "no-u4.txt"]
    assert not (tmp_path / "no-u4.txt").exists()
    kept = {path: path.stat().st_ino for path in tmp_path.iterdir() if path.name != "no-cause.txt"}
    assert kept == {path: before[path] for path in kept}


def test_other_files_of_a_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("ours")
    write_folder(tmp_path, Baseline(RUN, LINES))
    write_folder(tmp_path, Baseline(RUN, {}))
    assert sorted(tree(tmp_path)) == ["README.md", "run.toml"]


IDS = st.builds("{}-1/plain/{}".format, st.sampled_from(["Abs", "Split"]), st.text(min_size=1))
WORDS = st.lists(st.sampled_from(["Check", "it's", "a.b", "größe"]), max_size=3).map(" ".join)
ENDINGS = st.builds(
    Ending,
    st.sampled_from([each for each in Outcome if each.name not in ("ABSENT", "ERROR")]),
    st.builds(
        Facts,
        stage=st.sampled_from(["", "compile", "infer"]),
        inference=st.integers(0, 3),
        output=st.none() | st.integers(0, 3),
        kind=st.sampled_from(["", "not finite", "shape at reading"]),
        signal=st.sampled_from(["", "SIGSEGV", "exit status 3"]),
        message=WORDS,
        computed_as=st.sampled_from(["", "f64 as f32"]),
    ),
)
SHARES = st.sampled_from([0.0, 0.5, 0.25, 1.0])
VALUES = st.lists(st.sampled_from(["0=1", "2,0=a b", "=", "0=ü"]), unique=True, max_size=2)
SEVERITIES = st.builds(
    Extent, SHARES, st.none() | st.sampled_from([0.0, 2.5, 1e9]), VALUES.map(tuple)
)
DRAWN = st.builds(
    Line,
    st.lists(ENDINGS, min_size=1, max_size=3).map(tuple),
    st.sampled_from(["", "f64", "no-u4"]),
    st.none() | SEVERITIES,
    st.booleans(),
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(IDS, DRAWN, max_size=8))
def test_any_lines_come_back(tmp_path_factory: Any, lines: dict[str, Line]) -> None:
    folder = tmp_path_factory.mktemp("any")
    write_folder(folder, Baseline(RUN, lines))
    assert dict(read_folder(folder).lines) == lines


def test_a_value_that_the_file_could_not_tell_from_two_is_not_kept(tmp_path: Path) -> None:
    worst = WorstElement(index=(0,), actual="a | b")
    one = record("A-1/plain/string[2]", "FAIL", wrong=2, elements=2, worst=worst)
    assert one.extent == Extent(1.0, None)


def test_a_case_stands_in_one_file(tmp_path: Path) -> None:
    """After a merge of two branches that took it to two causes it would be excused however it ends."""
    write_folder(tmp_path, Baseline(RUN, {"A-1/x/y": Line((FAIL,), "a")}))
    (tmp_path / "b.txt").write_text("TIMEOUT stage=infer kind=timeout\n\tA-1/x/y\n")
    with pytest.raises(BaselineError, match=r"b\.txt: A-1/x/y stands in it as well as in .*a\.txt"):
        read_folder(tmp_path)


def test_what_two_branches_asked_is_joined(tmp_path: Path) -> None:
    """Rows of both stand in the file after a merge, and each left what the other one took."""
    write_folder(tmp_path, Baseline(RUN, {"A-1/x/y": Line((FAIL,), "a")}))
    rows = ["how\t", "A-1\tplain x", "A-1\tplain type", "left\tA-1/x/y", "left\tA-1/x/z"]
    (tmp_path / "corpus.tsv").write_text("".join(f"{row}\n" for row in rows))
    corpus = read_folder(tmp_path).corpus
    assert corpus is not None
    assert corpus.purposes == {"A-1": {"plain", "type", "x"}}
    assert corpus.left == {"A-1/x/z"}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("A-1\tplain", "the last line is cut off"),
        ("<<<<<<< ours\n", "line 1: expected a name, a tab"),
        ("\tplain\n", "line 1: expected a name, a tab"),
    ],
)
def test_what_a_run_asked_cannot_be_damaged(tmp_path: Path, text: str, told: str) -> None:
    write_folder(tmp_path, Baseline(RUN, LINES))
    (tmp_path / "corpus.tsv").write_text(text)
    with pytest.raises(BaselineError, match=rf"corpus\.tsv: {told}"):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ('depth = "foo"', "depth is one of single, pairs, all"),
        ("random = -5", "random is 0 or more"),
        ('isaa = "AVX2"', "no such field: isaa"),
        ('openvino = ""', "no release of OpenVINO"),
        (None, "it names no device"),
    ],
)
def test_a_run_is_told_wholly_and_rightly(tmp_path: Path, change: str | None, told: str) -> None:
    write_folder(tmp_path, Baseline(RUN, LINES))
    path = tmp_path / "run.toml"
    name = (change or "").partition(" ")[0]
    rows = [row for row in path.read_text().splitlines() if not row.startswith(f"{name} =")]
    path.write_text("" if change is None else "\n".join([*rows, change]))
    with pytest.raises(BaselineError, match=rf"run\.toml: .*{told}"):
        read_folder(tmp_path)


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, told",
    [
        ("\tA-1/x\n", "line 1: a case before the line that says how it ended"),
        ("FAIL\n\tA-1/x\nFAILED\n\tA-1/y\n", "line 3: 'FAILED' is not a valid Outcome"),
        ("FAIL kind=odd\n", "line 1: "),
        ("FAIL kinds=value\n", "line 1: no such fact: kinds"),
        ("FAIL output=one\n", "line 1: invalid literal"),
        ("FAIL output=-1\n", "line 1: "),
        ("FAIL | \n", "line 1: an outcome is missing"),
        ("nondeterministic\n", "line 1: an outcome is missing"),
        ("FAIL 'a\n", "line 1: No closing quotation"),
        ("FAIL\n\tA-1/x\t2.0\n", "line 2: expected a share from 0 to 1"),
        ("FAIL\n\tA-1/x\t0.5\t-1\n", "line 2: expected a share from 0 to 1, and a fraction"),
        ("FAIL\n\tA-1/x\t0.5\tnan\n", "line 2: expected a share from 0 to 1, and a fraction"),
        ("FAIL\n\tA-1/x\tmany\n", "line 2: could not convert"),
        ("FAIL\n\tA-1/x\t0.5\t1\t0=1\t7\n", "line 2: expected at most a share, a fraction and"),
        ("FAIL\n\n# a remark\nFAIL\n\tA-1/x\tnan\n", "line 5: expected a share"),
        ("FAIL\n\tA-1/\\x\n", "line 2: "),
        ("FAIL\n\tA-1/x\n\tA-1/y/f32[2", "the last line is cut off"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, text: str, told: str) -> None:
    write_folder(tmp_path, Baseline(RUN))
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(BaselineError) as caught:
        read_folder(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'a.txt'}: {told}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    write_folder(tmp_path, Baseline(RUN))
    (tmp_path / "a.txt").write_bytes(b"\xff\xfe")
    with pytest.raises(BaselineError, match=r"a\.txt: cannot be read: "):
        read_folder(tmp_path)


@pytest.mark.parametrize(
    "text, told",
    [
        (None, "cannot be read: No such file"),
        ("device = ", "run.toml: "),
        ("device = 3\n", "Expected `str`, got `int`"),
        ("random = -1.5\n", "Expected `int`"),
    ],
)
def test_a_run_that_cannot_be_read(tmp_path: Path, text: str | None, told: str) -> None:
    if text is not None:
        (tmp_path / "run.toml").write_text(text)
    with pytest.raises(BaselineError, match=told) as caught:
        read_run(tmp_path)
    assert str(tmp_path / "run.toml") in str(caught.value)
    assert "\n" not in str(caught.value)


# --- given ones ---------------------------------------------------------------------------------------------------


def test_a_folder_that_is_given(tmp_path: Path) -> None:
    write_folder(tmp_path / "ours", Baseline(RUN, LINES))
    ((name, found),) = read(tmp_path / "ours").items()
    assert name == name_of("CPU", "accuracy") == "CPU (accuracy)"
    assert found.is_given
    assert found.lines.keys() == LINES.keys()


def test_results_are_a_baseline_of_each_target(tmp_path: Path) -> None:
    facts = Facts(kind="value", output=0)
    path = write(
        tmp_path / "main.jsonl",
        header(devices=("CPU", "GPU")),
        record("A-1/x/f32[2]"),
        record("A-1/y/f32[2]", "FAIL", facts=facts),
        record("A-1/x/f32[2]", "CRASH", device="GPU"),
    )
    found = read(path)
    assert list(found) == ["CPU (accuracy)", "GPU (accuracy)"]
    cpu = found["CPU (accuracy)"]
    assert dict(cpu.lines) == {"A-1/y/f32[2]": Line((Ending(Outcome.FAIL, facts),))}
    assert cpu.asked == {"A-1/x/f32[2]", "A-1/y/f32[2]"}
    assert (cpu.run.openvino, cpu.run.device, cpu.name) == ("2026.4.1-21000-abc", "CPU", str(path))
    assert list(found["GPU (accuracy)"].lines) == ["A-1/x/f32[2]"]


def test_results_of_a_nondeterministic_cause_are_not_compared_by_value(tmp_path: Path) -> None:
    # Memory that nobody wrote: the same defect, and another number in each run.
    facts = Facts(kind="value", output=0)
    records = [
        record(f"A-1/{cause}/f32[2]", "FAIL", facts=facts, cause=cause, wrong=1, elements=2)
        for cause in ("by-chance", "always")
    ]
    path = write(tmp_path / "main.jsonl", header(), *records)
    ((_, found),) = read(path, frozenset({"by-chance"})).items()
    by_chance, always = (found.lines[one.case] for one in records)
    assert (by_chance.is_nondeterministic, always.is_nondeterministic) == (True, False)
    worse = [replace(one, wrong=2) for one in records]
    assert not by_chance.is_exceeded_by(worse[0])
    assert always.is_exceeded_by(worse[1])


def test_what_cannot_be_given(tmp_path: Path) -> None:
    with pytest.raises(
        BaselineError, match=r"ours: there is no .* --baseline .*ours --take all` makes"
    ):
        read(tmp_path / "ours")
    with pytest.raises(BaselineError, match=r"ours\.jsonl: there is no such file or folder$"):
        read(tmp_path / "ours.jsonl")
    with pytest.raises(BaselineError, match=r"run\.toml: cannot be read: No such file"):
        read(tmp_path)
    with pytest.raises(BaselineError, match="no case in these results"):
        read(write(tmp_path / "empty.jsonl", header()))
    (tmp_path / "notes").write_text("my notes")
    with pytest.raises(ResultsError, match=r"notes:1: "):
        read(tmp_path / "notes")


# --- the nearest --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "device, families",
    [
        ("CPU", ["CPU"]),
        ("GPU.1", ["GPU_1", "GPU"]),
        ("AUTO:GPU,CPU", ["AUTO_GPU_CPU", "GPU"]),
        ("BATCH:CPU(4)", ["BATCH_CPU_4_", "CPU"]),
        ("HETERO:NPU,CPU", ["HETERO_NPU_CPU", "NPU"]),
        ("PYTHON:a.b", ["PYTHON_a_b"]),
    ],
)
def test_families_of_devices(device: str, families: list[str]) -> None:
    assert families_of(device) == families


def shipped(directory: Path, name: str, **changes: Any) -> None:
    run = Run(**{**vars(RUN), **changes})
    write_folder(directory / families_of(run.device)[-1] / name, Baseline(run))


@pytest.mark.parametrize(
    "change, name",
    [
        ({}, "2026.4"),
        ({"openvino": "2026.4.9-1"}, "2026.4"),
        ({"openvino": "2026.5.0-1"}, "2026.4"),
        ({"openvino": "2030.0.0-1"}, "2026.4"),
        ({"openvino": "2025.4.0-1"}, "2025.4"),
        ({"openvino": "2025.3.0-1"}, "2025.4"),
        ({"isa": "AVX2"}, "2026.4-AVX2"),
        ({"isa": "SSE41"}, "2026.4"),
        # The release comes before the kernels, the profile before the release.
        ({"openvino": "2025.4.0", "isa": "AVX2"}, "2025.4"),
        ({"profile": "performance", "openvino": "2025.4.0"}, "2026.4-performance"),
        ({"architecture": "aarch64"}, "2026.3-arm"),
        ({"device": "AUTO:CPU,GPU"}, "2026.4"),
    ],
)
def test_the_nearest_baseline(tmp_path: Path, change: dict[str, Any], name: str) -> None:
    shipped(tmp_path, "2026.4")
    shipped(tmp_path, "2025.4", openvino="2025.4.0-1")
    shipped(tmp_path, "2026.4-AVX2", isa="AVX2")
    shipped(tmp_path, "2026.4-performance", profile="performance")
    shipped(tmp_path, "2026.3-arm", architecture="aarch64", openvino="2026.3.0")
    shipped(tmp_path, "2026.4", device="GPU")
    found = nearest(Run(**{**vars(RUN), **change}), tmp_path)
    assert found == tmp_path / "CPU" / name


def test_a_device_of_its_own_comes_before_its_family(tmp_path: Path) -> None:
    shipped(tmp_path, "2026.4")
    assert nearest(Run(**{**vars(RUN), "device": "NPU"}), tmp_path) is None
    run = Run(**{**vars(RUN), "device": "AUTO:CPU"})
    write_folder(tmp_path / "AUTO_CPU" / "2025.1", Baseline(run))
    assert folders_of("AUTO:CPU", tmp_path) == [tmp_path / "AUTO_CPU" / "2025.1"]
    assert nearest(run, tmp_path) == tmp_path / "AUTO_CPU" / "2025.1"


def test_of_cards_the_name_comes_first(tmp_path: Path) -> None:
    card = {"device": "GPU", "isa": "", "driver": "24.1"}
    shipped(tmp_path, "2026.4", **card, full_name="A")
    shipped(tmp_path, "2026.3-b", **card, full_name="B", openvino="2026.3.0")
    run = Run(**{**vars(RUN), **card, "full_name": "B", "driver": "25.0"})
    assert nearest(run, tmp_path) == tmp_path / "GPU" / "2026.3-b"


SHIPPED = sorted(path.parent for path in baseline_files.DIRECTORY.glob("*/*/run.toml"))
each_shipped = pytest.mark.parametrize("folder", SHIPPED, ids=lambda path: path.parent.name)


@each_shipped
def test_a_shipped_baseline_is_as_it_would_be_written(folder: Path) -> None:
    found = read_folder(folder)
    assert found.lines
    assert folders_of(found.run.device) == [
        each for each in SHIPPED if each.parent == folder.parent
    ]
    texts = tree(folder)
    assert write_folder(folder, found) == []
    assert tree(folder) == texts


@each_shipped
def test_the_causes_that_a_shipped_baseline_names_are_there(folder: Path) -> None:
    named = {line.cause for line in read_folder(folder).lines.values()} - {""}
    assert sorted(named - set(causes.load().by_id)) == []
