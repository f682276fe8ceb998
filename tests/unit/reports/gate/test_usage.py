"""Who meets a cause: the models whose layers its selectors admit, and those in which a survey named it."""

from __future__ import annotations

from pathlib import Path

import pytest

import ir_models
from ir_models import catalog
from ir_models.patterns import PATTERNS
from reports.__main__ import main
from reports.gate import causes, usage
from reports.gate.precision import Share
from reports.gate.selectors import features_of
from reports.gate.usage import PackagedModel, Usage
from reports.upstream.text import met_by
from tests.unit.command_lines import refusal
from tests.unit.reports.small_results import record

CAUSE = """\
title = "Abs - wrong"
class = "defect"
devices = ["CPU"]

[[select]]
operation = ["Abs-1"]
{}
outcome = ["FAIL"]
kernel = ["jit*"]
"""


@pytest.mark.parametrize(
    "conditions, share, expected",
    [
        ('rank = ["1"]', Share(10, 9), (True, True)),
        ('rank = ["1"]', Share(100, 5), (False, True)),
        ('rank = ["1"]', Share(100, 4), (False, False)),
        ('rank = ["2"]', Share(10, 10), (False, False)),
        ('purpose = ["!graphs"]', Share(10, 10), (True, True)),
        # What only empty data show, no layer of a model does.
        ('purpose = ["dim-0"]', Share(10, 10), (False, False)),
        ('how = { shape = "dims" }', Share(10, 10), (False, False)),
    ],
)
def test_a_selector_concerns_the_layers_that_it_admits(
    conditions: str, share: Share, expected: tuple[bool, bool], shipped: Path
) -> None:
    (shipped / "abs.toml").write_text(CAUSE.format(conditions))
    known = causes.load()
    (selector,) = known.by_id["abs"].selectors
    layers = [
        features_of(record("Abs-1/model/f32[2]/-")),
        features_of(record("Cos-1/model/f32[2]/-")),
    ]
    sure, possible = usage.concerning(layers, known, {f"abs {selector.key}": share})
    assert ("abs" in sure, "abs" in possible) == expected
    # Of a selector that nobody measured nothing is known.
    assert usage.concerning(layers, known, {}) == (set(), set())


def test_counts_are_read_as_they_are_written(tmp_path: Path) -> None:
    found = {"b": Usage(1, 2, 1), "a": Usage(0, 3, 0), "none": Usage()}
    (tmp_path / usage.COUNTS).write_text(usage.to_text(found))
    assert usage.counts(tmp_path) == {"a": Usage(0, 3, 0), "b": Usage(1, 2, 1)}
    (tmp_path / usage.COUNTS).write_text("cause\tsure\tpossible\tseen\na\t1\n")
    usage.counts.cache_clear()
    with pytest.raises(ValueError, match="line 2: expected 4 columns"):
        usage.counts(tmp_path)


def test_the_shipped_counts_are_of_known_causes_and_listed_models() -> None:
    listed = usage.models()
    assert len({one.name for one in listed}) == len(listed) >= 30
    known = causes.load().by_id
    for name, one in usage.counts().items():
        assert name in known
        assert 0 <= one.seen <= one.sure <= one.possible <= len(listed), name


def test_an_issue_says_who_meets_its_cause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reports.upstream.text.models", lambda: [PackagedModel(*"abcd")] * 40)
    monkeypatch.setattr("reports.upstream.text.counts", lambda: {"abs": Usage(3, 12, 1)})
    assert met_by("abs") == (
        "with a layer that fails so: 3 of 40 (at least 90% of the cases like it fail; seen in 1); "
        "with a layer that may: 12 (at least 5% fail)"
    )
    assert met_by("cos") == "with such a layer: none of 40"


def test_a_folder_without_the_models_is_wrong_usage(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["usage", str(tmp_path)]) == 2
    assert "No such file" in capsys.readouterr().err


def test_what_models_do_not_have_is_of_declared_operations() -> None:
    operations = ir_models.operations()
    types = {each.type: each for each in operations}
    rare = usage.rare()
    names_of_operations = {each.name for each in operations}
    assert rare.factors.keys() <= {each.name for each in PATTERNS} | names_of_operations
    assert rare.replaced <= names_of_operations
    assert rare.of_fractions | rare.valid_with_any_data <= types.keys()
    for each in rare.of_constants:
        assert any(one.index_inputs for one in operations if one.type == each), each
    by_type = (rare.constant, rare.zero, rare.whole)
    named = [(types[name], words) for one in by_type for name, words in one.items()]
    named += [(catalog.operation(name), [*words]) for name, words in rare.written.items()]
    for operation, words in named:
        names = {each.name for each in operation.inputs}
        assert names | {each.name for each in operation.attributes} >= {*words}


def test_a_cause_that_is_fixed_is_found_by_its_operation(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Its operations are those of its file: no baseline has a case of it."""
    assert main(["causes", "--history", "--operation", "TopK-11"]) == 0
    said = capsys.readouterr().out
    assert "four-bit-constants-halves-swapped" in said
    for words in (
        "severity: crash: the process ends",
        "since: the first",
        "place: the line of code",
    ):
        assert words in said
    assert main(["causes", "--operation", "TopK-11"]) == 0
    assert "four-bit-constants-halves-swapped" not in capsys.readouterr().out


def test_a_device_has_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    for command in (
        ["causes"],
        ["batch", "some-fix", "--out", "folder"],
        *(["statement"], ["support"], ["claim", "run.jsonl"]),
    ):
        assert "no device has an empty name" in refusal(
            capsys, main, "python -m reports", *command, "--device", ""
        )
