"""Sets of cases that were asked: exact, small in a file, and merged line by line."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reports.gate.asked import AskedCases, from_lines, row_of, to_text, token_of

CASES = [
    f"{name}-1/{what}"
    for name in ("Abs", "Split", "Gather")
    for what in (
        "plain/f32[2,3]", "type/i8[2,3]", "random/f16[7]/mode=x", "plain/f32[2,3]/-/shape=dims",
        "type/i8[2,3]/-/shape=dims", "plain/f32[2,3]/-/shape=dims,data=constant",
    )
]  # fmt: skip


def read(text: str, base: AskedCases | None = None) -> AskedCases:
    assert not text or text.endswith("\n")
    return from_lines(text.split("\n")[:-1], base)


# --- sets ---------------------------------------------------------------------------------------------------------


def test_a_set_has_what_was_asked_and_nothing_else() -> None:
    asked = AskedCases.of(CASES[::2])
    assert [case in asked for case in CASES] == [True, False] * (len(CASES) // 2)
    assert asked.number == len(CASES[::2])
    assert asked.operations == {"Abs-1", "Split-1", "Gather-1"}
    assert asked
    assert not AskedCases()
    assert 7 not in asked


def test_of_many_ids_none_is_taken_for_another_one() -> None:
    """Two ids of one row share a token once in a billion pairs: see the module's docstring."""
    ids = [f"Abs-1/random/f32[{n}]" for n in range(20_000)]
    asked = AskedCases.of(ids[:10_000])
    assert all(each in asked for each in ids[:10_000])
    assert not any(each in asked for each in ids[10_000:])
    assert asked.number == 10_000


def test_tokens_are_short_and_printable() -> None:
    tokens = {token_of(case) for case in CASES}
    assert len(tokens) == len(CASES)
    assert all(re.fullmatch(r"[\w-]{5}", token) for token in tokens)
    assert token_of("Const-1/plain/string[2]/value=\ud800")


@pytest.mark.parametrize(
    ("case", "row"),
    [
        ("Abs-1/plain/f32[2,3]", ("Abs-1", "single")),
        ("Abs-1/type/i8[2,3]", ("Abs-1", "single")),
        ("Abs-1/plain/f32[2,3]/-/shape=dims", ("Abs-1", "single")),
        ("Abs-1/type/i8[2,3]/-/shape=dims", ("Abs-1", "crossed")),
        ("Abs-1/plain/f32[2,3]/-/shape=dims,data=constant", ("Abs-1", "crossed")),
        ("MVN/graphs/f32[2,3]", ("MVN", "single")),
        ("MVN/graphs/f32[2,3]/unknown=all", ("MVN", "single")),
        ("MVN/graphs/f32[2,3]/unknown=all,eps=1", ("MVN", "crossed")),
    ],
)
def test_a_row_is_of_an_operation_and_of_one_factor_or_several(
    case: str, row: tuple[str, str]
) -> None:
    assert row_of(case) == row


SETS = st.sets(st.sampled_from(CASES)).map(AskedCases.of)


@settings(max_examples=200)
@given(st.sets(st.sampled_from(CASES)), st.sets(st.sampled_from(CASES)))
def test_sets_are_joined_and_parted(one: set[str], other: set[str]) -> None:
    first, second = AskedCases.of(one), AskedCases.of(other)
    joined, rest = first.joined(second), first.without(other)
    assert {case for case in CASES if case in joined} == one | other
    assert {case for case in CASES if case in rest} == one - other
    assert joined == second.joined(first)
    assert first.joined(first) == first


# --- in a file ----------------------------------------------------------------------------------------------------


@settings(max_examples=200)
@given(SETS, st.none() | SETS)
def test_a_set_comes_back_from_its_text(asked: AskedCases, base: AskedCases | None) -> None:
    text = to_text(asked, base)
    found = read(text, base)
    assert [case in found for case in CASES] == [case in asked for case in CASES]
    assert found.number == asked.number
    assert to_text(found, base) == text
    # One kind after the other, sorted.
    for kind in ("single", "crossed"):
        rows = [line for line in text.splitlines() if line.split("\t")[1] == kind]
        assert rows == sorted(rows)


