"""Expectations updated, checked and shown."""

import random
import re
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace
from small_results import HOSTILE, header, record, write

from reports.__main__ import main
from reports.expectation_edits import rewrite
from reports.expectation_files import ExpectationsError, load, load_for
from reports.known import Severity
from reports.known import load as load_known
from reports.passing import load as load_passing

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = """\
# The departures of the CPU.
# Each checked by hand.

# About A: the kernel is missing.
[[expect]]  # the first
id = "no-i4"
title = '''
  no kernel
[[expect]]
  yet'''
class = "limit"
covers = [
  { operation = "A-1", type = "i4", outcome = "REFUSED" },  # any shape
]

# ---- Section of B ----

# About B.
[[expect]]
id = "b"
title = "known"
class = "defect"
covers = [{ case = ["B-1/x", "B-1/y"], outcome = ["FAIL", "CRASH"], when.profile = "accuracy" }]

# ---- The end ----
"""
PLAIN = FILE.replace("[[expect]]\n  yet", "yet")


@pytest.fixture
def directory(tmp_path):
    directory = tmp_path / "expectations"
    directory.mkdir()
    (directory / "CPU.toml").write_text(PLAIN, encoding="utf-8")
    return directory


@pytest.fixture
def run(tmp_path, directory):
    """Return a function that runs an action on records and returns its exit code."""

    def run(action, *records, options=(), device="CPU", seed=0):
        profiles = sorted({one.profile for one in records}) or ["accuracy"]
        devices = sorted({one.device for one in records})
        head = header(devices=devices, profiles=profiles, seed=seed)
        path = write(tmp_path / "results.jsonl", head, *records)
        return main(
            ["expectations", action, str(path), "--directory", str(directory)]
            + (["--device", device] if device else [])
            + list(options)
        )

    return run


KNOWN = (
    record("A-1/type/i4[5]", "REFUSED", "expected"),
    record("B-1/x", "FAIL", "expected"),
    record("C-1/plain/f32[2,3]"),
)
NEW = record("C-1/type/f64[2,3]", "FAIL", detail="2 for 1")
ACCEPT = ("--title", "The title, in one line")
INLINE = 'id = "a", title = "t", class = "open", covers = [{ operation = "A", outcome = "FAIL" }]'
VARYING = """
[[expect]]
id = "v"
title = "v"
class = "defect"
covers = [{ operation = "V-1", outcome = ["FAIL", "CRASH"], varies = "by luck" }]
"""
ENTRY = """[[expect]]
id = "{}"
title = "t"
class = "open"
covers = [{{ operation = "A", outcome = "FAIL" }}]
"""


def failure(case: str, wrong: int, **other):
    return record(case, "FAIL", "expected", wrong=wrong, elements=10, fraction=2.0, **other)


def last_entry(directory: Path, name: str = "CPU.toml"):
    return load(directory / name).entries[-1]


