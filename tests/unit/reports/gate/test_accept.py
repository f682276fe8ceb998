"""``python -m reports accept``: what a run changes in a baseline, in groups, what is taken, and what is refused."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from reports.__main__ import main
from reports.gate import causes
from reports.gate.baseline import line_of
from reports.gate.baseline_files import PRECISION, read_folder
from reports.gate.precision import from_text
from reports.gate.review import REVIEW
from reports.results.files.locking import locked
from reports.results.records import NOT_ENDED, CaseRecord, Selection, Target
from tests.unit.reports.gate.desks import (
    HEADER,
    I4,
    KNOWS_ALL,
    KNOWS_U4,
    LATER,
    NEW_CAUSE,
    PLAIN,
    RANDOM_U4,
    RUN,
    U1,
    U4,
    Desk,
    die,
    fail,
    kinds,
    ok,
    one_group,
    refuse,
    tree,
)
from tests.unit.reports.small_results import record, write

# --- groups -------------------------------------------------------------------------------------------------------


def test_nothing_differs(desk: Desk) -> None:
    desk.ship(refuse(U4), ok(PLAIN))
    desk.ran(ok(PLAIN), refuse(U4))
    out = desk.accept(code=0)
    assert "Nothing is left to take in 2 cases." in out
    assert (
        "CPU (accuracy), OpenVINO 2026.4.1-21000-abc: 1 run compared with CPU 2026.4 (1 departure)"
        in out
    )
    assert "--take" not in out


def test_a_run_that_was_cut_off_is_reported(desk: Desk) -> None:
    desk.ship(refuse(U4), ok(PLAIN))
    for cut in (replace(HEADER, ended=NOT_ENDED), replace(HEADER, cases=3)):
        desk.ran(ok(PLAIN), refuse(U4), header=cut)
        out = desk.accept(code=1)
        assert out.startswith("INCOMPLETE: CPU (accuracy): cut off before its end\n")
        assert "Nothing is left to take in 2 cases." in out
        # What is there can be taken, and is.
        desk.ran(ok(PLAIN), refuse(U4), refuse(RANDOM_U4), header=replace(cut, cases=4))
        assert "INCOMPLETE" in desk.accept("--take", "all", code=0)
        assert RANDOM_U4 in desk.lines()
        desk.accept("--take-back", code=0)
    desk.ran(ok(PLAIN), refuse(U4))
    assert "INCOMPLETE" not in desk.accept(code=0)


def test_each_kind_of_change_is_a_group(desk: Desk) -> None:
    gone, better, worse, broken = (f"B-1/type/{t}[2]" for t in ("f16", "i8", "u8", "i32"))
    desk.cause("of-b", KNOWS_ALL.replace('"*"', '"B-1"'))
    departing = [fail(each, cause="of-b") for each in (gone, better, worse)]
    desk.ship(*departing, ok(PLAIN), ok(U4), ok(broken))
    new = "A-1/random/i4[7]/mode=y"
    desk.ran(
        ok(PLAIN), refuse(U4), fail(worse, wrong=6), ok(better), fail(broken), fail(new),
        refuse(RANDOM_U4),
    )  # fmt: skip
    out = desk.accept(code=1)
    found = desk.groups()
    # A narrow cause names u4, but the run of the baseline asked the case, and it passed.
    assert kinds(found) == ["new", "broken", "broken", "worse", "known", "fixed", "gone"]
    title = "of-b: u4 - refused"
    for kind, text in {
        "new": "1 case FAIL: wrong values in output · A-1",
        "worse": f"1 case FAIL: wrong values in output (in the baseline: FAIL) of {title}",
        "known": "1 case: new cases of no-u4: u4 - refused",
        "fixed": f"1 case: now PASS (FAIL in the baseline) of {title}",
        "gone": "1 case: no longer in the suite",
    }.items():
        assert found[one_group(found, kind)].startswith(text)
    assert any(
        text.startswith("1 case the known cause no-u4 names them") for text in found.values()
    )
    # Those that need a look have a command of their own.
    for name, text in found.items():
        needs_look = name.startswith(("new", "broken", "worse"))
        assert (f"accept {desk.results} --take {name}" in text) is needs_look
        of_cause = "wrong values in output · " in text
        assert (f"--take {name} --cause ID" in text) is of_cause
        # A cause names everything of B-1.
        assert text.endswith(f"--take {name} --named") is (of_cause and "B-1" in text)
    # Nothing is taken yet, so that there is nothing to take back.
    assert out.endswith(f"\nCommands\n\n  python -m reports accept {desk.results} --take all\n")


def test_without_a_command_there_is_no_heading_of_commands(desk: Desk) -> None:
    desk.ship(ok(PLAIN), ok(U4))
    desk.ran(ok(PLAIN), refuse(U4), header=LATER)
    # Its group has a command of its own.
    assert "Commands" not in desk.accept(code=1)


def test_ids_of_causes_that_may_be_right_are_whole(desk: Desk) -> None:
    names = [f"{letter}-{'-of-a-long-name' * 3}".replace("--", "-") for letter in "abc"]
    for name in names:
        desk.cause(name)
    desk.ship(ok(PLAIN))
    desk.ran(fail(PLAIN))
    out = desk.accept(code=1)
    assert all(f"{name} (all)" in " ".join(out.split()) for name in names), out


def test_lines_have_120_columns_except_commands_and_folders(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    long = "no kernel " + "of this type and this rank with these attributes " * 9
    cases = [
        f"{name}-1/type/i4[2,3]/{','.join(f'a{n}={n}' for n in range(60))}" for name in "ABCDEFGH"
    ]
    desk.ran(*(refuse(each, long) for each in cases))
    out = desk.accept(code=1)
    lines = [line for line in out.splitlines() if not line.lstrip().startswith("python -m")]
    assert max(map(len, lines)) <= 120
    # The id is whole.
    assert cases[0] in "".join(line.strip() for line in lines)


def test_the_example_is_a_case_with_a_folder(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    longer = "A-1/type/i4[2,3,5,7]"
    desk.ran(fail("A-1/type/i4[2]"), fail(longer, folder="CPU/accuracy/A-1-x"))
    folder = desk.folder / "run.failures" / "CPU" / "accuracy" / "A-1-x"
    folder.mkdir(parents=True)
    (text,) = desk.groups().values()
    assert f"such as {longer} folder: {folder} python" in text


def test_a_group_without_a_folder_has_the_command_that_makes_one(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    desk.ran(fail("A-1/type/i4[2]"))
    (text,) = desk.groups().values()
    made = "python -m devices write 'A-1/type/i4[2]' --device CPU --profile accuracy --out case"
    assert (
        f"there is no failure folder; this command makes one: {made} python -m reports accept"
        in text
    )


def test_causes_that_name_a_group_not_narrowly_are_hints(desk: Desk) -> None:
    desk.ship(asked=(I4, U4))
    desk.cause("everything")
    desk.cause("of-refusals", KNOWS_U4.replace('type = ["u4"]\n', ""))
    desk.cause("of-i4", KNOWS_ALL + 'type = ["i4"]\n')
    desk.ship(ok(I4), ok("A-1/type/u1[2]"), narrow=())
    desk.ran(refuse(I4), refuse("A-1/type/u1[2]"))
    (text,) = desk.groups().values()
    assert "causes that may be right: everything (all), of-refusals (all), of-i4 (1 of 2)" in text


def test_a_run_without_graphs_says_nothing_of_those_of_the_baseline(desk: Desk) -> None:
    graph, gone = "MVN/graphs/f32[2,3]", "B-1/type/f16[2]"
    desk.ship(fail(graph), fail(gone), ok(PLAIN))
    desk.ran(ok(PLAIN))
    ((name, text),) = desk.groups().items()
    assert text.endswith("such as B-1/type/f16[2]")
    desk.accept("--take", name, code=0)
    assert graph in desk.lines()
    assert gone not in desk.lines()


def test_departures_of_one_mechanism_are_one_group(desk: Desk) -> None:
    desk.ship(asked=[f"{name}-1/type/i4[2,3]" for name in "ABCDE"])
    desk.ran(*(refuse(f"{name}-1/type/i4[2,3]") for name in "ABCDE"))
    ((name, text),) = desk.groups().items()
    assert name.startswith("broken-")
    assert text.startswith(
        "5 cases REFUSED: at compile: no kernel of u4 here · A-1, B-1, C-1 and 2 more"
    )


def test_refusals_in_other_words_are_one_group_that_needs_no_look(desk: Desk) -> None:
    desk.ship(*(refuse(each, "some old words of A", cause="no-u4") for each in (U4, I4, U1)))
    desk.ran(refuse(U4), refuse(I4, "one word"), refuse(U1, "another"), header=LATER)
    ((name, text),) = desk.groups().items()
    assert name.startswith("reworded-")
    assert text.startswith("3 cases: refused as before, with another message")
    desk.accept("--take", "all", code=0)
    assert desk.causes_of(desk.later) == dict.fromkeys((U4, I4, U1), "no-u4")


def test_what_departs_otherwise_than_its_cause_says_is_grouped_by_root_cause(desk: Desk) -> None:
    """Departures of two causes, both refused for one reason now."""
    desk.cause("wrong-b", KNOWS_ALL.replace('"*"', '"B-1"') + 'outcome = ["FAIL"]\n')
    desk.cause("wrong-c", KNOWS_ALL.replace('"*"', '"C-1"') + 'outcome = ["FAIL"]\n')
    cases = {"B-1/type/i4[2]": "wrong-b", "C-1/type/i4[2]": "wrong-c"}
    desk.ship(*(fail(case, cause=cause) for case, cause in cases.items()))
    desk.ran(*map(refuse, cases), header=LATER)
    ((name, text),) = desk.groups().items()
    assert name.startswith("worse-")
    assert text.startswith(
        "2 cases REFUSED: at compile: no kernel of u4 here · B-1 and C-1 · in the baseline: FAIL of "
        "wrong-b and wrong-c"
    )
    assert f"{name} needs --cause ID" in desk.accept("--take", name, code=2)
    desk.cause("refused", KNOWS_ALL + 'outcome = ["REFUSED"]\n')
    desk.accept("--take", name, "--cause", "refused", code=0)
    assert desk.causes_of(desk.later) == dict.fromkeys(cases, "refused")


def test_another_run_is_reported(desk: Desk) -> None:
    desk.ship(fail(PLAIN), isa="SSE41")
    desk.ran(ok(PLAIN), refuse(U4))
    out = desk.accept(code=1)
    assert "The runs differ: instruction set SSE41 in the baseline, AVX2 in this run." in out
    assert kinds(desk.groups()) == ["known", "fixed"]
    # It gets a baseline of its own.
    told = f"{desk.base} is the baseline of another run (instruction set SSE41 in the baseline, AVX2 in this run)"
    options = ("--baseline", str(desk.base), "--take", "all")
    assert told in desk.accept(*options, code=2)
    desk.accept("--take", "all", code=0)
    assert sorted(path.name for path in desk.base.parent.iterdir()) == ["2026.4", "2026.4-AVX2"]


def test_crossings_are_shown_with_what_explains_them(desk: Desk) -> None:
    crossings = [f"{I4}/-/{how}" for how in ("shape=dims", "data=constant")]
    desk.ship(asked=(PLAIN, I4, *crossings))
    desk.cause("i4", KNOWS_ALL + 'type = ["i4"]\n')
    desk.ran(ok(PLAIN), *map(fail, (I4, *crossings)))
    ((name, text),) = desk.groups().items()
    assert text.startswith(
        "3 cases, 2 of them due to others of the group FAIL: wrong values in output"
    )
    desk.accept("--take", name, "--cause", "i4", code=0)
    assert desk.causes_of() == dict.fromkeys((I4, *crossings), "i4")


def test_a_crossing_is_of_the_cause_of_its_part(desk: Desk) -> None:
    """The cause names the part alone."""
    crossing = f"{I4}/-/shape=dims"
    desk.ship(asked=(PLAIN, I4, crossing))
    desk.cause("usual", KNOWS_ALL + 'how = { shape = [""] }\n')
    desk.ran(ok(PLAIN), fail(I4), fail(crossing))
    desk.accept("--take", *desk.groups(), "--cause", "usual", code=0)
    assert desk.causes_of() == {I4: "usual", crossing: "usual"}


def test_what_the_run_of_the_results_explained_is_explained_anew(desk: Desk) -> None:
    """Only the crossing is new: the part that explained it in that run is in the baseline."""
    text = KNOWS_U4.replace('"u4"', '"i4"').replace("REFUSED", "FAIL")
    desk.cause("other", text)
    desk.ship(fail(I4, cause="other"), ok(PLAIN), narrow=("other",))
    crossing = f"{I4}/-/shape=dims"
    explained = fail(crossing, gate="explained", explained_by=I4)
    desk.ran(ok(PLAIN), fail(I4), explained)
    ((name, text),) = desk.groups().items()
    assert name.startswith("known-")
    assert text.startswith("1 case: new cases of other")
    # A part that conforms now explains nothing.
    desk.ran(ok(PLAIN), ok(I4), explained)
    found = desk.groups()
    assert kinds(found) == ["known", "fixed"]
    assert "crossings" not in "".join(found.values())


# --- taking -------------------------------------------------------------------------------------------------------


def share(desk: Desk, case: str) -> float:
    extent = desk.lines()[case].extent
    assert extent is not None
    return extent.share


def test_taking_all_leaves_what_needs_a_look(desk: Desk) -> None:
    better, worse = "B-1/type/i8[2]", "B-1/type/u8[2]"
    desk.cause("of-b", KNOWS_ALL.replace('"*"', '"B-1"'))
    desk.ship(fail(better, cause="of-b"), fail(worse, cause="of-b"), ok(I4))
    desk.ran(refuse(RANDOM_U4), fail(worse, wrong=6), ok(better), fail(I4))
    out = desk.accept("--take", "all", code=1)
    first = out.splitlines()[0]
    assert first.startswith("taken: known-")
    assert first.endswith(f"; written to {desk.base}")
    assert desk.causes_of() == {worse: "of-b", RANDOM_U4: "no-u4"}
    assert share(desk, worse) < 0.2
    left = desk.groups()
    assert kinds(left) == ["broken", "worse"]
    # Once more, and it is the same.
    assert desk.accept("--take", "all", code=1).startswith("taken: nothing; no file changed\n")
    assert desk.groups() == left
    desk.accept("--take", one_group(left, "worse"), code=1)
    assert share(desk, worse) == 1.0
    assert kinds(desk.groups()) == ["broken"]


def test_what_is_better_and_no_cause_names_is_not_taken_unseen(desk: Desk) -> None:
    desk.cause("dies", KNOWS_ALL + 'outcome = ["CRASH"]\n')
    desk.ship(replace(die(I4), cause="dies"), replace(die(U1), cause="dies"))
    desk.ran(refuse(I4, "no"), refuse(U1, "words"))
    found = desk.groups()
    assert kinds(found) == ["fixed", "fixed"]
    assert all("--cause ID" in text for text in found.values())
    assert desk.accept("--take", "all", code=1).startswith("taken: nothing")
    assert all("in the baseline: CRASH of dies" in text for text in found.values())


def test_a_take_waits_for_one_of_the_same_results_alone(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Results of several devices in one folder are taken into several checkouts at a time."""
    monkeypatch.setattr("reports.commands.accept._PATIENCE", 0.0)
    desk.ship(ok(I4))
    desk.ran(refuse(RANDOM_U4))
    with locked(desk.results):
        said = desk.accept("--take", "all", code=2)
    assert f"{desk.results}: another take or run has been writing for 0 s" in said
    with locked(desk.results.parent):
        assert desk.accept("--take", "all", code=0).startswith("taken: known-")


