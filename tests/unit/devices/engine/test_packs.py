"""Packs and shards are pure functions of case ids: checked over the suite's own cases."""

from __future__ import annotations

import math
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ir_models
from devices.engine import packs
from ir_models import LayerCase
from ir_models.asking.how import way
from ir_models.asking.id_parts import split_id


@cache
def cases() -> tuple[LayerCase, ...]:
    names = ["SpaceToDepth-1", "SpaceToBatch-2", "Gather", "Concat-1", "ShapeOf"]
    operations = ir_models.select(names)
    return tuple(case for each in operations for case in ir_models.cases(each, draws=20))


@cache
def ids() -> tuple[str, ...]:
    return tuple(case.id for case in cases())


subsets = st.lists(st.sampled_from(ids()), max_size=60, unique=True)
sizes = st.integers(1, 20)


def elements(case_ids: list[str]) -> int:
    found = map(split_id, case_ids)
    return sum(
        math.prod(tensor.shape) * way(**parts.how).inferences
        for parts in found
        for tensor in parts.data
    )


def test_cases_of_many_elements_share_a_model_with_few() -> None:
    case = "ReLU-1/large-output/f32[5000,3,5,4]"
    planned = packs.plan([f"{case}/-/before=negative"] * 30, 100)
    assert [len(pack) for pack in planned] == [13, 13, 4]
    assert [len(pack) for pack in packs.plan([f"{case}/-/shape=dims"] * 5, 100)] == [4, 1]
    assert [len(pack) for pack in packs.plan([f"{case}/-/requests=again"] * 7, 100)] == [6, 1]
    assert [len(pack) for pack in packs.plan([f"{case}/-/state=reset"] * 4, 100)] == [3, 1]


@pytest.mark.parametrize("shape, size", [("5000,3,5,4", 6), ("5000?,3,5,4", 4)])
def test_elements_of_a_graph_count_in_each_of_its_inferences(shape: str, size: int) -> None:
    case = f"Graph/graphs/f32[5000,3,5,4]/x=f32[{shape}]; y=ReLU-1(x); return y"
    assert [len(pack) for pack in packs.plan([case] * (size + 1), 100)] == [size, 1]


@given(subsets, sizes)
def test_plan_is_a_partition_in_order(chosen: list[str], size: int) -> None:
    planned = packs.plan(chosen, size)
    assert sorted(place for pack in planned for place in pack) == list(range(len(chosen)))
    assert all(pack == sorted(pack) for pack in planned)


@given(subsets, sizes)
def test_packs_hold_one_group_and_no_more_than_their_size(chosen: list[str], size: int) -> None:
    planned = packs.plan(chosen, size)
    assert all(1 <= len(pack) <= size for pack in planned)
    assert all(len({packs.group(chosen[place]) for place in pack}) == 1 for pack in planned)
    # As few packs as the groups and the number of elements allow.
    for name in {packs.group(case) for case in chosen}:
        own = [
            [chosen[p] for p in pack] for pack in planned if packs.group(chosen[pack[0]]) == name
        ]
        for pack, after in pairwise(own):
            assert len(pack) == size or elements([*pack, after[0]]) > packs.MOST_ELEMENTS
        assert all(len(pack) == 1 or elements(pack) <= packs.MOST_ELEMENTS for pack in own)


@given(subsets, sizes)
def test_packs_of_a_group_do_not_depend_on_other_groups(chosen: list[str], size: int) -> None:
    def by_id(case_ids: list[str]) -> list[list[str]]:
        return [[case_ids[place] for place in pack] for pack in packs.plan(case_ids, size)]

    whole = by_id(chosen)
    for group in {packs.group(case) for case in chosen}:
        alone = by_id([case for case in chosen if packs.group(case) == group])
        assert alone == [pack for pack in whole if packs.group(pack[0]) == group]


def test_cases_of_a_group_can_be_asked_as_one_model() -> None:
    """One IR version, one number of inferences, one kind of memory and of requests; invalid layers apart."""
    alike: dict[str, tuple[object, ...]] = {}
    for case in cases():
        how = case.how
        asked = (
            how.ir,
            how.inferences,
            how.memory,
            how.requests,
            case.is_invalid,
            case.purpose == "large-output",
        )
        assert alike.setdefault(packs.group(case.id), asked) == asked, case.id
    assert len(alike) > 20


def test_a_heavy_case_is_asked_alone() -> None:
    heavy = "Gather-8/example/u8[1000,256,10,15],i64[2]/axis=0"
    like = "Gather-8/example/u8[1000,256,1,15],i64[2]/axis=[4000,2000]"
    light = "Gather-8/example/u8[],i64[0]/axis=0"
    assert [packs.is_heavy(each) for each in (heavy, like, light)] == [True, False, False]
    assert packs.plan([light, heavy, like], 10) == [[0, 2], [1]]