def test_a_text_has_a_row_for_each_operation_and_kind() -> None:
    text = to_text(AskedCases.of(CASES))
    names = [tuple(line.split("\t")[:2]) for line in text.splitlines()]
    assert names == [
        (name, kind) for kind in ("single", "crossed") for name in ("Abs-1", "Gather-1", "Split-1")
    ]


def test_above_another_one_stands_what_differs() -> None:
    many = [f"Op{n}-1/plain/f32[2]" for n in range(50)]
    base = AskedCases.of([*CASES, *many])
    # All rows of a kind are as below, or all but one.
    assert to_text(base, base) == "*\tsingle\t=\n*\tcrossed\t=\n"
    more = base.joined(AskedCases.of(["Abs-1/random/f16[9]"]))
    rows = to_text(more, base).splitlines()
    assert [row.split("\t")[0] for row in rows] == ["*", "Abs-1", "*"]
    fewer = base.without(case for case in CASES if case.startswith("Abs-1/"))
    assert (
        to_text(fewer, base) == "*\tsingle\t=\nAbs-1\tsingle\t\n*\tcrossed\t=\nAbs-1\tcrossed\t\n"
    )
    # A small part of the operations, each as below.
    part = AskedCases.of(case for case in CASES if case.startswith("Split-1/"))
    assert to_text(part, base) == "Split-1\tsingle\t=\nSplit-1\tcrossed\t=\n"
    assert to_text(AskedCases(), base) == ""


def test_rows_as_below_follow_what_stands_below() -> None:
    text = "*\tsingle\t=\n"
    for base in (AskedCases.of(CASES), AskedCases.of(CASES[:4])):
        found = read(text, base)
        assert all(
            (case in found) == (case in base and row_of(case)[1] == "single") for case in CASES
        )
    # Without one below it is nothing.
    assert not read(text)
    assert not read("Abs-1\tsingle\t=\n")


def test_two_rows_of_one_operation_are_those_of_two_branches() -> None:
    one, other = AskedCases.of(CASES[:5]), AskedCases.of(CASES[3:9])
    both = sorted({*to_text(one).splitlines(), *to_text(other).splitlines()})
    assert read("\n".join(both) + "\n") == one.joined(other)
    # One of them has the row as it is below, the other one has more.
    base = AskedCases.of(CASES[:6])
    more = base.joined(AskedCases.of(["Abs-1/random/f16[9]"]))
    text = "Abs-1\tsingle\t=\n" + "".join(
        f"{row}\n" for row in to_text(more).splitlines() if row.startswith("Abs-1\tsingle")
    )
    assert all(
        (case in read(text, base)) == (row_of(case) == ("Abs-1", "single")) for case in CASES[:6]
    )
    assert "Abs-1/random/f16[9]" in read(text, base)


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_git_joins_what_two_branches_asked(tmp_path: Path) -> None:
    """Like a file with ``merge=union``."""
    chosen = random.Random(1)
    for _ in range(10):
        sides = [[case for case in CASES if chosen.random() < 0.5] for _ in range(3)]
        below, one, other = (AskedCases.of([*sides[0], *side]) for side in sides)
        for name, asked in {"base": below, "one": one, "other": other}.items():
            (tmp_path / name).write_text(to_text(asked))
        command = ["git", "merge-file", "-p", "--union", "one", "base", "other"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert [case in read(done.stdout) for case in CASES] == [
            case in one or case in other for case in CASES
        ]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("Abs-1", "line 2: expected an operation, single or crossed, and tokens"),
        ("Abs-1\tsingle", "line 2: expected an operation"),
        ("\tsingle\tabcde", "line 2: expected an operation"),
        ("Abs-1\tsingles\tabcde", "line 2: expected an operation"),
        ("Abs-1\tsingle\tabcde\t", "line 2: expected an operation"),
        ("<<<<<<< ours", "line 2: expected an operation"),
        ("Abs-1\tsingle\tabcdefg", "line 2: the tokens of Abs-1 are cut off"),
        ("*\tsingle\tabcde", "line 2: * goes with = alone"),
        ("", "line 2: expected an operation"),
    ],
)
def test_a_line_that_is_none(line: str, told: str) -> None:
    with pytest.raises(ValueError, match=re.escape(told)):
        read(f"Split-1\tsingle\tabcde\n{line}\n")