def test_taking_twice_changes_nothing(desk: Desk) -> None:
    desk.ship(ok(I4))
    desk.cause("everything")
    desk.ran(fail(I4), refuse(RANDOM_U4))
    name = one_group(desk.groups(), "broken")
    desk.accept("--take", name, "all", "--cause", "everything", code=0)
    before = tree(desk.folder)
    assert desk.accept("--take", "all", code=0).startswith("taken: nothing")
    assert "there is no such group" in desk.accept("--take", name, "--cause", "everything", code=2)
    assert desk.accept(code=0).startswith("CPU (accuracy)")
    assert tree(desk.folder) == before


def test_the_cause_is_for_the_groups_that_are_named(desk: Desk) -> None:
    desk.ship(ok(I4))
    desk.cause("everything")
    desk.ran(fail(I4), refuse(RANDOM_U4))
    name = one_group(desk.groups(), "broken")
    desk.accept("--take", "all", name, "--cause", "everything", code=0)
    assert desk.causes_of() == {I4: "everything", RANDOM_U4: "no-u4"}


def test_a_known_case_can_be_moved_to_another_cause(desk: Desk) -> None:
    desk.ship()
    desk.cause("everything")
    desk.ran(refuse(RANDOM_U4))
    name = one_group(desk.groups(), "known")
    desk.accept("--take", name, "--cause", "everything", code=0)
    assert desk.causes_of() == {RANDOM_U4: "everything"}