@pytest.mark.parametrize(
    "apart, like",
    [
        ("Abs-1/rank/f32[2,3,5,4,2,2,3]/-", "Acos-1/rank/f32[2,3,5,4,2,2,3,2]/-"),
        ("Tile-1/plain/f32[2,3]/repeats=2,2/index=parameters",) * 2,
        ("Tile-1/plain/f32[2,3]/repeats=2,2/index=computed",) * 2,
    ],
)
def test_what_changes_how_shapes_are_inferred_stays_among_its_like(apart: str, like: str) -> None:
    usual = ["Abs-1/rank/f32[2,3,5,4,2,2]/-", "Tile-1/plain/f32[2,3]/repeats=2,2"]
    assert packs.plan([usual[0], apart, usual[1], like], 10) == [[0, 2], [1, 3]]


def test_fragile_types_stay_among_themselves() -> None:
    for case in cases():
        kinds = {t.element_type.name for _, t in case.layer.ports() if t is not None}
        assert (packs.fragile_type(case.id) in packs.FRAGILE) == bool(kinds & packs.FRAGILE), (
            case.id
        )


@pytest.mark.parametrize(
    "case_id, kind",
    [
        ("SpaceToDepth-1/type/i4[2,4,6]/block_size=2,mode=blocks_first", "i4"),
        ("SpaceToDepth-1/type/f32[2,4,6]/block_size=2,mode=blocks_first", ""),
        ("SpaceToDepth-1/type/string[2,4,6]/block_size=2,mode=blocks_first", "string"),
        ("Concat-1/type/f32[2],f8e4m3[2]/axis=0", "f8e4m3"),
        ("Broadcast-3/index-type/f32[4]/target_shape=u4:2,4", "u4"),
        ("Graph/graphs/f32[2]/x=f32[2]; y=Convert-1(x){destination_type=u4}; return y", "u4"),
    ],
)
def test_fragile_type_is_read_from_the_id(case_id: str, kind: str) -> None:
    assert packs.fragile_type(case_id) == kind


@given(st.integers(1, 50))
def test_every_case_is_in_exactly_one_shard(count: int) -> None:
    assert all(0 <= packs.shard(case, count) < count for case in ids())


@given(subsets, st.integers(1, 8))
def test_a_case_stays_in_its_shard_whatever_other_cases_there_are(
    chosen: list[str], count: int
) -> None:
    shards = [{case for case in ids() if packs.shard(case, count) == k} for k in range(count)]
    assert sum(map(len, shards)) == len(ids())
    for k, shard in enumerate(shards):
        assert {case for case in chosen if packs.shard(case, count) == k} == shard & set(chosen)


def test_shards_are_about_equal_and_the_same_everywhere() -> None:
    sizes = [sum(packs.shard(case, 4) == k for case in ids()) for k in range(4)]
    assert min(sizes) > len(ids()) / 4 * 0.8
    # Fixed for ever: a case that changed its shard would be run twice, or never, by machines of two releases.
    example = "SpaceToDepth-1/example/f32[5,7,4,6]/block_size=2,mode=blocks_first"
    assert [packs.shard(example, count) for count in (2, 3, 8, 1000)] == [0, 2, 2, 290]


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_chooses_all_that_a_smaller_one_does(one: float, two: float) -> None:
    small, large = sorted((one, two))
    chosen = {case for case in ids() if packs.chosen(case, small, "audit")}
    assert chosen <= {case for case in ids() if packs.chosen(case, large, "audit")}


def test_shares_of_nothing_of_all_and_between() -> None:
    assert not any(packs.chosen(case, 0, "audit") for case in ids())
    assert all(packs.chosen(case, 1, "audit") for case in ids())
    half = sum(packs.chosen(case, 0.5, "audit") for case in ids())
    assert 0.4 < half / len(ids()) < 0.6


def test_layers_that_change_what_becomes_of_others_stay_among_themselves() -> None:
    """One FakeQuantize in a model has the plugin rewrite all of it for 8 bits."""
    limits = "f32[],f32[],f32[],f32[]"
    fake = [f"FakeQuantize-1/plain/f32[{n}],{limits}/levels=256,auto_broadcast=numpy" for n in "23"]
    relu = [f"ReLU-1/plain/f32[{n}]" for n in "23"]
    planned = packs.plan([relu[0], fake[0], fake[1], relu[1]], 10)
    assert [sorted(members) for members in planned] == [[0, 3], [1, 2]]


def test_very_large_cases_are_the_last() -> None:
    large = "ScatterUpdate-3/example/u8[1000,256,10,15],i64[125,20],u8[1000,125,20,10,15]/axis=[1]"
    small = [
        "ScatterUpdate-3/plain/f32[2,3],i32[1],f32[2,1]/axis=[1]",
        "ReLU-1/plain/i4[2,3]/-",
    ]
    planned = packs.plan([large, *small], 10)
    assert [sorted(members) for members in planned] == [[1], [2], [0]]
