"""No page of the specification loses its operation; what is asked of one is counted."""

from collections import Counter

import ir_models
from ir_models.__main__ import main
from ir_models.pages import coverage
from ir_models.pages.opsets import LISTED

# Pages whose operation is not there yet. The list only becomes shorter: what has an operation must keep it.
NOT_YET = [
    "SegmentMax-16",
    "DeformableConvolution-1",
    "DeformableConvolution-8",
    "PriorBox-1",
    "PriorBox-8",
    "PriorBoxClustered-1",
    "GridSample-9",
    "Inverse-14",
    "OneHot-1",
    "OneHot-16",
    "MulticlassNonMaxSuppression-8",
    "MulticlassNonMaxSuppression-9",
    "SearchSorted-15",
    "TopK-1",
    "TopK-3",
    "EmbeddingBagOffsets-15",
    "EmbeddingBagOffsetsSum-3",
    "EmbeddingBagPacked-15",
    "EmbeddingBagPackedSum-3",
    "EmbeddingSegmentsSum-3",
]


def test_no_operation_is_lost():
    lost = set(coverage.missing(ir_models.operations())) - set(NOT_YET)
    assert lost == set()


def test_what_is_not_there_is_told():
    operations = [each for each in ir_models.operations() if each.name != "Gather-8"]
    assert "Gather-8" in coverage.missing(operations)


def test_every_operation_has_its_page_and_category():
    assert len(LISTED) >= 245
    assert Counter(name.rpartition("-")[0] for name in LISTED)["Gather"] == 3
    for each in ir_models.operations():
        assert LISTED.get(each.name) == each.category, each.name
    assert set(NOT_YET) <= set(LISTED)


def test_levels_and_their_pairs_are_counted():
    (operation,) = ir_models.select(["ReLU-1"])
    found = coverage.of(operation)
    cases = list(ir_models.cases(operation))
    assert found.violations == sum(case.is_invalid for case in cases)
    assert (found.examples, found.category) == (len(operation.examples), "activation")
    valid = [case for case in cases if not case.is_invalid]
    wanted = {("purpose", case.purpose) for case in valid}
    for case in valid:
        (tensor,) = case.layer.tensors("data")
        wanted |= {("type", tensor.element_type.name), ("rank", tensor.rank), *case.how.pairs}
    assert found.levels == len(wanted)
    assert found.pairs > found.levels


def test_more_pairs_are_asked_at_depth_pairs():
    (operation,) = ir_models.select(["Abs-1"])
    single, pairs = (coverage.of(operation, depth) for depth in ("single", "pairs"))
    assert single.levels <= pairs.levels
    assert single.pairs < pairs.pairs


def test_the_table_ends_with_what_is_missing(capsys):
    assert main(["coverage", "--operation", "Abs-1"]) == 0
    head, row, *rest = capsys.readouterr().out.splitlines()
    assert head.split()[:3] == ["operation", "category", "examples"]
    assert row.split()[:3] == ["Abs-1", "arithmetic", "1"]
    lacking = coverage.missing(ir_models.operations())
    assert rest[1] == f"{245 - len(lacking)} of 245 pages have their operation"
    assert rest[-1].endswith("AUGRUCell, AUGRUSequence, RMS")


def test_an_unknown_operation_is_one_line(capsys):
    assert main(["coverage", "--operation", "Abs-2"]) == 2
    assert "Abs-2" in capsys.readouterr().err
