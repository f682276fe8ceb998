"""Other ways to write a layer: each gives what the formula gives."""

import numpy as np
import pytest

from ir_models import patterns
from ir_models.graphs import GraphError, evaluate, read
from ir_models.patterns.spellings import spellings

VARIED = [each for each in patterns.PATTERNS if each.is_varied]


def spelled(pattern):
    """The graphs of a pattern with one layer written in another way."""
    for name, factor in pattern.factors.items():
        for level in factor.levels if name.endswith(".spelling") else ():
            try:
                yield f"{name}={level}", evaluate(pattern.with_levels({name: level}))
            except GraphError:
                continue


def test_other_spellings_give_what_the_formula_gives():
    found = {}
    for pattern in VARIED:
        formula = evaluate(pattern.graph)
        expected = [formula.arrays[name] for name in pattern.graph.results]
        for level, graph in spelled(pattern):
            given = [graph.arrays[name] for name in graph.graph.results]
            found[f"{pattern.name}/{level}"] = all(
                one.shape == other.shape
                and np.allclose(
                    one.astype(float), other.astype(float), rtol=1e-3, atol=1e-4, equal_nan=True
                )
                for one, other in zip(given, expected, strict=True)
            )
    assert [name for name, is_equal in found.items() if not is_equal] == []
    assert len(found) > 150


@pytest.mark.parametrize(
    ("layers", "name", "operations"),
    [
        ("a=Clamp-1(x){min=-1.0;max=2.0}", "maximum-first", ("Maximum-1", "Minimum-1")),
        ("a=Clamp-1(x){min=-1.0;max=2.0}", "minimum-first", ("Minimum-1", "Maximum-1")),
        ("const c=f32[]:0.5; a=Add-1(x,c)", "subtract", ("Subtract-1",)),
        ("const c=f32[]:0.5; a=Power-1(x,c)", "sqrt", ("Sqrt-1",)),
        ("a=HSigmoid-5(x)", "clamp", ("Add-1", "Clamp-1", "Divide-1")),
        (
            "const o=f32[]:1; s=Sqrt-1(x); a=Divide-1(o,s)",
            "root",
            ("Power-1",),
        ),
    ],
)
def test_a_layer_is_written_in_another_way(layers, name, operations):
    graph = evaluate(read(f"x=f32[2,3]+; {layers}; return a"))
    step = graph.graph.steps[-1]
    changed = dict(spellings(graph, step))[name](graph.graph).pruned()
    assert changed.operations == operations
    assert evaluate(changed).tensors[changed.results[0]].shape == (2, 3)


def test_a_tensor_that_no_array_can_be_is_named():
    with pytest.raises(GraphError, match=r"'x=f32\[9{20}\]': has more dimensions or elements than"):
        read(f"x=f32[{'9' * 20}]; return x")


def test_a_layer_of_another_number_has_no_such_spelling():
    graph = evaluate(read("x=f32[2,3]+; const c=f32[]:3; a=Power-1(x,c); return a"))
    levels = dict(spellings(graph, graph.graph.steps[0]))
    with pytest.raises(GraphError, match="the exponent is not 2"):
        levels["square"](graph.graph)
    assert levels["cube"](graph.graph).operations == ("Multiply-1", "Multiply-1")


def test_parts_of_a_split_are_strided_slices():
    split = "x=f32[2,6]; const axis=i64[]:1; a=Split-1(x,axis){num_splits=3}; return a:2,a"
    graph = evaluate(read(split))
    changed = evaluate(dict(spellings(graph, graph.graph.steps[0]))["strided"](graph.graph))
    assert changed.graph.operations == ("StridedSlice-1",) * 3
    given = [changed.arrays[name] for name in changed.graph.results]
    assert [each.tolist() for each in given] == [
        graph.arrays[name].tolist() for name in ("a:2", "a")
    ]
