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

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

FILE = """\
# The departures of the CPU.
# Each checked by hand.

# About A: the kernel is missing.
[[expect]]  # the first
case = "A-1/*/i4*"  # any shape
outcome = 'REFUSED'
reason = '''
  no kernel
[[expect]]
  yet'''

# ---- Section of B ----

# About B.
[[expect]]
case = ["B-1/x", "B-1/y"]
outcome = ["FAIL", "CRASH"]
reason = "known"
when.profile = "accuracy"

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

    def run(action, *records, options=(), device="CPU"):
        profiles = sorted({one.profile for one in records}) or ["accuracy"]
        devices = sorted({one.device for one in records})
        head = header(devices=devices, profiles=profiles)
        path = write(tmp_path / "results.jsonl", head, *records)
        return main(
            ["expectations", action, str(path), "--directory", str(directory)]
            + (["--device", device] if device else [])
            + list(options)
        )

    return run


KNOWN = (
    record("A-1/types/i4[5]", "REFUSED", "expected"),
    record("B-1/x", "FAIL", "expected"),
    record("C-1/x"),
)
ACCEPT = ("--reason", "the reason")


class TestUpdate:
    def test_nothing_to_do(self, run, directory, capsys):
        assert run("update", *KNOWN) == 0
        assert "no new departure" in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_a_new_departure_is_listed_and_not_accepted(self, run, directory, capsys):
        assert run("update", *KNOWN, record("C-1/y", "FAIL", detail="2 for 1")) == 1
        out = capsys.readouterr().out
        assert "1 departure, new; accept them with --reason TEXT" in out
        assert re.search(r"FAIL +C-1/y \(accuracy\) +2 for 1", out)
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_a_reason_accepts_it_and_all_else_stays(self, run, directory, capsys):
        new = record("C-1/y[2]", "FAIL")
        assert run("update", *KNOWN, new, options=(*ACCEPT, "--link", "https://x.org")) == 0
        text = (directory / "CPU.toml").read_text()
        assert text.startswith(PLAIN.rstrip("\n"))
        last = load(directory / "CPU.toml").entries[-1]
        assert (last.cases, last.outcomes) == (("C-1/y[2]",), ("FAIL",))
        assert (last.reason, last.link) == ("the reason", "https://x.org")
        assert run("update", *KNOWN, new) == 0
        assert (directory / "CPU.toml").read_text() == text

    def test_departures_are_grouped_by_operation_and_outcome(self, run, directory):
        new = [record(f"C-1/{n}", "FAIL") for n in range(3)]
        new += [record("C-1/9", "CRASH"), record("D-1/1", "FAIL")]
        assert run("update", *KNOWN, *new, options=ACCEPT) == 0
        added = load(directory / "CPU.toml").entries[2:]
        assert [(one.cases, *map(str, one.outcomes)) for one in added] == [
            (("C-1/9",), "CRASH"),
            (("C-1/0", "C-1/1", "C-1/2"), "FAIL"),
            (("D-1/1",), "FAIL"),
        ]

    def test_a_reason_may_be_for_some_cases_only(self, run, directory, capsys):
        new = [record(f"C-1/f32[{n}]", "FAIL") for n in range(3)]
        only = (*ACCEPT, "--case", "*f32[1]*")
        assert run("update", *KNOWN, *new, options=only) == 1
        assert "2 departures, new, not accepted" in capsys.readouterr().out
        assert load(directory / "CPU.toml").entries[-1].cases == ("C-1/f32[1]",)
        more = (*ACCEPT, "--case", "*[0]", "--case", "*[2]")
        assert run("update", *KNOWN, *new, options=more) == 0
        assert load(directory / "CPU.toml").entries[-1].cases == ("C-1/f32[0]", "C-1/f32[2]")

    def test_a_reason_for_no_case_changes_nothing(self, run, directory):
        options = (*ACCEPT, "--case", "D-*")
        assert run("update", *KNOWN, record("C-1/y", "FAIL"), options=options) == 1
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_a_departure_of_one_profile_is_expected_there_only(self, run, directory):
        new = [record("C-1/x", "FAIL", profile="performance"), record("C-1/x")]
        assert run("update", *new, options=ACCEPT) == 0
        added = load(directory / "CPU.toml").entries[-1]
        assert added.when == {"profile": ("performance",)}

    def test_a_departure_that_ends_otherwise_than_expected_is_new(self, run, directory, capsys):
        new = record("A-1/types/i4[5]", "CRASH")
        assert run("update", new) == 1
        assert "expected REFUSED" in capsys.readouterr().out
        assert run("update", new, options=ACCEPT) == 0
        assert load(directory / "CPU.toml").entries[-1].outcomes == ("CRASH",)
        assert run("update", new) == 0

    def test_better_than_expected_is_listed_and_kept(self, run, directory, capsys):
        assert run("update", record("A-1/types/i4[5]"), *KNOWN[1:]) == 0
        out = capsys.readouterr().out
        assert "entry 1 (A-1/*/i4*): no departure left; --prune removes it" in out
        assert (directory / "CPU.toml").read_text() == PLAIN

    def test_better_and_yet_a_departure_is_listed_and_not_pruned(self, run, directory, capsys):
        crashes = PLAIN.replace("'REFUSED'", "'CRASH'")
        (directory / "CPU.toml").write_text(crashes)
        better = record("A-1/types/i4[5]", "FAIL")
        assert run("update", better, *KNOWN[1:], options=["--prune"]) == 0
        assert "entry 1 (A-1/*/i4*): now FAIL, which is better" in capsys.readouterr().out
        assert (directory / "CPU.toml").read_text() == crashes

    def test_a_defect_named_by_its_detail_that_is_gone_is_listed(self, run, directory, capsys):
        named = PLAIN.replace("outcome = 'REFUSED'", "outcome = 'REFUSED'\ndetail = '*i4*'")
        (directory / "CPU.toml").write_text(named)
        met = record("A-1/types/i4[5]", "REFUSED", detail="no i4")
        assert run("update", met, *KNOWN[1:]) == 0
        assert "no departure left" not in capsys.readouterr().out
        assert run("update", record("A-1/types/i4[5]"), *KNOWN[1:]) == 0
        assert "entry 1 (A-1/*/i4*): no departure left" in capsys.readouterr().out

    def test_an_entry_for_another_profile_is_not_stale(self, run, directory, capsys):
        elsewhere = [record("B-1/x", profile="performance")]
        assert run("update", KNOWN[0], *elsewhere) == 0
        assert "no departure left" not in capsys.readouterr().out

    def test_prune_removes_it_with_its_comment_only(self, run, directory, capsys):
        assert run("update", record("A-1/types/i4[5]"), *KNOWN[1:], options=["--prune"]) == 0
        text = (directory / "CPU.toml").read_text()
        assert "A-1" not in text
        assert "About A" not in text
        for comment in ("# Each checked by hand.", "Section of B", "# About B.", "The end"):
            assert comment in text
        assert [one.cases[0] for one in load(directory / "CPU.toml").entries] == ["B-1/x"]

    def test_an_entry_with_one_case_that_departs_is_not_pruned(self, run, directory):
        assert run("update", *KNOWN, record("B-1/y"), options=["--prune"]) == 0
        assert len(load(directory / "CPU.toml").entries) == 2

    def test_an_entry_about_no_case_is_listed_and_never_pruned(self, run, directory, capsys):
        assert run("update", *KNOWN[:1], options=["--prune"]) == 0
        assert "entry 2 (B-1/x): matches no case of these results" in capsys.readouterr().out
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
        new = record("C-1/" + HOSTILE, "FAIL")
        assert run("update", new, options=ACCEPT) == 0
        tomllib.loads((directory / "CPU.toml").read_text(encoding="utf-8"))
        assert run("update", new) == 0
        assert run("update", record("C-1/other", "FAIL")) == 1

    def test_ids_that_are_patterns_for_one_another(self, run, directory):
        new = record("C-1/f32[?]", "FAIL"), record("C-1/f32[5]", "TIMEOUT")
        assert run("update", *new, options=ACCEPT) == 0
        assert run("update", *new) == 0

    def test_windows_line_ends_stay(self, run, directory):
        path = directory / "CPU.toml"
        path.write_bytes(PLAIN.replace("\n", "\r\n").encode())
        assert run("update", *KNOWN, record("C-1/y", "FAIL"), options=ACCEPT) == 0
        assert path.read_bytes().startswith(PLAIN.rstrip("\n").replace("\n", "\r\n").encode())

    def test_results_of_another_device(self, run, capsys):
        assert run("update", *KNOWN, device="GPU") == 2
        assert "no result of GPU in these files; they have CPU" in capsys.readouterr().err

    @pytest.mark.parametrize("options", [["--reason", " "], ["--reason", ""]])
    def test_an_empty_reason_is_none(self, run, options, capsys):
        with pytest.raises(SystemExit) as caught:
            run("update", *KNOWN, options=options)
        assert caught.value.code == 2


class TestRewrite:
    path = Path("CPU.toml")

    def test_nothing_changes_nothing(self):
        assert rewrite(PLAIN, self.path, set(), []) == PLAIN

    def test_a_header_inside_a_text_is_not_taken_for_an_entry(self):
        with pytest.raises(ExpectationsError, match="cannot be rewritten"):
            rewrite(FILE, self.path, {1}, [])

    def test_entries_in_one_array_are_not_taken_apart(self):
        text = 'expect = [{ case = "A", outcome = "FAIL", reason = "r" }]\n'
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
        text = '# Licence\n[[expect]]\ncase = "A"\noutcome = "FAIL"\nreason = "r"'
        assert rewrite(text, self.path, {1}, []) == "# Licence\n"

    def test_any_edit_of_any_entries_keeps_the_others(self):
        entry = '[[expect]]\ncase = "{}"\noutcome = "FAIL"\nreason = "r"\n'
        draw = random.Random(3)
        for _ in range(200):
            number = draw.randrange(5)
            parts = [
                draw.choice(["", "\n", "# about it\n", "# section\n\n"]) + entry.format(name)
                for name in range(number)
            ]
            removed = {place + 1 for place in range(number) if draw.random() < 0.4}
            names = [f"new{place}" for place in range(draw.randrange(3))]
            added = [entry.format(name) for name in names]
            text = rewrite("".join(parts), self.path, removed, added)
            wanted = [str(place) for place in range(number) if place + 1 not in removed] + names
            found = [one["case"] for one in tomllib.loads(text).get("expect", [])]
            assert found == wanted
            assert text.count("# section") == "".join(parts).count("# section")


class TestCheck:
    def test_all_are_about_something(self, run, capsys):
        assert run("check", *KNOWN) == 0
        assert "2 entries in 1 file can be used" in capsys.readouterr().out

    def test_an_entry_about_nothing_is_found(self, run, capsys):
        assert run("check", *KNOWN[:1]) == 1
        err = capsys.readouterr().err
        assert err.count("\n") == 1
        assert "entry 2 (B-1/x): matches no case of these results" in err

    def test_an_entry_that_no_longer_departs_is_told(self, run, capsys):
        assert run("check", record("A-1/types/i4[5]"), *KNOWN[1:], device=None) == 0
        assert "entry 1 (A-1/*/i4*): no departure left" in capsys.readouterr().out

    def test_the_entries_of_the_device_under_it_are_not_its_own(self, run):
        assert run("check", record("D-1/x", device="AUTO:CPU"), device=None) == 0

    def test_a_missing_reason(self, directory, capsys):
        path = directory / "GPU.toml"
        path.write_text('[[expect]]\ncase = "A"\noutcome = "FAIL"\n')
        assert main(["expectations", "check", "--directory", str(directory)]) == 2
        assert f"{path}: entry 1: reason must be a text" in capsys.readouterr().err
        arguments = ["--device", "CPU", "--directory", str(directory)]
        assert main(["expectations", "check", *arguments]) == 0

    def test_a_device_without_results(self, run, capsys):
        assert run("check", *KNOWN, device="GPU") == 2
        assert "no result of GPU" in capsys.readouterr().err


class TestShow:
    def test_own_entries_and_those_of_the_device_under_it(self, directory, capsys):
        (directory / "AUTO_CPU.toml").write_text(
            '[[expect]]\ncase = ["a", "b", "c", "d"]\noutcome = "FAIL"\nreason = "r"\nlink = "l"\n'
        )
        arguments = ["--device", "AUTO:CPU", "--directory", str(directory)]
        assert main(["expectations", "show", *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "AUTO_CPU.toml: 1 entry"
        assert any(re.fullmatch(r"1 +FAIL +a, b, c and 1 more +r \(l\)", line) for line in lines)
        assert "CPU.toml: 2 entries" in lines
        assert any("profile accuracy" in line and "FAIL, CRASH" in line for line in lines)

    def test_a_device_without_expectations(self, directory, capsys):
        arguments = ["--device", "NPU", "--directory", str(directory), "--markdown"]
        assert main(["expectations", "show", *arguments]) == 0
        assert "No departure of NPU is expected" in capsys.readouterr().out


def test_the_files_of_the_suite_can_be_used(capsys):
    assert main(["expectations", "check"]) == 0
