"""MatMul: products of matrices (page MatMul-1)."""

from ir_models.declaration import *
from ir_models.families.elementwise import broadcast

T = types("T", "any supported floating-point or integer type")


def a_shape(layer):
    matrix = "inner, rows" if layer.transpose_a else "rows, inner"
    return "inner" if layer.a.rank == 1 else f"*batch_a, {matrix}"


def b_shape(layer):
    matrix = "columns, inner" if layer.transpose_b else "inner, columns"
    return "inner" if layer.b.rank == 1 else f"*batch_b, {matrix}"


def summed_axes(layer):
    return {"a": (-2 if layer.transpose_a else -1,), "b": (-1 if layer.transpose_b else -2,)}


def terms(layer, name):
    """How many products one element of the output adds, as one of the inputs has it."""
    tensor, (axis,) = layer.inputs[name], summed_axes(layer)[name]
    return tensor.shape[-1 if tensor.rank == 1 else axis]


def factors(layer, kind):
    """Integers such that the sum of that many products fits."""
    if not kind.is_integer:
        return None
    low, high = kind.integer_range
    most = int((min(high, 2**24) / max(terms(layer, "a"), 1)) ** 0.5)
    return Interval(max(low, -most), most)


MatMul = Operation(
    "MatMul-1",
    "opset1",
    inputs=[
        Input("a", T, at_least(1), values=Within(factors), shape=a_shape),
        Input("b", T, at_least(1), values=Within(factors), shape=b_shape),
    ],
    outputs=[Output("output", T)],
    attributes=[
        Attribute("transpose_a", bool, default=False),
        Attribute("transpose_b", bool, default=False),
    ],
    examples=examples("""
        a=[1024]; b=[1024,1000] -> [1000]
        a=[1000,1024]; b=[1024] -> [1000]
        a=[1,1024]; b=[1024,1000] -> [1,1000]
        a=[1024]; b=[1000,1024]; transpose_b=true -> [1000]
        a=[10,1024]; b=[1024,1000] -> [10,1000]
        a=[5,10,1024]; b=[1024,1000] -> [5,10,1000]
    """),
    rules=[
        rule(
            "a has as many columns as b has rows, after transposing",
            lambda layer: terms(layer, "a") == terms(layer, "b"),
            ["a=[2,5,3,6]", "b=[2,5,4,7]", "transpose_a=true", "transpose_b=true", "b=[6]"],
        ),
        rule(
            "the batch dimensions of a and b broadcast",
            lambda layer: broadcast(*(t.with_shape(*t.shape[:-2]) for t in (layer.a, layer.b))),
            ["a=[3,5,3,7]", "b=[2,3,7,4]", "b=[4,7,4]"],
        ),
    ],
    sums=Sums(summed_axes, "a=[40,200]; b=[200,40]"),
    variants=variants("""
        vectors: a vector is a row of a, a column of b
            a=[7]; b=[7]|[7,4]|[3,7,4]
            a=[3,7]|[2,3,7]; b=[7]
        transposed-vectors: transposing is ignored for a vector
            a=[7]; b=[7,4]; transpose_a=true
            a=[3,7]; b=[7]; transpose_b=true
            a=[7]; b=[7]|[2,4,7]; transpose_a=true; transpose_b=true
        transpose: rows and columns are swapped
            a=[2,7,3]; b=[2,7,4]; transpose_a=true
            a=[2,3,7]; b=[2,4,7]; transpose_b=true
            a=[2,7,3]; b=[2,4,7]; transpose_a=true; transpose_b=true
            a=[7,3]; b=[4,7]; transpose_a=true; transpose_b=true
        broadcast: batch dimensions broadcast
            a=[3,7]|[7]; b=[5,2,7,4]
            a=[5,2,3,7]; b=[7,4]|[7]
            a=[5,1,3,7]; b=[2,7,4]|[1,2,7,4]
            a=[1,3,7]; b=[5,7,4]
            a=[2,7,8]; b=[1,8,8]
            a=[2,7,64]; b=[1,64,32]
        one-row: a fully connected layer of one image; kernels read 4 or 8 elements of a row at once
            a=[1,7]; b=[7,4]
            a=[1,7]; b=[4,7]; transpose_b=true
            a=[7,1]; b=[7,4]; transpose_a=true
            a=[1,1]; b=[1,4]
        more-batch-dimensions: batch dimensions that one operand alone has
            a=[3,7]; b=[3,2,5,7,4]
            a=[3,2,5,3,7]; b=[7,4]
            a=[2,3,7]; b=[3,2,5,1,7,4]
            a=[2,2,5,8]; b=[2,2,2,8,3]
        large-integers: sums that no f32, f64 or 32-bit integer holds
            a=i32:[[4099,-3,7],[5,1048577,2]]; b=i32:[[8191,1],[2,1025],[3,-4]]
            a=i64:[[8589934593,-3,7],[5,-4503599627370497,2]]; b=i64:[[8191,1],[2,1025],[3,-4]]
            a=u64:[[8589934593,3,7],[5,9007199254740993,2]]; b=u64:[[8191,1],[2,1025],[3,4]]
        large-matrices: matrices of any size
            a=[64,300]; b=[300,48]
            a=[64,300]; b=[48,300]; transpose_b=true
            a=[3,40,1024]; b=[3,1024,40]
            a=[1,4096]; b=[4096,33]
    """),
)


@MatMul.plain
def plain(rank=4):
    batch = [2, 5, 1, 3, 2, 1][: max(rank - 2, 0)]
    a, b = ([*batch, 3, 7], [*batch, 7, 4]) if rank > 1 else ([7], [7])
    return {"a": a, "b": b, "transpose_a": False, "transpose_b": False}


@MatMul.adapt
def adapt(layer):
    """Rows and columns swapped where that makes a product possible: transposing changes which are which."""
    for names in (["a"], ["b"], ["a", "b"]):
        tensors = {name: layer.inputs[name] for name in names}
        if all(t.rank > 1 and t.value is None for t in tensors.values()):
            changes = {
                name: t.with_shape(*t.shape[:-2], t.shape[-1], t.shape[-2])
                for name, t in tensors.items()
            }
            swapped = layer.replace(**changes)
            if terms(swapped, "a") == terms(swapped, "b"):
                return changes
    raise ValueError("swapping does not help")


@MatMul.random
def layer(draw):
    rows, inner, columns = draw.shape(3, most=8)
    batch = draw.shape(draw.integer(0, 3), most=3)
    first = draw.choice([None, False, True])
    second = draw.choice([None, False, True])
    a = [inner] if draw.integer(0, 4) == 0 else [inner, rows] if first else [rows, inner]
    b = [inner] if draw.integer(0, 4) == 0 else [columns, inner] if second else [inner, columns]
    if len(a) > 1:
        a = [*_part(batch, draw), *a]
    if len(b) > 1:
        b = [*_part(batch, draw), *b]
    return {"a": a, "b": b, "transpose_a": first, "transpose_b": second}


def _part(batch, draw):
    kept = batch[draw.integer(0, len(batch)) :] if draw.boolean() else batch
    return [1 if draw.integer(0, 3) == 0 else size for size in kept]