def test_a_narrow_cause_of_regressions_is_taken_by_name_alone(desk: Desk) -> None:
    desk.ship(ok(U4), ok("B-1/type/u4[2]"))
    desk.ran(refuse(U4), refuse("B-1/type/u4[2]"), header=LATER)
    ((name, text),) = desk.groups().items()
    assert name.startswith("regressed-")
    assert text.startswith("2 cases the known cause no-u4 names them: u4 - refused")
    assert text.endswith(f"--take {name}")
    assert desk.accept("--take", "all", code=1).startswith("taken: nothing")
    desk.accept("--take", name, code=0)
    assert set(desk.causes_of(desk.later).values()) == {"no-u4"}


def test_a_cause_by_chance_makes_its_lines_nondeterministic(desk: Desk) -> None:
    desk.cause("race", KNOWS_ALL.replace("\n[[", 'nondeterministic = "a race"\n\n[['))
    desk.ship(ok(I4))
    desk.ran(fail(I4))
    desk.accept("--take", one_group(desk.groups(), "broken"), "--cause", "race", code=0)
    assert desk.lines()[I4].is_nondeterministic
    desk.ran(ok(I4))
    desk.accept(code=0)
    # What it ended in before, it may end in again.
    (desk.causes / "race.toml").write_text(
        KNOWS_ALL.replace("\n[[", 'nondeterministic = "a race"\n\n[[').replace(
            '"CPU"', '"CPU", "GPU"'
        )
    )
    desk.ran(refuse(I4))
    found = desk.groups()
    if found:
        desk.accept("--take", one_group(found, "worse"), code=0)
        assert [str(each.outcome) for each in desk.lines()[I4].endings] == ["REFUSED", "FAIL"]


def test_causes_and_a_baseline_of_ones_own(desk: Desk) -> None:
    own, base = desk.folder / "own", desk.folder / "ours"
    own.mkdir()
    before = tree(desk.causes, desk.baselines)
    desk.ran(fail(I4))
    options = ("--causes", str(own), "--baseline", str(base))
    name = one_group(desk.groups(*options), "new")
    out = desk.accept(*options, code=1)
    assert f"--baseline {base} --causes {own} --take {name} --cause ID" in out
    desk.accept(*options, "--take", name, "--cause", "ours", *NEW_CAUSE, code=0)
    assert [path.name for path in own.iterdir()] == ["ours.toml"]
    assert desk.causes_of(base) == {I4: "ours"}
    assert tree(desk.causes, desk.baselines) == before


# --- causes -------------------------------------------------------------------------------------------------------


def test_a_cause_must_name_what_is_taken_to_it(desk: Desk) -> None:
    desk.ship(ok(I4), ok(U1))
    desk.ran(fail(I4), fail(U1))
    desk.cause("only-i4", KNOWS_ALL + 'type = ["i4"]\n')
    before = tree(desk.folder)
    (name,) = desk.groups()
    told = desk.accept("--take", name, "--cause", "only-i4", code=2)
    assert f"only-i4 does not name 1 case of {name}, such as {U1}: widen its [[select]]" in told
    told = desk.accept("--take", name, "--cause", "no-u4", code=2)
    assert f"no-u4 does not name 2 cases of {name}, such as {I4}" in told
    assert tree(desk.folder) == before