class TestUpdate:
    def test_nothing_to_do(self, run, directory, capsys):
        assert run("update", *KNOWN) == 0
        assert "no new departure" in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == PLAIN
        assert not (directory / "CPU.known.tsv").exists()

    def test_a_new_departure_is_listed_and_not_accepted(self, run, directory, capsys):
        assert run("update", *KNOWN, NEW) == 1
        out = capsys.readouterr().out
        assert "1 departure, new; accept them with --title TEXT" in out
        assert re.search(r"FAIL +C-1/type/f64\[2,3\] \(accuracy\) +2 for 1", out)
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_a_title_accepts_it_and_all_else_stays(self, run, directory, capsys):
        facts = ("--link", "https://x.org", "--page", "T: any", "--since", "2024.0")
        options = (*ACCEPT, *facts, "--class", "open", "--unstable", "threads", "--id", "c-f64")
        assert run("update", *KNOWN, NEW, options=options) == 0
        text = (directory / "CPU.toml").read_text()
        assert text.startswith(PLAIN.rstrip("\n"))
        last = last_entry(directory)
        (cover,) = last.covers
        assert cover.selector.conditions == {"operation": ("C-1",), "type": ("f64",)}
        assert cover.outcomes == ("FAIL",)
        assert (last.id, last.title, last.kind) == ("c-f64", ACCEPT[1], "open")
        assert (last.link, last.page, last.since) == ("https://x.org", "T: any", "2024.0")
        assert (last.unstable, last.smallest) == ("threads", NEW.case)
        assert run("update", *KNOWN, NEW) == 0
        assert (directory / "CPU.toml").read_text() == text

    def test_an_id_is_made_of_the_title(self, run, directory):
        assert run("update", *KNOWN, NEW, options=ACCEPT) == 0
        more = record("D-1/type/f64[2,3]", "FAIL")
        assert run("update", *KNOWN, NEW, more, options=ACCEPT) == 0
        ids = [one.id for one in load(directory / "CPU.toml").entries]
        assert ids == ["no-i4", "b", "the-title-in-one-line", "the-title-in-one-line-2"]
        other = record("E-1/type/f64[2,3]", "FAIL")
        assert run("update", *KNOWN, NEW, more, other, options=("--title", "-")) == 0
        assert last_entry(directory).id == "root-cause"

    def test_an_id_that_is_taken(self, run, directory, capsys):
        assert run("update", *KNOWN, NEW, options=(*ACCEPT, "--id", "b")) == 2
        assert "there is an entry with the id 'b' already" in capsys.readouterr().err
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_one_root_cause_has_a_cover_for_each_way_to_fail(self, run, directory):
        new = [record(f"C-1/type/{one}[2]", "FAIL") for one in ("i8", "i4")]
        new += [record("C-1/type/u4[2]", "FAIL", detail="[0] is 2, should be 1; 2 of 2 wrong")]
        new += [record("C-1/type/u1[2]", "CRASH")]
        new += [record("D-1/type/u4[2]", "REFUSED", detail="at compile: no kernel")]
        good = [record(f"{name}-1/type/f32[2]") for name in "CD"]
        assert run("update", *KNOWN, *good, *new, options=ACCEPT) == 0
        added = {
            (*map(str, one.outcomes), *(one.details or ("",))): dict(one.selector.conditions)
            for one in last_entry(directory).covers
        }
        assert added == {
            ("REFUSED", "at compile: *"): {"operation": ("D-1",), "type": ("u4",)},
            ("FAIL", ""): {"operation": ("C-1",), "type": ("i4", "i8")},
            ("FAIL", "* wrong*"): {"operation": ("C-1",), "type": ("u4",)},
            ("CRASH", ""): {"operation": ("C-1",), "type": ("u1",)},
        }
        assert run("check", *KNOWN, *good, *new) == 0

    def test_a_title_may_be_for_some_cases_only(self, run, directory, capsys):
        new = [record(f"C-1/plain/f{n}[2,3]", "FAIL") for n in range(3)]
        only = (*ACCEPT, "--case", "*f1[*")
        assert run("update", *KNOWN, *new, options=only) == 1
        assert "2 departures, new; accept them with" in capsys.readouterr().out
        conditions = {"operation": ("C-1",), "type": ("f1",)}
        assert last_entry(directory).covers[0].selector.conditions == conditions
        more = (*ACCEPT, "--case", "*f0[*", "--case", "*f2[*")
        assert run("update", *KNOWN, *new, options=more) == 0
        conditions["type"] = ("f0", "f2")
        assert last_entry(directory).covers[0].selector.conditions == conditions

    def test_what_was_not_accepted_does_not_become_better_than_expected(self, run, directory):
        """A cover of a crash must not select the refusals that nobody has accepted."""
        crash, refusal = record("C-1/rank/f32[2]", "CRASH"), record("C-1/rank/f32[1,2]", "REFUSED")
        assert run("update", crash, refusal, options=(*ACCEPT, "--case", crash.case)) == 1
        assert run("update", crash, refusal) == 1

    def test_a_title_for_no_case_changes_nothing(self, run, directory):
        assert run("update", *KNOWN, NEW, options=(*ACCEPT, "--case", "D-*")) == 1
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_a_root_cause_may_be_for_some_runs_only(self, run, directory):
        departing = record("C-1/x", "FAIL")
        options = [
            "--title",
            "t",
            "--id",
            "c",
            "--when",
            "openvino=>=2026.4",
            "--when",
            "processor=*AMX*",
        ]
        assert run("update", departing, record("D-1/x"), options=options) == 0
        (cover,) = load(directory / "CPU.toml").entries[-1].covers
        assert cover.when == {"openvino": (">=2026.4",), "processor": ("*AMX*",)}
        assert run("update", departing, record("D-1/x")) == 0

    def test_conditions_that_do_not_hold_for_the_run_accept_nothing(self, run, directory, capsys):
        before = (directory / "CPU.toml").read_text()
        options = ["--title", "t", "--when", "openvino=<2026.4"]
        assert run("update", record("C-1/x", "FAIL"), options=options) == 2
        assert "--when does not hold for this run: its openvino 2026.4.1" in capsys.readouterr().err
        assert (directory / "CPU.toml").read_text() == before

    @pytest.mark.parametrize("condition", ["moon=full", "openvino", "openvino=new", "isa="])
    def test_a_condition_that_makes_no_sense(self, run, condition, capsys):
        with pytest.raises(SystemExit) as caught:
            run("update", record("C-1/x", "FAIL"), options=["--title", "t", "--when", condition])
        assert caught.value.code == 2

    def test_a_departure_of_one_profile_is_expected_there_only(self, run, directory):
        case = "C-1/type/f64[2,3]"
        new = [record(case, "FAIL", profile="performance"), record(case)]
        good = [record("C-1/plain/f32[2,3]", profile=one) for one in ("performance", "accuracy")]
        assert run("update", *new, *good, options=ACCEPT) == 0
        (added,) = last_entry(directory).covers
        assert added.when == {"profile": ("performance",)}
        # That the case conforms with the other profile does not make it one of its kind.
        assert added.selector.conditions == {"operation": ("C-1",), "type": ("f64",)}
        assert run("check", *KNOWN, *new, *good) == 0

    def test_a_departure_that_ends_otherwise_than_expected_is_new(self, run, directory, capsys):
        new = record("A-1/type/i4[5]", "CRASH")
        assert run("update", new) == 1
        assert "expected REFUSED,   no kernel" in capsys.readouterr().out
        assert run("update", new, options=ACCEPT) == 0
        assert last_entry(directory).covers[0].outcomes == ("CRASH",)
        assert run("update", new) == 0

    def test_better_than_expected_is_listed_and_kept(self, run, directory, capsys):
        assert run("update", record("A-1/type/i4[5]"), *KNOWN[1:]) == 0
        assert "CPU.toml: no-i4: no departure left; --prune removes it" in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_better_and_yet_a_departure_is_listed_and_not_pruned(self, run, directory, capsys):
        crashes = PLAIN.replace('"REFUSED"', '"CRASH"')
        (directory / "CPU.toml").write_text(crashes)
        better = record("A-1/type/i4[5]", "FAIL")
        assert run("update", better, *KNOWN[1:], options=["--prune"]) == 0
        assert "no-i4: now FAIL, which is better: edit the entry" in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == crashes

    def test_a_defect_named_by_its_detail_that_is_gone_is_listed(self, run, directory, capsys):
        named = PLAIN.replace('outcome = "REFUSED"', 'outcome = "REFUSED", detail = "*i4*"')
        (directory / "CPU.toml").write_text(named)
        met = record("A-1/type/i4[5]", "REFUSED", detail="no i4")
        assert run("update", met, *KNOWN[1:]) == 0
        assert "no departure left" not in capsys.readouterr().out
        assert run("update", record("A-1/type/i4[5]"), *KNOWN[1:]) == 0
        assert "no-i4: no departure left" in capsys.readouterr().out

    def test_an_entry_for_another_profile_is_not_stale(self, run, directory, capsys):
        elsewhere = [record("B-1/x", profile="performance")]
        assert run("update", KNOWN[0], *elsewhere) == 0
        assert "no departure left" not in capsys.readouterr().out

    def test_prune_removes_it_with_its_comment_only(self, run, directory, capsys):
        assert run("update", record("A-1/type/i4[5]"), *KNOWN[1:], options=["--prune"]) == 0
        text = (directory / "CPU.toml").read_text()
        assert "A-1" not in text
        assert "About A" not in text
        for comment in ("# Each checked by hand.", "Section of B", "# About B.", "The end"):
            assert comment in text
        assert [one.id for one in load(directory / "CPU.toml").entries] == ["b"]

    def test_an_entry_with_one_case_that_departs_is_not_pruned(self, run, directory):
        assert run("update", *KNOWN, record("B-1/y"), options=["--prune"]) == 0
        assert len(load(directory / "CPU.toml").entries) == 2

    def test_a_cover_that_selects_no_case_is_listed_and_never_pruned(self, run, directory, capsys):
        assert run("update", *KNOWN[:1], options=["--prune"]) == 0
        assert "CPU.toml: b: a cover selects no case: B-1/x ..." in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == PLAIN

    @pytest.mark.parametrize("outcome", ["ERROR", "ABSENT"])
    def test_what_is_not_the_device_is_never_accepted(self, run, directory, outcome, capsys):
        assert run("update", record("C-1/x", outcome), options=ACCEPT) == 1
        assert "not caused by the device" in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_a_device_that_was_allowed_to_be_absent_is_no_departure(self, run, capsys):
        assert run("update", record("C-1/x", "ABSENT", "skipped")) == 0

    def test_a_file_is_started_for_a_new_device(self, run, directory):
        new = record("C-1/x", "FAIL", device="AUTO:CPU")
        assert run("update", new, options=ACCEPT, device="AUTO:CPU") == 0
        text = (directory / "AUTO_CPU.toml").read_text()
        assert text.startswith("# The known departures of AUTO:CPU.")
        assert len(load_for("AUTO:CPU", directory).entries) == 3
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_what_the_device_under_it_expects_is_not_new(self, run, directory):
        known = [replace(one, device="AUTO:CPU") for one in KNOWN]
        assert run("update", *known, device="AUTO:CPU") == 0
        assert not (directory / "AUTO_CPU.toml").exists()

    def test_hostile_ids_are_accepted_exactly(self, run, directory):
        new, good = record("C-1/" + HOSTILE, "FAIL"), record("C-1/other")
        assert run("update", new, good, options=ACCEPT) == 0
        tomllib.loads((directory / "CPU.toml").read_text(encoding="utf-8"))
        assert run("update", new, good) == 0
        assert run("update", replace(good, outcome="FAIL")) == 1

    def test_ids_that_are_patterns_for_one_another(self, run, directory):
        new = record("C-1/f32[?]", "FAIL"), record("C-1/f32[5]", "TIMEOUT")
        assert run("update", *new, options=ACCEPT) == 0
        assert run("update", *new) == 0

    def test_windows_line_ends_stay(self, run, directory):
        path = directory / "CPU.toml"
        path.write_bytes(PLAIN.replace("\n", "\r\n").encode())
        assert run("update", *KNOWN, NEW, options=ACCEPT) == 0
        assert path.read_bytes().startswith(PLAIN.rstrip("\n").replace("\n", "\r\n").encode())

    def test_results_of_another_device(self, run, capsys):
        assert run("update", *KNOWN, device="GPU") == 2
        assert "no result of GPU in these files; they have CPU" in capsys.readouterr().err

    @pytest.mark.parametrize("options", [["--title", " "], ["--title", ""], ["--class", "bug"]])
    def test_a_title_must_say_something(self, run, options, capsys):
        with pytest.raises(SystemExit) as caught:
            run("update", *KNOWN, options=options)
        assert caught.value.code == 2


