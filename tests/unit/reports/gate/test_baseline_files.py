"""Baselines in files: folders that come back as they were written, results files, and the nearest that is shipped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace as replaced
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reports.gate import baseline_files, causes
from reports.gate.asked import AskedCases
from reports.gate.baseline import Baseline, Ending, KnownCase, Line, Run
from reports.gate.baseline_files import (
    PRECISION,
    BaselineError,
    beside,
    chain,
    families_of,
    folders_of,
    name_of,
    nearest,
    read,
    read_folder,
    read_run,
    rebased,
    texts_of,
    write_folder,
)
from reports.gate.baseline_files import above as above_of
from reports.gate.review import REVIEW
from reports.results.facts_of_departures import Extent, Facts
from reports.results.outcomes import Outcome
from reports.results.records import ResultsError, WorstElement
from tests.unit.reports.gate.shipped_baselines import FOLDERS, shipped_baseline
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
    "Abs-1/plain/f32[2,3]": Line((FAIL,), digest="abcdef0123"),
    "Abs-1/type/f64[2,3]/-/values=large": Line((FAIL,), "f64", Extent(1 / 12, 2.5)),
    "Abs-1/type/i64[2,3]": Line((FAIL,), "f64", Extent(0.75, None, ("2,0=-128",))),
    "Abs-1/type/u64[2,3]": Line(
        (FAIL,), "f64", Extent(1.0, None, ("0=1", "0=2")), digest="0123456789"
    ),
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

CATEGORIES = {"Abs-1": "arithmetic", "Split-1": "movement"}


def made(
    lines: Mapping[str, Line], asked: Iterable[str] = (), run: Run = RUN, **other: Any
) -> Baseline:
    """A baseline whose run asked cases, those with a line included."""
    which = AskedCases.of([*lines, *asked])
    return Baseline(run, lines, which, **{"categories": CATEGORIES, **other})


def wrote(folder: Path, baseline: Baseline, precision: str | None = None) -> list[str]:
    """Write a folder; return the names of the files that changed."""
    return sorted(path.name for path in write_folder(folder, texts_of(baseline, precision)))


def test_a_folder_comes_back_as_it_was_written(tmp_path: Path) -> None:
    folder = tmp_path / "CPU" / "2026.4"
    lines = LINES | {case: Line((FAIL,), "f64", Extent(0.5, 2.0)) for case in HOSTILE_IDS}
    passed = "Abs-1/plain/f32[9]"
    baseline = made(lines, [passed])
    files = ["arithmetic.txt", "asked.tsv", "movement.txt", "other.txt", "run.toml"]
    assert wrote(folder, baseline) == files
    found = read_folder(folder)
    assert (found.run, found.name, found.folder) == (RUN, "CPU 2026.4", folder)
    assert dict(found.lines) == {
        case: line._replace(extent=_rounded(line.extent)) for case, line in lines.items()
    }
    assert found.asked == baseline.asked
    assert found.categories == {"Const-1": "other", **CATEGORIES}
    # Written again, nothing changes, whatever the order of the lines is.
    backwards = dict(reversed(lines.items()))
    assert wrote(folder, made(backwards, [passed])) == []
    assert wrote(folder, found) == []


def _rounded(found: Extent | None) -> Extent | None:
    """The form in a file: of the share four digits, of the fraction three."""
    if found is None:
        return None
    fraction = None if found.fraction is None else float(f"{found.fraction:.3g}")
    return found._replace(share=float(f"{found.share:.4g}"), fraction=fraction)


def test_a_file_reads_well(tmp_path: Path) -> None:
    wrote(tmp_path, made(LINES), "cause\n")
    assert (tmp_path / "arithmetic.txt").read_text() == (
        "f64: FAIL output=0 kind=value\n"
        "\tAbs-1/type/f64[2,3]/-/values=large\t0.08333\t2.5\n"
        "\tAbs-1/type/i64[2,3]\t0.75\t\t2,0=-128\n"
        "\tAbs-1/type/u64[2,3]\t1\t\t0=1 | 0=2\t0123456789\n"
        "no-cause: FAIL output=0 kind=value\n"
        "\tAbs-1/plain/f32[2,3]\t\t\t\tabcdef0123\n"
        "no-u4: REFUSED stage=compile kind=message message='Check it'\"'\"'s not \"quoted\" ok' rule=r-1\n"
        "\tAbs-1/type/u4[2,3]\n"
    )
    assert (tmp_path / "movement.txt").read_text() == (
        "memory: nondeterministic FAIL output=0 kind=value | CRASH stage=infer kind=signal signal=SIGSEGV\n"
        "\tSplit-1/x/y\n"
        "memory: nondeterministic PASS | FAIL output=0 kind=value\n"
        "\tSplit-1/x/z\t0.5\n"
    )
    assert 'full_name = "A \\"CPU\\" \\\\ of ü"' in (tmp_path / "run.toml").read_text("utf-8")
    assert "base =" not in (tmp_path / "run.toml").read_text("utf-8")
    assert (tmp_path / "precision.tsv").read_text() == "cause\n"


def test_only_files_that_change_are_written_and_those_of_categories_without_cases_go(
    tmp_path: Path,
) -> None:
    wrote(tmp_path, made(LINES))
    before = {path: path.stat().st_ino for path in tmp_path.iterdir()}
    more = {**LINES, "Abs-1/plain/f32[7]": Line((FAIL,))}
    assert wrote(tmp_path, made(more, LINES)) == ["arithmetic.txt", "asked.tsv"]
    kept = [tmp_path / "movement.txt", tmp_path / "run.toml"]
    assert [path.stat().st_ino for path in kept] == [before[path] for path in kept]
    fewer = {case: line for case, line in more.items() if line.cause != "memory"}
    assert wrote(tmp_path, made(fewer, more)) == ["movement.txt"]
    assert not (tmp_path / "movement.txt").exists()


def test_other_files_of_a_folder_stay(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("ours")
    wrote(tmp_path, made(LINES))
    wrote(tmp_path, made({}))
    assert sorted(tree(tmp_path)) == ["README.md", "asked.tsv", "run.toml"]


def test_a_folder_without_its_run_is_not_written_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[str] = []
    monkeypatch.setattr(baseline_files, "write_text", lambda path, text: written.append(path.name))
    write_folder(tmp_path, texts_of(made(LINES), ""))
    assert written[-1] == "run.toml"


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
    st.sampled_from(["", "0123456789"]),
).filter(lambda line: not line.passes)


@settings(max_examples=200)
@given(st.dictionaries(IDS, DRAWN, max_size=8))
def test_any_lines_come_back(tmp_path_factory: Any, lines: dict[str, Line]) -> None:
    folder = tmp_path_factory.mktemp("any")
    wrote(folder, made(lines))
    assert dict(read_folder(folder).lines) == lines


def test_a_value_that_the_file_could_not_tell_from_two_is_not_kept(tmp_path: Path) -> None:
    worst = WorstElement(index=(0,), actual="a | b")
    one = record("A-1/plain/string[2]", "FAIL", wrong=2, elements=2, worst=worst)
    assert one.extent == Extent(1.0, None)


def test_a_case_stands_in_one_place(tmp_path: Path) -> None:
    """After a merge of two branches that took it to two causes it would be excused however it ends."""
    wrote(tmp_path, made({"Abs-1/x/y": Line((FAIL,), "a")}))
    other = "b: TIMEOUT stage=infer kind=timeout\n\tAbs-1/x/y\n"
    own = tmp_path / "arithmetic.txt"
    text = own.read_text()
    own.write_text(text + other)
    with pytest.raises(
        BaselineError, match=r"arithmetic\.txt: Abs-1/x/y stands in it twice: leave"
    ):
        read_folder(tmp_path)
    own.write_text(text)
    (tmp_path / "b.txt").write_text(other)
    with pytest.raises(
        BaselineError, match=r"b\.txt: Abs-1/x/y stands in it as well as in .*arith"
    ):
        read_folder(tmp_path)


def test_what_two_branches_asked_is_joined(tmp_path: Path) -> None:
    one, other = made({}, ["Abs-1/x/y", "Abs-1/x/z"]), made({}, ["Abs-1/x/z", "Split-1/x/y"])
    wrote(tmp_path, one)
    text = (tmp_path / "asked.tsv").read_text() + texts_of(other)["asked.tsv"]
    (tmp_path / "asked.tsv").write_text(text)
    found = read_folder(tmp_path).asked
    assert all(case in found for case in ("Abs-1/x/y", "Abs-1/x/z", "Split-1/x/y"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Abs-1\tsingle\tabcde", "the last line is cut off"),
        ("<<<<<<< ours\n", "line 1: expected an operation"),
        ("Abs-1\tsingle\tabcdef\n", "line 1: the tokens of Abs-1 are cut off"),
    ],
)
def test_what_a_run_asked_cannot_be_damaged(tmp_path: Path, text: str, told: str) -> None:
    wrote(tmp_path, made(LINES))
    (tmp_path / "asked.tsv").write_text(text)
    with pytest.raises(BaselineError, match=rf"asked\.tsv: {told}"):
        read_folder(tmp_path)
    (tmp_path / "asked.tsv").unlink()
    with pytest.raises(BaselineError, match=r"asked\.tsv: cannot be read"):
        read_folder(tmp_path)


def test_a_folder_of_an_earlier_layout_is_refused_in_one_line(tmp_path: Path) -> None:
    wrote(tmp_path, made(LINES))
    (tmp_path / "asked.tsv").unlink()
    (tmp_path / "corpus.tsv").write_text("how\tshape=dims\nAbs-1\tplain type\n")
    with pytest.raises(BaselineError) as caught:
        read_folder(tmp_path)
    told = f"{tmp_path}: corpus.tsv is of an earlier version of the suite: accept the results into a new folder"
    assert str(caught.value) == told


# --- baselines above others ---------------------------------------------------------------------------------------

EARLIER = replaced(RUN, openvino="2026.3.0-1")
LATER = replaced(RUN, openvino="2026.5.0-1")
BELOW = {
    "Abs-1/x/departs": Line((FAIL,), "f64", Extent(0.5, 2.0)),
    "Abs-1/x/fixed": Line((FAIL,), "f64"),
    "Abs-1/x/otherwise": Line((FAIL,), "f64"),
    "Split-1/x/departs": Line((DEAD,), "memory"),
}
OWN = {
    "Abs-1/x/departs": BELOW["Abs-1/x/departs"],
    "Abs-1/x/otherwise": Line((REFUSED,), "no-u4"),
    "Abs-1/x/broken": Line((FAIL,), "f64"),
}
ASKED = ["Abs-1/x/passes", "Abs-1/x/fixed", *OWN]
CASES = [*BELOW, *ASKED, "Abs-1/x/asked below alone", "Abs-1/x/never"]


def two(folder: Path, **run: Any) -> tuple[Baseline, Baseline]:
    """A baseline, and one that stands above it, as they are read."""
    below = made(BELOW, ["Abs-1/x/passes", "Abs-1/x/broken", "Abs-1/x/asked below alone"])
    wrote(folder / "2026.4", below)
    base = read_folder(folder / "2026.4")
    whole = made(OWN, ASKED, replaced(LATER, **run))
    wrote(folder / "2026.5", rebased(whole, base))
    return base, read_folder(folder / "2026.5")


def known(baseline: Baseline) -> dict[str, KnownCase | None]:
    return {case: baseline.known(case) for case in CASES}


def test_a_baseline_above_another_one_holds_what_differs(tmp_path: Path) -> None:
    _, found = two(tmp_path)
    assert 'base = "2026.4"' in (tmp_path / "2026.5" / "run.toml").read_text()
    assert (tmp_path / "2026.5" / "arithmetic.txt").read_text() == (
        "PASS\n\tAbs-1/x/fixed\n"
        "f64: FAIL output=0 kind=value\n\tAbs-1/x/broken\n"
        "no-u4: REFUSED stage=compile kind=message message='Check it'\"'\"'s not \"quoted\" ok' rule=r-1\n"
        "\tAbs-1/x/otherwise\n"
    )
    assert known(found) == {
        "Abs-1/x/passes": KnownCase(None, LATER),
        "Abs-1/x/fixed": KnownCase(None, LATER),
        **{case: KnownCase(line, LATER) for case, line in OWN.items()},
        "Abs-1/x/asked below alone": KnownCase(None, RUN),
        "Split-1/x/departs": KnownCase(BELOW["Split-1/x/departs"], RUN),
        "Abs-1/x/never": None,
    }
    assert found.departures() == OWN


def test_one_that_is_as_the_one_below_has_no_lines(tmp_path: Path) -> None:
    base, _ = two(tmp_path)
    same = made(BELOW, ["Abs-1/x/passes", "Abs-1/x/broken", "Abs-1/x/asked below alone"], LATER)
    assert wrote(tmp_path / "same", rebased(same, base)) == ["asked.tsv", "run.toml"]
    assert (tmp_path / "same" / "asked.tsv").read_text() == "*\tsingle\t=\n"
    found = read_folder(tmp_path / "same")
    assert found.departures() == BELOW
    assert found.known("Abs-1/x/passes") == KnownCase(None, LATER)


@settings(max_examples=100)
@given(
    *(
        st.dictionaries(st.sampled_from(CASES), st.none() | DRAWN, max_size=6)
        for _ in range(4)
    )
)  # fmt: skip
def test_a_change_of_the_one_below_leaves_what_is_known_of_the_cases_of_the_one_above(
    tmp_path_factory: Any,
    lowest: dict[str, Line | None],
    before: dict[str, Line | None],
    after: dict[str, Line | None],
    above: dict[str, Line | None],
) -> None:
    """A case with None conforms; what is left out was not asked. The one below stands above another one."""
    folder = tmp_path_factory.mktemp("bases")

    def of(cases: dict[str, Line | None], run: Run) -> Baseline:
        return made({case: line for case, line in cases.items() if line}, cases, run)

    def expected(below: dict[str, Line | None]) -> dict[str, KnownCase]:
        runs = [(lowest, EARLIER), (below, RUN), (above, LATER)]
        return {case: KnownCase(line, run) for cases, run in runs for case, line in cases.items()}

    wrote(folder / "2026.3", of(lowest, EARLIER))
    base = read_folder(folder / "2026.3")
    wrote(folder / "2026.4", rebased(of(before, RUN), base))
    wrote(folder / "2026.5", rebased(of(above, LATER), read_folder(folder / "2026.4")))
    first = read_folder(folder / "2026.5")
    assert {case: each for case, each in known(first).items() if each} == expected(before)
    assert first.departures() == {case: line for case, line in above.items() if line}
    # The one below gets another text, and then the one above.
    changed = rebased(of(after, RUN), base)
    changed.folder = folder / "2026.4"
    assert above_of(folder / "2026.4") == [folder / "2026.5"]
    texts = texts_of(rebased(first, changed))
    wrote(folder / "2026.4", changed)
    write_folder(folder / "2026.5", texts)
    second = read_folder(folder / "2026.5")
    assert {case: each for case, each in known(second).items() if each} == expected(after)
    assert second.departures() == first.departures()
    assert second.asked == first.asked
    assert texts_of(second) == texts


def test_a_baseline_stands_alone_again(tmp_path: Path) -> None:
    _, found = two(tmp_path)
    wrote(tmp_path / "2026.5", rebased(found, None))
    alone = read_folder(tmp_path / "2026.5")
    assert alone.base is None
    assert dict(alone.lines) == OWN
    assert alone.asked == found.asked
    assert alone.known("Split-1/x/departs") is None


def test_what_only_the_one_below_has_stands_in_the_file_of_its_category(tmp_path: Path) -> None:
    """The one above says that it conforms, and has no other line of the operation."""
    case = "New-1/plain/f32[2]"
    base = made({case: Line((FAIL,))}, categories={"New-1": "activation"})
    assert "activation.txt" in texts_of(rebased(made({}, [case], LATER), base))


def test_a_release_of_which_a_part_is_taken_falls_through_to_the_one_below(tmp_path: Path) -> None:
    """What is not taken was not asked: the other release says what is known of it, and a regression stays one."""
    base, _ = two(tmp_path)
    part = made({"Abs-1/x/broken": Line((FAIL,), "f64")}, [], LATER)
    wrote(tmp_path / "part", rebased(part, base))
    found = read_folder(tmp_path / "part")
    assert found.known("Abs-1/x/broken") == KnownCase(OWN["Abs-1/x/broken"], LATER)
    assert found.known("Abs-1/x/passes") == KnownCase(None, RUN)
    assert found.known("Abs-1/x/otherwise") == KnownCase(BELOW["Abs-1/x/otherwise"], RUN)


def test_which_folders_stand_above_another_one(tmp_path: Path) -> None:
    two(tmp_path)
    third = read_folder(tmp_path / "2026.5")
    wrote(tmp_path / "2026.5-AVX2", rebased(made({}, ASKED, replaced(LATER, isa="AVX2")), third))
    assert above_of(tmp_path / "2026.4") == [tmp_path / "2026.5"]
    assert above_of(tmp_path / "2026.5") == [tmp_path / "2026.5-AVX2"]
    assert above_of(tmp_path / "2026.5-AVX2") == []
    names = ["2026.4", "2026.5", "2026.5-AVX2"]
    assert chain(tmp_path / "2026.5-AVX2") == [tmp_path / name for name in names]
    assert chain(tmp_path / "2026.4") == [tmp_path / "2026.4"]


def test_one_below_is_beside_it_or_shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two(tmp_path / "CPU")
    ours = tmp_path / "ours"
    (tmp_path / "CPU" / "2026.5").rename(ours)
    monkeypatch.setattr(baseline_files, "DIRECTORY", tmp_path / "elsewhere")
    told = r"run\.toml: base '2026\.4': there is no such baseline in "
    with pytest.raises(BaselineError, match=told):
        read_folder(ours)
    monkeypatch.setattr(baseline_files, "DIRECTORY", tmp_path)
    base = read_folder(ours).base
    assert base is not None
    assert base.folder == tmp_path / "CPU" / "2026.4"


@pytest.mark.parametrize(("base", "told"), [("2026.5", "2026.4"), ("2026.4", "2026.4")])
def test_a_circle_of_bases_is_one_line(tmp_path: Path, base: str, told: str) -> None:
    two(tmp_path)
    path = tmp_path / "2026.4" / "run.toml"
    path.write_text(f'base = "{base}"\n{path.read_text()}')
    for name in {"2026.4", "2026.5"}:
        with pytest.raises(
            BaselineError, match=r"run\.toml: base '.*' stands above this folder itself"
        ):
            read_folder(tmp_path / name)
    assert told
    # Nobody waits for it to end.
    chain(tmp_path / "2026.5")


@pytest.mark.parametrize("base", ["../2026.4", "a/b", "", "a b"])
def test_a_base_is_the_name_of_a_folder(tmp_path: Path, base: str) -> None:
    two(tmp_path)
    path = tmp_path / "2026.5" / "run.toml"
    path.write_text(path.read_text().replace('"2026.4"', f'"{base}"', 1))
    told = r"run\.toml: base must be the name of a folder"
    if not base:
        # What it asked as the one below is not known then.
        told = r"asked\.tsv: Abs-1 has lines in the folder, and no case of it here"
    with pytest.raises(BaselineError, match=told):
        read_folder(tmp_path / "2026.5")


def test_rows_that_are_lost_are_told(tmp_path: Path) -> None:
    wrote(tmp_path, made(LINES))
    asked = tmp_path / "asked.tsv"
    asked.write_text("")
    with pytest.raises(BaselineError, match=r"asked\.tsv: Abs-1 has lines in the folder"):
        read_folder(tmp_path)


# --- the run ------------------------------------------------------------------------------------------------------


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
    wrote(tmp_path, made(LINES))
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
        ("c: FAIL\n\tA-1/x\nc: FAILED\n\tA-1/y\n", "line 3: 'FAILED' is not a valid Outcome"),
        (
            "FAIL kind=value\n\tA-1/x\n",
            "line 1: expected a cause, a colon and how cases ended, or PASS",
        ),
        ("PASS kind=value\n\tA-1/x\n", "line 1: expected a cause, a colon"),
        ("c: FAIL kind=odd\n", "line 1: "),
        ("c: FAIL kinds=value\n", "line 1: no such fact: kinds"),
        ("c: FAIL output=one\n", "line 1: invalid literal"),
        ("c: FAIL output=-1\n", "line 1: "),
        ("c: FAIL | \n", "line 1: an outcome is missing"),
        ("c: nondeterministic\n", "line 1: an outcome is missing"),
        ("c: FAIL 'a\n", "line 1: No closing quotation"),
        ("c: FAIL\n\tA-1/x\t2.0\n", "line 2: expected a share from 0 to 1"),
        ("c: FAIL\n\tA-1/x\t0.5\t-1\n", "line 2: expected a share from 0 to 1, and a fraction"),
        ("c: FAIL\n\tA-1/x\t0.5\tnan\n", "line 2: expected a share from 0 to 1, and a fraction"),
        ("c: FAIL\n\tA-1/x\tmany\n", "line 2: could not convert"),
        (
            "c: FAIL\n\tA-1/x\t0.5\t1\t0=1\t7\t8\n",
            "line 2: expected at most a share, a fraction, the first wrong",
        ),
        ("c: FAIL\n\n# a remark\nc: FAIL\n\tA-1/x\tnan\n", "line 5: expected a share"),
        ("c: FAIL\n\tA-1/\\x\n", "line 2: "),
        ("c: FAIL\n\tA-1/x\n\tA-1/y/f32[2", "the last line is cut off"),
    ],
)
def test_a_file_that_cannot_be_read(tmp_path: Path, text: str, told: str) -> None:
    wrote(tmp_path, made({}))
    (tmp_path / "a.txt").write_text(text)
    with pytest.raises(BaselineError) as caught:
        read_folder(tmp_path)
    assert str(caught.value).startswith(f"{tmp_path / 'a.txt'}: {told}")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    wrote(tmp_path, made({}))
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
    wrote(tmp_path / "ours", made(LINES))
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
        record(
            f"A-1/{cause}/f32[2]",
            "FAIL",
            facts=facts,
            cause=cause,
            fraction=2.0,
            wrong=1,
            elements=2,
        )
        for cause in ("by-chance", "always")
    ]
    path = write(tmp_path / "main.jsonl", header(), *records)
    ((_, found),) = read(path, frozenset({"by-chance"})).items()
    by_chance, always = (found.lines[one.case] for one in records)
    assert (by_chance.is_nondeterministic, always.is_nondeterministic) == (True, False)
    # How far off they are is chance, and how many they are is not.
    worse = [replace(one, fraction=1e9) for one in records]
    assert not by_chance.is_exceeded_by(worse[0])
    assert always.is_exceeded_by(worse[1])
    assert by_chance.is_exceeded_by(replace(records[0], wrong=2))


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
        ("BATCH:CPU(4)", ["BATCH_CPU", "CPU"]),
        ("BATCH:CPU", ["BATCH_CPU", "CPU"]),
        ("HETERO:NPU,CPU", ["HETERO_NPU_CPU", "NPU"]),
        ("PYTHON:a.b", ["PYTHON_a_b"]),
    ],
)
def test_families_of_devices(device: str, families: list[str]) -> None:
    assert families_of(device) == families


def shipped(directory: Path, name: str, **changes: Any) -> None:
    run = Run(**{**vars(RUN), **changes})
    wrote(directory / families_of(run.device)[-1] / name, made({}, run=run))


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
    wrote(tmp_path / "AUTO_CPU" / "2025.1", made({}, run=run))
    assert folders_of("AUTO:CPU", tmp_path) == [tmp_path / "AUTO_CPU" / "2025.1"]
    assert nearest(run, tmp_path) == tmp_path / "AUTO_CPU" / "2025.1"


def test_of_cards_the_name_comes_first(tmp_path: Path) -> None:
    card = {"device": "GPU", "isa": "", "driver": "24.1"}
    shipped(tmp_path, "2026.4", **card, full_name="A")
    shipped(tmp_path, "2026.3-b", **card, full_name="B", openvino="2026.3.0")
    run = Run(**{**vars(RUN), **card, "full_name": "B", "driver": "25.0"})
    assert nearest(run, tmp_path) == tmp_path / "GPU" / "2026.3-b"


@pytest.mark.parametrize(
    "change, names",
    [
        ({"profile": "performance", "isa": "avx2"}, ["2026.4-isa=AVX2", "2026.4-isa=SSE41"]),
        ({"profile": "performance", "isa": "sse42"}, ["2026.4-isa=SSE41", "2026.4-isa=AVX2"]),
        ({"profile": "performance", "isa": "avx512"}, ["2026.4-isa=AVX2", "2026.4-isa=SSE41"]),
        ({"profile": "performance", "isa": "avx2", "architecture": "arm64"}, []),
        ({"device": "GPU"}, []),
    ],
)
def test_beside_are_baselines_without_a_profile_those_of_the_kernels_first(
    tmp_path: Path, change: dict[str, Any], names: list[str]
) -> None:
    kernels = {"isa=AVX2": "avx2", "isa=SSE41": "sse42", "performance": "avx512", "X=1": "avx2"}
    for profile, isa in kernels.items():
        shipped(tmp_path, f"2026.4-{profile}", profile=profile, isa=isa)
    shipped(tmp_path, "2026.3", isa="avx2", openvino="2026.3.0")
    run = Run(**{**vars(RUN), "openvino": "2026.5.0-1-x", **change})
    found = beside(run, tmp_path / "CPU" / "2026.4-performance", tmp_path)
    assert [each.name for each in found] == names


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_a_shipped_baseline_is_as_it_would_be_written_and_names_causes_that_are_there(
    folder: Path,
) -> None:
    found = shipped_baseline(folder)
    assert found.lines
    assert folders_of(found.run.device) == [
        each for each in FOLDERS if each.parent == folder.parent
    ]
    written = {name: text.encode() for name, text in texts_of(found).items()}
    texts = tree(folder)
    assert [name for name, text in written.items() if texts[name] != text] == []
    assert texts.keys() - written.keys() <= {PRECISION, REVIEW}
    named = {line.cause for line in found.lines.values()} - {""}
    assert sorted(named - set(causes.load().by_id)) == []