@pytest.mark.parametrize("kind", ["known", "worse", "fixed"])
def test_so_must_one_to_which_what_has_a_cause_is_moved(desk: Desk, kind: str) -> None:
    desk.cause("everything")
    desk.ship(fail(I4, cause="everything"), replace(die(U1), cause="everything"))
    desk.ran(fail(I4, wrong=6), refuse(U1), refuse(RANDOM_U4))
    before = tree(desk.folder)
    desk.cause("of-b", KNOWS_ALL.replace('"*"', '"B-1"'))
    name = one_group(desk.groups(), kind)
    assert "of-b does not name 1 case" in desk.accept("--take", name, "--cause", "of-b", code=2)
    (desk.causes / "of-b.toml").unlink()
    assert tree(desk.folder) == before


def test_each_case_is_taken_to_the_cause_that_names_it(desk: Desk) -> None:
    crossing = f"{I4}/-/shape=dims"
    # One departed before, and its cause does not name how it departs now.
    desk.cause("refusals", KNOWS_ALL + 'outcome = ["REFUSED"]\n')
    desk.cause(
        "wrong-i4", KNOWS_ALL + 'type = ["i4"]\noutcome = ["FAIL"]\nhow = { shape = [""] }\n'
    )
    desk.cause("wrong-u1", KNOWS_ALL + 'type = ["u1"]\noutcome = ["FAIL"]\n')
    other = "A-1/type/i4[7]"
    desk.ship(ok(I4), ok(U1), ok(crossing), refuse(other, cause="refusals"), ok(PLAIN))
    desk.ran(fail(I4), fail(U1), fail(crossing), fail(other), ok(PLAIN))
    found = desk.groups()
    assert kinds(found) == ["broken", "worse"]
    assert all(f"--take {name} --named" in text for name, text in found.items())
    assert desk.accept("--take", *found, "--named", code=0)
    assert desk.causes_of() == {
        I4: "wrong-i4", U1: "wrong-u1", crossing: "wrong-i4", other: "wrong-i4",
    }  # fmt: skip


def test_of_a_group_that_is_taken_so_every_case_must_be_named(desk: Desk) -> None:
    desk.cause("wrong-i4", KNOWS_ALL + 'type = ["i4"]\n')
    desk.ship(ok(I4), ok(U1))
    desk.ran(fail(I4), fail(U1))
    ((name, text),) = desk.groups().items()
    assert "--named" not in text
    before = tree(desk.folder)
    told = desk.accept("--take", name, "--named", code=2)
    assert f"--named: no cause names cases of {name} (1 case, such as {U1}); use --cause ID" in told
    for options in (("--take", "all"), ("--take", name, "--cause", "wrong-i4"), ()):
        assert "--named needs --take with ids of groups" in desk.accept(*options, "--named", code=2)
    assert tree(desk.folder) == before


def test_the_cases_of_a_group_are_listed(desk: Desk) -> None:
    desk.cause("wrong-i4", KNOWS_ALL + 'type = ["i4"]\n')
    desk.ship(ok(I4), ok(U1))
    desk.ran(fail(I4), fail(U1))
    (name,) = desk.groups()
    rows = sorted(line.split("\t") for line in desk.accept("--list", name, code=0).splitlines())
    assert rows == sorted([[I4, "FAIL", "wrong-i4"], [U1, "FAIL", "no cause"]])
    assert "there is no such group" in desk.accept("--list", "new-00000", code=2)
    assert "excludes" in desk.accept("--list", name, "--take", name, code=2)