class TestSeverity:
    """How wrong known failures are is recorded, and what is clearly worse departs again."""

    def known(self, directory):
        return load_known(directory / "CPU.known.tsv")

    def test_an_accepted_failure_is_recorded_with_how_wrong_it_is(self, run, directory):
        new = failure("C-1/type/f64[2]", 2)
        assert run("update", *KNOWN, new, options=ACCEPT) == 0
        assert self.known(directory) == {new.case: Severity(0.2, 2.0)}

    def test_a_failure_that_gets_worse_departs(self, run, directory, capsys):
        assert run("update", failure("B-1/x", 2)) == 0
        assert self.known(directory) == {"B-1/x": Severity(0.2, 2.0)}
        capsys.readouterr()
        assert run("update", failure("B-1/x", 9)) == 1
        out = capsys.readouterr().out
        assert "1 departure, known and worse now; accept them with --worse" in out
        assert "known as 20% of the elements" in out
        assert self.known(directory) == {"B-1/x": Severity(0.2, 2.0)}

    def test_it_is_accepted_as_worse_and_not_as_a_new_root_cause(self, run, directory):
        assert run("update", failure("B-1/x", 2)) == 0
        for options in (ACCEPT, ("--worse", "--case", "A-*")):
            assert run("update", failure("B-1/x", 9), options=options) == 1
        assert run("update", failure("B-1/x", 9), options=["--worse"]) == 0
        assert self.known(directory) == {"B-1/x": Severity(0.9, 2.0)}
        assert (directory / "CPU.toml").read_text() == PLAIN
        assert run("update", failure("B-1/x", 9)) == 0

    def test_prune_forgets_what_no_longer_fails_and_keeps_what_is_worse(self, run, directory):
        assert run("update", failure("B-1/x", 2), failure("B-1/y", 3)) == 0
        now = failure("B-1/x", 9), record("B-1/y"), record("C-1/type/f64[2]", "FAIL")
        assert run("update", *now, options=[*ACCEPT, "--prune"]) == 1
        assert self.known(directory) == {"B-1/x": Severity(0.2, 2.0)}

    def test_a_better_failure_does_not_loosen_what_is_known(self, run, directory):
        assert run("update", failure("B-1/x", 2)) == 0
        assert run("update", failure("B-1/x", 1)) == 0
        assert self.known(directory) == {"B-1/x": Severity(0.2, 2.0)}

    def test_an_entry_whose_only_case_is_worse_is_not_stale(self, run, directory, capsys):
        assert run("update", *KNOWN[:1], failure("B-1/x", 2)) == 0
        run("update", *KNOWN[:1], failure("B-1/x", 9), record("B-1/y"), options=["--prune"])
        assert len(load(directory / "CPU.toml").entries) == 2

    def test_a_failure_of_an_unstable_root_cause_is_never_worse(self, run, directory):
        path = directory / "CPU.toml"
        path.write_text(PLAIN.replace('class = "defect"', 'class = "defect"\nunstable = "threads"'))
        assert run("update", failure("B-1/x", 2)) == 0
        assert run("update", failure("B-1/x", 9)) == 0

    @pytest.mark.parametrize("outcome", ["FAIL", "CRASH"])
    @pytest.mark.parametrize("seed, code", [(0, 1), (1, 0)])
    def test_what_passes_beside_a_cover_that_varies(self, run, directory, seed, code, outcome):
        (directory / "CPU.toml").write_text(PLAIN + VARYING)
        passing, failing = record("V-1/x"), failure("V-1/y", 2)
        assert run("update", failing, passing, record("W-1/x"), seed=seed) == 0
        known = load_passing(directory / "CPU.passing.tsv")
        assert set(known) == ({"V-1/x"} if seed == 0 else set())
        assert run("check", passing, seed=seed, options=["--partial"]) == 0
        departing = replace(passing, outcome=outcome)
        assert run("update", failing, departing, seed=seed) == code
        assert run("update", failing, departing, seed=seed, options=["--worse"]) == 0
        assert run("update", failing, departing, seed=seed) == 0