def test_options_that_describe_a_new_cause_are_no_change_of_one_that_is_there(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(ok(I4))
    desk.ran(fail(I4))
    (name,) = desk.groups()
    options = ("--take", name, "--cause", "everything")
    told = desk.accept(*options, "--page", "its words", code=2)
    assert "--page: the cause is there already; change " in told
    assert "everything.toml" in told
    desk.accept(*options, code=0)


def test_a_cause_that_was_made_is_a_hint_of_other_groups(desk: Desk) -> None:
    desk.ship(ok(I4), ok("A-1/type/i4[9]"))
    desk.ran(fail(I4), die("A-1/type/i4[9]"))
    name = next(name for name, text in desk.groups().items() if "FAIL" in text)
    desk.accept("--take", name, "--cause", "i4", *NEW_CAUSE, code=1)
    (desk.causes / "i4.toml").write_text(KNOWS_ALL + 'type = ["i4"]\n')
    (text,) = desk.groups().values()
    assert "causes that may be right: i4 (all)" in text


def test_a_new_cause_is_drafted_and_nothing_is_taken_before_it_is_complete(desk: Desk) -> None:
    cases = ["A-1/type/i4[2,3]/mode=x", "A-1/type/i4[2,3,5]/mode=x"]
    desk.ship(asked=(PLAIN, *cases))
    desk.ran(ok(PLAIN), *map(refuse, cases))
    (name,) = desk.groups()
    command = ("--take", name, "--cause", "no-i4")
    before = tree(desk.baselines)
    path = desk.causes / "no-i4.toml"
    told = desk.accept(*command, code=2)
    assert "--cause no-i4: there is no such cause; a new one needs --class: defect, limit" in told
    assert not path.exists()
    told = desk.accept(*command, "--class", "defect", code=2)
    lacks = "add its title, component and page. The file is drafted and nothing is taken"
    assert f"{path}: {lacks}" in told
    assert tree(desk.baselines) == before
    one = causes.read(path)
    assert (one.cause_class, one.smallest, one.since, one.devices) == (
        "defect",
        cases[0],
        "2026.4",
        ("CPU",),
    )
    # The draft is the user's now: the command does not change it.
    text = path.read_text()
    for field, value in (
        ("title", "A - i4 - refused"),
        ("component", "plugin node"),
        ("page", "'any type'"),
    ):
        assert f"{path}: add its" in desk.accept(*command, code=2)
        was = 'title = "A - to be described"' if field == "title" else f'{field} = ""'
        assert was in text
        text = text.replace(was, f'{field} = "{value}"')
        path.write_text(text)
    desk.accept(*command, code=0)
    assert path.read_text() == text
    assert desk.causes_of() == dict.fromkeys(cases, "no-i4")


@pytest.mark.parametrize("kind", ["limit", "open", "stack"])
def test_words_of_the_page_are_for_a_defect_or_an_error_of_a_page(desk: Desk, kind: str) -> None:
    desk.ship(ok(I4))
    desk.ran(fail(I4))
    given = ("--title", "A - i4 - wrong", "--component", "oneDNN", "--class", kind)
    desk.accept("--take", *desk.groups(), "--cause", "wrong-i4", *given, code=0)
    desk.accept("--take-back", code=0)
    for demanding in ("defect", "page"):
        given = (*given[:-1], demanding)
        told = desk.accept("--take", *desk.groups(), "--cause", "wrong-i4", *given, code=2)
        assert "wrong-i4.toml: add its page." in told
        desk.accept("--take-back", code=0)


def test_a_new_cause_with_all_that_it_needs_is_taken_at_once(desk: Desk) -> None:
    desk.ship(ok(I4), ok(U1), ok("A-1/type/u2[2]"), ok(PLAIN))
    departures = [refuse(I4), die(U1), fail("A-1/type/u2[2]")]
    desk.ran(ok(PLAIN), *departures)
    before = tree(desk.folder)
    names = desk.groups()
    assert len(names) == 3
    desk.accept("--take", *names, "--cause", "odd", *NEW_CAUSE, code=0)
    one = causes.read(desk.causes / "odd.toml")
    assert (one.title, one.cause_class, one.component, one.page) == (
        "A - i4 - wrong", "defect", "plugin node", "'any type'",
    )  # fmt: skip
    # It names departures of all kinds, and the draft is taken back with them.
    found = causes.load()
    assert all(one in found.naming(each, RUN) for each in departures)
    desk.accept("--take-back", code=0)
    assert tree(desk.folder) == before


# --- a new release ------------------------------------------------------------------------------------------------


def test_a_new_release_begins_with_what_is_known_of_the_nearest(desk: Desk) -> None:
    fixed = "B-1/type/i8[2]"
    desk.cause("everything")
    desk.ship(fail(I4, cause="everything"), fail(fixed), ok(U4), ok(PLAIN))
    ran = (ok(PLAIN), fail(I4), ok(fixed), refuse(U4))
    desk.ran(*ran, header=LATER)
    found = desk.groups()
    assert kinds(found) == ["regressed", "fixed"]
    desk.accept("--take", "all", code=1)
    # It stands on the other one, whose case it still falls through to.
    made = read_folder(desk.later)
    assert made.base is not None
    assert made.run.openvino == "2026.5.0-1"
    assert list(desk.lines(desk.later)) == [fixed]
    gates = {I4: "known", fixed: "pass", U4: "regressed", PLAIN: "pass"}
    assert desk.gates(desk.later, *ran, header=LATER) == gates
    # Its id is as it was.
    assert [*desk.groups()] == [one_group(found, "regressed")]
    desk.accept("--take", *desk.groups(), code=0)
    gates[U4] = "known"
    assert desk.gates(desk.later, *ran, header=LATER) == gates
    # What is as the other one says has no line. The other one is as it was.
    assert desk.causes_of(desk.later) == {fixed: "", U4: "no-u4"}
    assert set(desk.lines()) == {I4, fixed}
    # What passes in the new release and departs later is broken there.
    assert desk.gates(desk.later, fail(PLAIN), header=LATER) == {PLAIN: "broken"}


def test_shares_of_causes_are_measured_when_nothing_is_left(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(ok(U4), ok(PLAIN), ok(I4))
    desk.ran(ok(PLAIN), refuse(U4), fail(I4), header=LATER)
    first, second = desk.groups()
    given = ("--cause", "everything")
    desk.accept("--take", first, *given, code=1)
    assert not (desk.later / PRECISION).exists()
    desk.accept("--take", second, *given, code=0)
    known = causes.load()
    shares = from_text((desk.later / PRECISION).read_text())
    assert shares == known.measure([ok(PLAIN), refuse(U4), fail(I4)], RUN)
    # A part of the cases says nothing of causes.
    part = replace(LATER, selection=Selection(depth="single", operations=["A-1"]))
    desk.ran(refuse(RANDOM_U4), header=part)
    desk.accept("--take", *desk.groups(), *given, code=0)
    assert from_text((desk.later / PRECISION).read_text()) == shares


@pytest.mark.parametrize(
    "profile, isa, name",
    [
        ("accuracy", "AVX2", "2026.5"),
        ("performance", "AVX2", "2026.5-performance"),
        ("opencl=pocl", "AVX2", "2026.5-pocl"),
    ],
)
def test_the_name_of_a_new_baseline(desk: Desk, profile: str, isa: str, name: str) -> None:
    desk.ship(ok(PLAIN))
    target = replace(HEADER.targets[0], profile=profile, isa=isa)
    desk.ran(record(PLAIN, profile=profile), header=replace(LATER, targets=[target]))
    out = desk.accept(code=0)
    assert (
        f"This run has no baseline of its own yet. This command makes {desk.baselines / 'CPU' / name}:"
        in out
    )
    desk.accept("--take", "all", code=0)
    assert sorted(path.name for path in (desk.baselines / "CPU").iterdir()) == ["2026.4", name]


def test_other_kernels_of_a_release_have_a_baseline_above_it(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(fail(U1, cause="everything"), ok(I4), ok(PLAIN))
    target = replace(HEADER.targets[0], isa="SSE41")
    given = replace(HEADER, targets=[target])
    ran = (fail(I4), fail(U1), ok(PLAIN))
    desk.ran(*ran, header=given)
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    overlay = desk.baselines / "CPU" / "2026.4-SSE41"
    assert set(desk.lines(overlay)) == {I4}
    assert set(desk.lines()) == {U1}
    assert set(desk.gates(overlay, *ran, header=given).values()) == {"known", "pass"}
    # A change of the one below leaves what it knows of its own cases.
    desk.ran(ok(I4), ok(U1), ok(PLAIN))
    desk.accept("--take", "all", code=0)
    assert desk.lines() == {}
    assert set(desk.lines(overlay)) == {I4, U1}
    assert set(desk.gates(overlay, *ran, header=given).values()) == {"known", "pass"}
    desk.accept("--take-back", code=0)
    assert set(desk.lines(overlay)) == {I4}


def test_a_change_reaches_a_baseline_that_stands_two_above(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(fail(U1, cause="everything"), ok(I4), ok(PLAIN))
    given = replace(HEADER, targets=[replace(HEADER.targets[0], isa="SSE41")])
    desk.ran(fail(I4), header=given)
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    overlay = desk.baselines / "CPU" / "2026.4-SSE41"
    # The one between has not asked what those above and below it know.
    third = shutil.copytree(overlay, overlay.with_name("third"))
    shutil.copy(desk.baselines / "CPU" / "2026.4" / "asked.tsv", third)
    run = third / "run.toml"
    run.write_text(run.read_text("utf-8").replace('base = "2026.4"', f'base = "{overlay.name}"'))
    assert desk.gates(third, fail(U1), header=given) == {U1: "known"}
    desk.ran(ok(I4), ok(U1), ok(PLAIN))
    desk.accept("--take", "all", code=0)
    assert desk.lines() == {}
    assert desk.gates(third, fail(U1), header=given) == {U1: "known"}


def test_groups_of_a_new_overlay_keep_their_ids_between_takes(desk: Desk) -> None:
    desk.cause("no-u4", KNOWS_U4)
    others = [ok(RANDOM_U4), *(ok(f"A-1/random/u4[{size}]") for size in range(3, 30))]
    desk.ship(ok(U4), ok(I4), ok(PLAIN), *others)
    given = replace(HEADER, targets=[replace(HEADER.targets[0], isa="SSE41")])
    # On other kernels a narrow cause lets one pass, and none names the other. In this run it is not narrow.
    desk.ran(refuse(U4), fail(I4), ok(PLAIN), *others, header=given)
    first = desk.groups()
    assert kinds(first) == ["broken", "known"]
    desk.accept("--take", one_group(first, "broken"), "--cause", "other", *NEW_CAUSE)
    assert (desk.baselines / "CPU" / "2026.4-SSE41" / "run.toml").exists()
    assert list(desk.groups()) == [one_group(first, "known")]


def test_a_folder_of_ones_own_stands_alone_once_all_is_taken(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(fail(U1, cause="everything"), ok(I4))
    desk.ran(fail(I4), fail(U1), header=LATER)
    own = desk.folder / "ours" / "cpu"
    options = ("--baseline", str(own))
    desk.accept(*options, "--take", "all", code=1)
    assert 'base = "2026.4"' in (own / "run.toml").read_text()
    desk.accept(*options, "--take", *desk.groups(*options), "--cause", "everything", code=0)
    assert "base =" not in (own / "run.toml").read_text()
    assert set(desk.lines(own)) == {I4, U1}


# --- parts of the cases, and more of them -------------------------------------------------------------------------


def test_what_was_broken_stays_so_in_a_folder_that_is_made_without_it(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(fail(I4, cause="everything"), ok(U4), ok(PLAIN))
    desk.ran(fail(I4), refuse(U4), ok(PLAIN))
    options = ("--baseline", str(desk.folder / "ours"))
    name = one_group(desk.groups(), "broken")
    assert desk.accept(*options, "--take", "all", code=1).startswith("taken: nothing")
    assert [*desk.groups(*options)] == [name]
    desk.accept(*options, "--take", name, code=0)
    assert set(desk.lines(desk.folder / "ours")) == {I4, U4}


def test_what_departs_and_is_not_taken_was_not_asked(desk: Desk) -> None:
    desk.cause("everything")
    desk.ran(fail(I4), die(PLAIN), ok(U1))
    desk.accept("--take", "all", code=1)
    made = read_folder(desk.base)
    assert [each in made.asked for each in (I4, PLAIN, U1)] == [False, False, True]
    assert set(kinds(desk.groups())) == {"new"}
    # What passes by now has passed.
    desk.ran(fail(I4), ok(PLAIN), ok(U1))
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    desk.ran(fail(I4), die(PLAIN), ok(U1))
    assert one_group(desk.groups(), "broken")


def test_a_run_that_asked_more_counts_as_that(desk: Desk) -> None:
    desk.cause("everything")
    desk.ran(fail(I4), ok(PLAIN))
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    deeper = replace(HEADER, selection=Selection(depth="pairs"))
    desk.ran(fail(I4), ok(PLAIN), ok(f"{PLAIN}/shape=dims"), header=deeper)
    desk.accept("--take", "all", code=0)
    assert read_folder(desk.base).run.depth == "pairs"
    # A part of the cases does not count as such a run, and takes nothing away.
    part = Selection(depth="all", operations=["B-1"])
    desk.ran(ok("B-1/plain/f32[2]"), header=replace(HEADER, selection=part))
    desk.accept("--take", "all", code=0)
    made = read_folder(desk.base)
    assert made.run.depth == "pairs"
    assert all(
        each in made.asked for each in (I4, PLAIN, f"{PLAIN}/shape=dims", "B-1/plain/f32[2]")
    )
    assert set(made.lines) == {I4}


def test_what_has_no_verdict_was_not_asked(desk: Desk) -> None:
    desk.ran(record(I4, "ABSENT"), record(PLAIN, "ERROR"), ok(U1))
    out = desk.accept("--take", "all", code=0)
    assert "2 cases without a verdict (ABSENT, ERROR) are left out." in out
    desk.ran(fail(I4), fail(PLAIN), ok(U1))
    assert set(kinds(desk.groups())) == {"new"}


@pytest.mark.parametrize(
    "selection",
    [{"shard": "1/8"}, {"purposes": ["type"]}, {"filters": ["--case A-1/plain/f32[2,3]"]}],
)
def test_a_part_of_the_cases_of_a_release_leaves_the_others_to_the_nearest(
    desk: Desk, selection: dict[str, Any]
) -> None:
    other = "B-1/plain/f32[2]"
    desk.cause("everything")
    desk.ship(ok(U4), ok(PLAIN), fail(I4, cause="everything"), ok(other))
    part = replace(LATER, selection=Selection(depth="single", **selection))
    desk.ran(refuse(U4), ok(PLAIN), header=part)
    # Nothing is gone: the run did not ask all.
    assert kinds(desk.groups()) == ["regressed"]
    desk.accept("--take", *desk.groups())
    now = (refuse(U4), fail(PLAIN), fail(I4), fail(other))
    assert desk.gates(desk.later, *now, header=LATER) == {
        U4: "known", PLAIN: "broken", I4: "known", other: "regressed",
    }  # fmt: skip
    assert not (desk.later / PRECISION).exists()


def test_digests_are_those_of_the_machine(desk: Desk) -> None:
    """Known failures get the digest of their answer, so that another wrong answer is seen in the next run."""
    digests = {I4: "1" * 10, U1: "2" * 10, PLAIN: "3" * 10 + "~"}
    desk.cause("everything")
    desk.ship(*(fail(each, cause="everything", digest="0" * 10) for each in digests))
    ran = [fail(case, digest=digest) for case, digest in digests.items()]
    for given in (LATER, HEADER):
        desk.ran(*ran, header=given)
        folder = desk.later if given is LATER else desk.base
        desk.accept("--take", "all")
        if given is LATER:
            # One answer is not always the same, which is noted.
            found = {case: line.digest for case, line in desk.lines(folder).items()}
            assert found == {I4: "1" * 10, U1: "2" * 10, PLAIN: "~"}
            assert set(desk.gates(folder, *ran, header=LATER).values()) == {"known"}
            other = fail(I4, digest="9" * 10)
            assert desk.gates(folder, other, header=LATER) == {I4: "worse"}


def test_digests_of_another_processor_are_taken_where_no_rounding_is_allowed(desk: Desk) -> None:
    desk.cause("everything")
    known = fail(U1, cause="everything", fraction=None)
    desk.ship(fail(I4, cause="everything", digest="0" * 10), known)
    target = replace(HEADER.targets[0], full_name="Another CPU")
    rounded, exact = fail(I4, digest="1" * 10), fail(U1, digest="2" * 10, fraction=None)
    new = [fail(PLAIN, digest="3" * 10), fail(U4, digest="4" * 10, fraction=None)]
    part = Selection(depth="single", operations=["A-1"])
    desk.ran(rounded, exact, *new, header=replace(HEADER, targets=[target], selection=part))
    desk.accept("--take", "all")
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    found = {case: line.digest for case, line in desk.lines().items()}
    assert found == {I4: "0" * 10, U1: "2" * 10, PLAIN: "", U4: "4" * 10}


# --- several runs -------------------------------------------------------------------------------------------------


def several(desk: Desk, *runs: Sequence[CaseRecord]) -> list[str]:
    """Results files of several runs, the first of them the desk's own."""
    paths = []
    for number, records in enumerate(runs):
        path = desk.results if not number else desk.folder / f"run{number}.jsonl"
        paths.append(str(write(path, HEADER, *records)))
    return paths[1:]


def test_what_ends_in_several_ways_becomes_nondeterministic(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(ok(I4), ok(U1))
    others = several(desk, [die(I4), fail(U1)], [fail(I4), fail(U1)], [ok(I4), fail(U1)])
    found = desk.groups(*others)
    desk.accept(*others, "--take", *found, "--cause", "everything", code=0)
    lines = desk.lines()
    assert [str(each.outcome) for each in lines[I4].endings] == ["PASS", "FAIL", "CRASH"]
    assert lines[I4].is_nondeterministic
    assert not lines[U1].is_nondeterministic
    assert desk.accept(*others, code=0)


def test_an_answer_that_differs_between_runs_is_not_compared(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(ok(I4), ok(U1))
    answers = [["0a", "0c"], ["0b", "0c"]]
    others = several(desk, *([fail(I4, digest=x), fail(U1, digest=y)] for x, y in answers))
    desk.accept(*others, "--take", *desk.groups(*others), "--cause", "everything", code=0)
    assert {case: line.digest for case, line in desk.lines().items()} == {I4: "~", U1: "0c"}


def test_a_known_departure_that_passes_in_another_run_becomes_nondeterministic(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(fail(I4, cause="everything"))
    others = several(desk, [fail(I4)], [ok(I4)])
    name = one_group(desk.groups(*others), "worse")
    desk.accept(*others, "--take", name, code=0)
    line = desk.lines()[I4]
    assert line.is_nondeterministic
    assert line.cause == "everything"
    assert [str(each.outcome) for each in line.endings] == ["PASS", "FAIL"]
    desk.accept(*others, code=0)


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "options, told",
    [
        (["--take", "new-00000"], "--take new-00000: there is no such group; there are broken-"),
        (["--take", "{broken}"], "needs --cause ID: the id of an existing cause, or of a new one"),
        (["--take", "{broken}", "--cause", "Not An Id"], "--cause 'Not An Id': an id has small letters"),
        (["--take", "{broken}", "--cause", "a--b"], "an id has small letters"),
        (["--take", "{broken}", "--cause", "größe"], "an id has small letters"),
        (["--take", "{broken}", "--cause", "../x"], "an id has small letters"),
        (["--take", "{broken}", "--cause", "no-cause"], "and is not no-cause"),
        (["--take", "{broken}", "--cause", "x"], "a new one needs --class: defect, limit, page, open and stack"),
        (["--take", "{broken}", "--cause", "lacking"], "lacking.toml: add its component, smallest and page"),
        (["--take", "all", "--cause", "nothing-named"], "there is no such cause, and these groups have no departure"),
        (["--target", "GPU (accuracy)"], "--target GPU (accuracy): the results have CPU (accuracy)"),
        (["--causes", "nowhere"], "nowhere: there is no such folder of causes"),
        (["--take-back"], "run.accepted.json: nothing to take back"),
        (["--take-back", "--take", "all"], "--take-back excludes all other options of a take"),
        (["--take-back", "--page", "x"], "--take-back excludes all other options of a take"),
        (["--cause", "no-u4", "--page", "x"], "--cause and --page: add --take GROUP, whose cause it is"),
        (["--take", "all", "--class", "open"], "--class: add --cause ID, the new cause that it describes"),
        (["--take", "{broken}", "--cause", "of-gpu"], "it is a cause of GPU; add CPU to its devices"),
        (["--take", "{broken}", "--cause", "c", "--title", "a\x7fb"], "one line each, without control characters"),
    ],
)  # fmt: skip
def test_wrong_usage_is_one_line_and_changes_nothing(
    desk: Desk, options: list[str], told: str
) -> None:
    desk.cause("of-gpu", KNOWS_ALL.replace('"CPU"', '"GPU"'))
    desk.cause(
        "lacking", 'title = "t"\nclass = "defect"\ndevices = ["CPU"]\n[[select]]\nkind = "value"\n'
    )
    desk.ship(ok(I4))
    desk.ran(fail(I4), refuse(RANDOM_U4))
    name = one_group(desk.groups(), "broken")
    before = tree(desk.folder)
    given = [each.format(broken=name) for each in options]
    assert told in desk.accept(*given, code=2)
    assert tree(desk.folder) == before


def test_a_take_that_fails_makes_no_folder(desk: Desk) -> None:
    desk.ran(fail(I4))
    before = tree(desk.folder)
    assert not desk.baselines.exists()
    assert "there is no such group" in desk.accept("--take", "new-00000", code=2)
    assert tree(desk.folder) == before


def test_files_that_cannot_be_read_are_one_line(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    assert "run.jsonl: cannot be read" in desk.accept(code=2)
    desk.ran(record(PLAIN), record(PLAIN, device="GPU"))
    told = desk.accept(code=2)
    assert "the results have several targets, CPU (accuracy), GPU (accuracy); choose one" in told
    desk.ran()
    assert "the results have no case" in desk.accept(code=2)
    desk.ran(ok(PLAIN), header=replace(HEADER, openvino=""))
    assert "run.jsonl: the run does not say which OpenVINO it tested" in desk.accept(code=2)
    desk.ran(ok(PLAIN))
    (desk.base / "x.txt").write_text("odd\n")
    assert "x.txt: line 1: expected a cause, a colon and how cases ended" in desk.accept(code=2)
    (desk.base / "x.txt").unlink()
    (desk.base / "run.toml").write_text("=")
    assert "run.toml: " in desk.accept(code=2)
    assert main(["accept", ""]) == 2


def test_one_of_several_targets_is_chosen(desk: Desk) -> None:
    desk.ship(ok(I4), ok(U1))
    given = replace(HEADER, targets=[*HEADER.targets, replace(HEADER.targets[0], device="GPU")])
    desk.ran(fail(I4), fail(U1), record(PLAIN, device="GPU"), header=given)
    found = desk.groups("--target", "CPU (accuracy)")
    assert found[one_group(found, "broken")].startswith("2 cases")
    assert desk.accept("--target", "GPU (accuracy)", code=0)


def test_a_results_file_is_no_folder_to_write(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    desk.ran(fail(PLAIN))
    out = desk.accept("--baseline", str(desk.results), code=2)
    assert "is a file; give a folder" in out


def test_a_folder_that_is_no_baseline(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    desk.ran(fail(PLAIN))
    folder = desk.folder / "ours"
    folder.mkdir()
    (folder / "notes.txt").write_text("mine")
    assert "run.toml: cannot be read" in desk.accept("--baseline", str(folder), code=2)
    assert tree(folder).keys() == {str(folder), str(folder / "notes.txt")}


def test_a_baseline_of_another_device(desk: Desk) -> None:
    desk.ship(ok(PLAIN))
    on_gpu = replace(HEADER, targets=[replace(HEADER.targets[0], device="GPU")])
    desk.ran(record(PLAIN, device="GPU"), header=on_gpu)
    said = desk.accept("--baseline", str(desk.base), "--take", "all", code=2)
    assert "a baseline of CPU cannot be used for GPU" in said


# --- what a reviewer reads ----------------------------------------------------------------------------------------


def test_a_take_says_what_each_cause_gained_and_lost(desk: Desk) -> None:
    fixed = "B-1/type/i8[2]"
    desk.cause("everything")
    desk.ship(fail(I4, cause="everything"), fail(fixed, cause="everything"), ok(U4), ok(PLAIN))
    desk.ran(ok(PLAIN), fail(I4), ok(fixed), refuse(U4), header=LATER)
    desk.accept("--take", "all", *desk.groups(), code=0)
    assert (desk.later / REVIEW).read_text() == (
        "# Changes against CPU 2026.4\n\n2 cases in 2 causes.\n\n"
        "| cause | change | cases | such as |\n|---|---|---|---|\n"
        f"| everything | lost | 1 | `{fixed}` |\n| no-u4 | gained | 1 | `{U4}` |\n"
    )


def test_it_says_which_causes_do_not_name_their_cases(desk: Desk) -> None:
    desk.cause("old-words", KNOWS_ALL + 'message = ["some old words*"]\n')
    desk.ship(refuse(I4, "some old words of it", cause="old-words"))
    desk.ran(refuse(I4, "new words altogether"), header=LATER)
    desk.accept("--take", "all", code=0)
    assert desk.causes_of(desk.later) == {I4: "old-words"}
    text = (desk.later / REVIEW).read_text()
    assert "## Causes that do not name cases of their own" in text
    assert text.endswith(f"| old-words | 1 | `{I4}` |\n")


# --- two branches -------------------------------------------------------------------------------------------------


class Branches:
    """A repository with the folders of a desk, in which each branch takes what a run of its own shows."""

    def __init__(self, desk: Desk, *base: CaseRecord) -> None:
        self.desk, self.base = desk, base
        attributes = (Path(__file__).parents[4] / ".gitattributes").read_text()
        (desk.folder / ".gitattributes").write_text(attributes.replace("reports/", ""))
        desk.ship(*base)
        self.git("init", "-q", "-b", "main")
        self.git("add", "baselines", "causes", ".gitattributes")
        self.git("commit", "-qm", "base")

    def git(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        command = ["git", "-C", str(self.desk.folder), *identity, *arguments]
        return subprocess.run(command, capture_output=True, text=True)

    def take(self, name: str, *records: CaseRecord) -> None:
        """Take the departures of a run, of a part of the cases, in a branch of this name to a cause of this name."""
        self.git("checkout", "-qb", name, "main")
        part = replace(HEADER, selection=Selection(depth="single", operations=["A-1"]))
        self.desk.ran(*self.base, *records, header=part)
        group = one_group(self.desk.groups(), "new")
        self.desk.accept("--take", group, "--cause", name, *NEW_CAUSE, code=0)
        self.desk.results.with_suffix(".accepted.json").unlink()
        self.git("add", "baselines", "causes")
        assert not self.git("commit", "-qm", name).returncode


BASE = [fail(f"A-1/type/f64[2,{n}]", cause="no-u4") for n in range(9)]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_branches_that_take_different_cases_merge_without_a_conflict(desk: Desk) -> None:
    branches = Branches(desk, *BASE)
    one, other = refuse("B-1/random/i4[2]"), replace(die("C-1/random/u1[2]"), category="sort")
    # Some cases of one row are asked by both.
    shared, *own = (ok(f"A-1/random/i8[{n}]") for n in (2, 3, 4))
    branches.take("one", one, shared, own[0])
    branches.take("two", other, shared, own[1])
    merged = branches.git("merge", "-q", "--no-edit", "one")
    assert merged.returncode == 0, merged.stdout
    every = [*BASE, one, other, shared, *own]
    desk.ran(*every)
    desk.accept(code=0)
    assert set(desk.causes_of().values()) == {"no-u4", "one", "two"}
    made = read_folder(desk.base)
    assert all(each.case in made.asked for each in every)
    rows = (desk.base / REVIEW).read_text().splitlines()
    assert sorted(row[:8] for row in rows if "gained" in row) == ["| one | ", "| two | "]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
def test_lines_of_two_branches_at_one_place_are_a_conflict(desk: Desk) -> None:
    """Joined line by line a case of one could stand below what the other one says how it ended."""
    branches = Branches(desk, *BASE)
    branches.take("one", refuse("B-1/random/i4[2]"))
    branches.take("two", die("B-1/random/u1[2]"))
    merged = branches.git("merge", "-q", "--no-edit", "one")
    assert merged.returncode
    conflicts = [line for line in merged.stdout.splitlines() if line.startswith("CONFLICT")]
    assert [line.rpartition("/")[2] for line in conflicts] == ["movement.txt"]
    desk.ran(*BASE)
    assert "movement.txt: line " in desk.accept(code=2)


def test_the_line_of_a_record_is_what_is_taken(desk: Desk) -> None:
    desk.cause("everything")
    desk.ship(ok(I4))
    departure = fail(I4, digest="0123456789")
    desk.ran(departure)
    desk.accept("--take", *desk.groups(), "--cause", "everything", code=0)
    (line,) = desk.lines().values()
    assert line.digest == "0123456789"
    assert line.endings == line_of(departure).endings


def test_what_departs_as_another_baseline_of_the_release_says_needs_no_look(desk: Desk) -> None:
    """Known to a run, such a case is no new one; taken, it has a line, and its cause."""
    profile = [Target(device="CPU", profile="performance", isa="AVX2", full_name="A CPU")]
    desk.ship(ok(PLAIN), name="2026.4-performance", profile="performance", isa="AVX512")
    desk.ship(ok(PLAIN), fail(I4, cause="wrong-i4"), fail(U1, cause="wrong-u1"))
    desk.cause("wrong-i4", KNOWS_ALL)
    desk.cause("wrong-u1", KNOWS_ALL)
    ran = [replace(each, profile="performance") for each in (ok(PLAIN), fail(I4), die(U1))]
    desk.ran(*ran, header=replace(HEADER, targets=profile))
    groups = desk.groups()
    assert kinds(groups) == ["new", "known"]
    assert "wrong-i4" in groups[one_group(groups, "known")]
    desk.accept("--take", "all")
    taken = desk.baselines / "CPU" / "2026.4-performance-AVX2"
    assert desk.causes_of(taken) == {I4: "wrong-i4"}
    assert kinds(desk.groups()) == ["new"]