class TestRewrite:
    path = Path("CPU.toml")

    def test_nothing_changes_nothing(self):
        assert rewrite(PLAIN, self.path, set(), []) == PLAIN

    def test_a_header_inside_a_text_is_not_taken_for_an_entry(self):
        with pytest.raises(ExpectationsError, match="cannot be rewritten"):
            rewrite(FILE, self.path, {1}, [])

    def test_entries_in_one_array_are_not_taken_apart(self):
        text = f"expect = [{{ {INLINE} }}]\n"
        with pytest.raises(ExpectationsError, match="cannot be rewritten"):
            rewrite(text, self.path, {1}, [])

    def test_removing_all_leaves_the_other_comments(self):
        text = rewrite(PLAIN, self.path, {1, 2}, [])
        assert tomllib.loads(text) == {}
        assert text.split("\n\n") == [
            "# The departures of the CPU.\n# Each checked by hand.",
            "# ---- Section of B ----",
            "# ---- The end ----\n",
        ]

    def test_a_comment_at_the_very_top_is_about_the_file(self):
        text = "# Licence\n" + ENTRY.format("a").rstrip("\n")
        assert rewrite(text, self.path, {1}, []) == "# Licence\n"

    def test_any_edit_of_any_entries_keeps_the_others(self):
        draw = random.Random(3)
        for _ in range(200):
            number = draw.randrange(5)
            parts = [
                draw.choice(["", "\n", "# about it\n", "# section\n\n"]) + ENTRY.format(name)
                for name in range(number)
            ]
            removed = {place + 1 for place in range(number) if draw.random() < 0.4}
            names = [f"new{place}" for place in range(draw.randrange(3))]
            added = [ENTRY.format(name) for name in names]
            text = rewrite("".join(parts), self.path, removed, added)
            wanted = [str(place) for place in range(number) if place + 1 not in removed] + names
            found = [one["id"] for one in tomllib.loads(text).get("expect", [])]
            assert found == wanted
            assert text.count("# section") == "".join(parts).count("# section")


class TestCheck:
    def test_entries_that_explain_departures_alone(self, run, capsys):
        assert run("check", *KNOWN) == 0
        out, err = capsys.readouterr()
        assert "2 entries in 1 file can be used" in out
        assert re.search(r"^no-i4 +1 +0 +0 +0$", out, re.MULTILINE)
        assert err == ""

    def test_a_cover_that_selects_no_case_is_found(self, run, capsys):
        assert run("check", *KNOWN[:1]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "CPU.toml: b: a cover selects no case: B-1/x ..." in err

    def test_a_selection_cannot_show_that_a_cover_selects_no_case(self, run, capsys):
        assert run("check", *KNOWN[:1], options=["--partial"]) == 0
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("options", [[], ["--partial"]])
    def test_an_entry_that_hides_a_case_which_conforms_is_found(self, run, options, capsys):
        hidden = record("A-1/plain/i4[7]")
        assert run("check", *KNOWN, hidden, device=None, options=options) == 1
        assert re.search(
            rf"^no-i4 +1 +0 +0 +1 +{re.escape(hidden.case)}$", capsys.readouterr().out, re.M
        )

    def test_an_unstable_root_cause_may_pass(self, run, directory, capsys):
        path = directory / "CPU.toml"
        path.write_text(PLAIN.replace('class = "limit"', 'class = "limit"\nunstable = "threads"'))
        assert run("check", *KNOWN, record("A-1/plain/i4[7]")) == 0
        assert re.search(r"^no-i4 +1 +0 +1 +0$", capsys.readouterr().out, re.MULTILINE)

    def test_a_cover_that_varies_with_the_data_may_select_cases_that_pass(
        self, run, directory, capsys
    ):
        path = directory / "CPU.toml"
        path.write_text(PLAIN.replace("outcome =", 'varies = "rounding", outcome ='))
        assert run("check", *KNOWN, record("A-1/plain/i4[7]")) == 0
        assert re.search(r"^no-i4 +1 +0 +1 +0$", capsys.readouterr().out, re.MULTILINE)

    def test_random_layers_that_this_seed_does_not_draw_are_no_fault(self, run, directory):
        path = directory / "CPU.toml"
        path.write_text(
            PLAIN + ENTRY.format("r").replace("operation", 'purpose = "random", operation')
        )
        assert run("check", *KNOWN) == 0

    def test_quality_is_hidden_as_well(self, run):
        assert run("check", *KNOWN, record("A-1/plain/i4[7]", "QUALITY")) == 1

    def test_a_case_under_two_covers_is_hidden_once(self, run, directory, capsys):
        two = '"A-1", outcome = "REFUSED" }}, {{ operation = "A-1", outcome = "CRASH" }}'
        (directory / "CPU.toml").write_text(
            ENTRY.replace('"A", outcome = "FAIL" }}', two).format("a")
        )
        assert run("check", record("A-1/x", "CRASH"), record("A-1/y")) == 1
        assert re.search(r"^a +1 +0 +0 +1 +A-1/y$", capsys.readouterr().out, re.MULTILINE)

    def test_the_same_id_in_the_file_of_the_device_under_it(self, run, directory, capsys):
        (directory / "AUTO_CPU.toml").write_text(ENTRY.format("b"))
        known = [replace(one, device="AUTO:CPU") for one in KNOWN]
        known.append(record("A/x", "FAIL", "expected", device="AUTO:CPU"))
        assert run("check", *known, device=None) == 0
        assert len(re.findall(r"^b +1 +0 +0 +0$", capsys.readouterr().out, re.MULTILINE)) == 2

    def test_the_entries_of_the_device_under_it_are_not_its_own(self, run):
        assert run("check", record("D-1/x", device="AUTO:CPU"), device=None) == 0

    def test_a_missing_title(self, directory, capsys):
        path = directory / "GPU.toml"
        path.write_text('[[expect]]\nid = "a"\nclass = "open"\n')
        assert main(["expectations", "check", "--directory", str(directory)]) == 2
        err = capsys.readouterr().err
        assert f"{path}: entry 1: " in err
        assert err.count("\n") == 1
        arguments = ["--device", "CPU", "--directory", str(directory)]
        assert main(["expectations", "check", *arguments]) == 0

    def test_two_entries_with_one_id(self, directory, capsys):
        (directory / "GPU.toml").write_text(ENTRY.format("a") * 2)
        assert main(["expectations", "check", "--directory", str(directory)]) == 2
        assert "two entries have the id 'a'" in capsys.readouterr().err

    def test_a_device_without_results(self, run, capsys):
        assert run("check", *KNOWN, device="GPU") == 2
        assert "no result of GPU" in capsys.readouterr().err


class TestShow:
    def test_own_entries_and_those_of_the_device_under_it(self, directory, capsys):
        covers = ", ".join(f'{{{{ operation = "A-{n}", outcome = "FAIL" }}}}' for n in range(4))
        entry = ENTRY.replace('{{ operation = "A", outcome = "FAIL" }}', covers).format("a")
        (directory / "AUTO_CPU.toml").write_text(entry + 'link = "l"\n')
        arguments = ["--device", "AUTO:CPU", "--directory", str(directory)]
        assert main(["expectations", "show", *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "AUTO_CPU.toml: 1 entry"
        covers = "FAIL: operation=A-0; FAIL: operation=A-1 and 2 more"
        assert any(re.fullmatch(rf"a +open +{covers} +t \(l\)", line) for line in lines)
        assert "CPU.toml: 2 entries" in lines
        assert any("FAIL or CRASH: B-1/x ..." in line for line in lines)

    def test_a_device_without_expectations(self, directory, capsys):
        arguments = ["--device", "NPU", "--directory", str(directory), "--markdown"]
        assert main(["expectations", "show", *arguments]) == 0
        assert "No departure of NPU is expected" in capsys.readouterr().out


def test_the_files_of_the_suite_can_be_used(capsys):
    assert main(["expectations", "check"]) == 0
