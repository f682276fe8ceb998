"""Einsum: the Einstein summation convention on any number of operands (page Einsum-7)."""

import re
from itertools import combinations
from math import prod

from ir_models.declaration import *
from ir_models.families.elementwise import broadcast
from ir_models.vocabulary.element_types import f32, i32, i64, u32, u64

T = types("T", "any numeric type")

ELLIPSIS = "..."
SUBSCRIPT = r"(?:[A-Za-z]|\.\.\.)*"


def subscripts(layer):
    """The labels of each input, and those of the output, None in implicit mode."""
    text = layer.equation.replace(" ", "")
    if not re.fullmatch(rf"{SUBSCRIPT}(?:,{SUBSCRIPT})*(?:->{SUBSCRIPT})?", text):
        raise ValueError(f"{text!r} is no equation")
    inputs, arrow, output = text.partition("->")
    split = [re.findall(r"\.\.\.|.", each) for each in (*inputs.split(","), output)]
    return split[:-1], split[-1] if arrow else None


def is_equation(layer):
    try:
        subscripts(layer)
    except ValueError:
        return False
    return True


def rank_matches(labels, tensor):
    """A label for each dimension; an ellipsis is for the rest of them."""
    return len(labels) - 1 <= tensor.rank if ELLIPSIS in labels else len(labels) == tensor.rank


def pairs(layer):
    """(labels, tensor) of each input; the other rules need as many of both, with ranks that match."""
    found = list(zip(subscripts(layer)[0], layer.data, strict=True))
    if not all(labels.count(ELLIPSIS) <= 1 and rank_matches(labels, t) for labels, t in found):
        raise ValueError("no dimension has a label")
    return found


def covered(layer):
    """(label or ellipsis, the dimensions that it covers), in order."""
    for labels, tensor in pairs(layer):
        axis = 0
        for label in labels:
            end = axis + (tensor.rank - len(labels) + 1 if label == ELLIPSIS else 1)
            yield label, tensor.with_shape(*tensor.shape[axis:end])
            axis = end


def sizes_of(layer):
    """The sizes of each label, from all its places."""
    found = {}
    for label, part in covered(layer):
        if label != ELLIPSIS:
            found.setdefault(label, []).extend(part.shape)
    return found


def factors(layer, kind):
    """Numbers such that the sum of that many products of that many factors fits."""
    if kind.is_float:
        # Products of up to four are in the range of f16.
        return Interval(-4.0, 4.0, least=0.25)
    low, high = kind.integer_range
    inputs, output = subscripts(layer)
    used = [label for each in inputs for label in each]
    kept = output if output is not None else [each for each in used if used.count(each) == 1]
    terms = prod(max(sizes) for label, sizes in sizes_of(layer).items() if label not in kept)
    most = int((min(high, 2**24) / max(terms, 1)) ** (1 / len(layer.data)))
    return Interval(max(low, -most), max(most, 1))


def listed(equation, output, values, *data):
    """An example of the page's listings."""
    return example(
        data=[f32.tensor(each) for each in data], equation=equation, output=output, values=[values]
    )


ROWS = [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]
TWO = [ROWS, [[2.0, 4.0, 6.0], [8.0, 10.0, 12.0], [14.0, 16.0, 18.0]]]
B = [4.0, 5.0, 6.0]
OTHER, IK = [[8191, 1], [2, 1025], [3, 4]], {"equation": "ij,jk->ik"}

Einsum = Operation(
    "Einsum-7",
    "opset7",
    inputs=[Input("data", T, many=True, values=Within(factors))],
    outputs=[Output("output", T)],
    mixes=True,
    attributes=[Attribute("equation", str, required=True)],
    examples=[
        listed("i,i->", [], 32, [1.0, 2.0, 3.0], B),
        listed("ij,j->i", [2], [32, 32], [ROWS[0], ROWS[0]], B),
        listed("kii->k", [2], [15, 30], TWO),
        listed("kii->ki", [2, 3], [[1, 5, 9], [2, 10, 18]], TWO),
        listed("ijk->kij", [3, 1, 3], [[[1, 4, 7]], [[2, 5, 8]], [[3, 6, 9]]], [ROWS]),
        listed("a...->...", [3], [12, 15, 18], ROWS),
        listed("a...,...->a...", [3, 3], [[0.5, 1, 1.5], [2, 2.5, 3], [3.5, 4, 4.5]], ROWS, [0.5]),
        listed("AbC", [1, 3, 2], [[[1, 4], [2, 5], [3, 6]]], [ROWS[:2]]),
        example(
            "data=f32[2,64],f32[2,64]; equation=ij,ij->i",
            output=[2],
            ports=[0, 1, 2],
            erratum="both inputs have the port id 0; the second has 1 here",
        ),
        example(
            "data=f32[2,3,4],f32[2,7,1],f32[2,4,7]; equation=ab...,ac...,ade->...bc",
            output=[4, 3, 7],
            ports=[0, 1, 3, 4],
        ),
    ],
    rules=[
        rule(
            "equation is subscripts of letters and ellipses, in explicit or implicit mode",
            is_equation,
            "equation=bacd,bedc->eba->ab|bacd,bedc-eba|bacd,be1c->eba|bacd,bedc->eb,a|ba.d,bedc->eba",
        ),
        rule(
            "equation has a subscript for each input",
            lambda layer: len(subscripts(layer)[0]) == len(layer.data),
            ["equation=bacd->ba|bacd,bedc,b->eba", "data=[4,5,2,3]"],
        ),
        rule(
            "a subscript has at most one ellipsis",
            lambda layer: all(each.count(ELLIPSIS) <= 1 for each in subscripts(layer)[0]),
            "equation=b...a...,bedc->e...",
        ),
        rule(
            "a subscript has as many labels as its input has dimensions, at most as many beside an ellipsis",
            lambda layer: all(
                rank_matches(*each) or each[0].count(ELLIPSIS) > 1
                for each in zip(subscripts(layer)[0], layer.data, strict=True)
            ),
            "equation=bac,bedc->eba|bacdf,bedc->eba|,bedc->eb|bacdf...,bedc->eba...",
        ),
        rule(
            "dimensions of one label have one size",
            lambda layer: all(len(set(sizes)) == 1 for sizes in sizes_of(layer).values()),
            ["equation=bacd,becd->eba|bacc,bedf->eba", "data=[4,5,2,3],[1,7,3,2]"],
        ),
        rule(
            "the dimensions that ellipses cover broadcast",
            lambda layer: all(
                broadcast(*pair)
                for pair in combinations([p for e, p in covered(layer) if e == ELLIPSIS], 2)
            ),
            "equation=...cd,...dc->...",
        ),
        rule(
            "the output has one ellipsis where an input has one",
            lambda layer: (
                (output := subscripts(layer)[1]) is None
                or output.count(ELLIPSIS) == any(ELLIPSIS in e for e in subscripts(layer)[0])
            ),
            "equation=b...,bedc->e|b...,bedc->...e...",
            reading=Reading(
                "an ellipsis of the output where no input has one",
                "It is not tested.",
                "No dimension is covered.",
                "silence",
            ),
        ),
        rule(
            "each label of the output is one of the inputs",
            lambda layer: {*(subscripts(layer)[1] or ())} <= {*sum(subscripts(layer)[0], ["..."])},
            "equation=bacd,bedc->ebf|bacd,bedc->Eba",
        ),
        rule(
            "no label comes twice in the output",
            lambda layer: all(
                subscripts(layer)[1].count(label) == 1
                for label in subscripts(layer)[1] or ()
                if label != ELLIPSIS
            ),
            unasked="the page does not say what it means",
        ),
    ],
    variants=[
        variant(
            "large-integers",
            "sums that no f32, f64 or 32-bit integer holds",
            *(
                {
                    "data": [kind.tensor([[first, 3, 7], [5, 2**20 + 1, 2]]), kind.tensor(OTHER)],
                    **IK,
                }
                for kind, first in ((i32, 4099), (i64, 2**33 + 1), (u64, 2**33 + 1), (u32, 4099))
            ),
        ),
        *variants("""
        one-operand: an operand is transposed, its dimensions summed
            data=[2,3,5,4]; equation=abcd->dbca|abcd->ca|abcd->|abcd|dbca|abcd->abcd
        repeated-labels: an operand is replaced by its diagonal
            data=[4,4]; equation=ii->i|ii->|ii
            data=[2,4,5,4]; equation=ijkj->ij|ijkj->kji|ijkj
            data=[3,3,3]; equation=iii->i|iii->
            data=[3,3,2,2]; equation=iijj->ji|jjii->ij|iijj
            data=[3,3,5],[3,2,4],[4,4,4,2]; equation=aac,abd,ddde->ceb|aac,abd,ddde
            data=[5,5],[5]; equation=ii,i->|ii,i->i
        two-operands: inner, outer, element-wise and matrix products
            data=[6],[6]; equation=i,i->|i,i->i|i,i|i,j->ij|i,j->ji|i,j->j|i,j
            data=[3,6],[6,4]; equation=ij,jk->ik|ij,jk->ki|ij,jk->j|ij,jk->ijk|ij,jk->i|ij,jk->|ij,jk|kj,ji
            data=[2,3,6],[2,4,6]; equation=bij,bkj->bik|bij,bkj->kib|bij,bkj->b|bij,akj->baik
        several-operands: one step after another
            data=[2,5],[5,3,6],[5,3]; equation=ab,bcd,bc->ca|ab,bcd,bc->dacb|ab,bcd,bc
            data=[2,5],[5,3],[3,4],[4,2]; equation=ab,bc,cd,de->ae|ab,bc,cd,da->|ab,bc,cd,da->ac|ab,bc,cd,de
            data=[2,3],[2,3],[2,3],[2,3]; equation=ab,ab,ab,ab->ab|ab,ab,ab,ab->b|ab,cd,ab,cd->ad
            data=[2],[3],[4]; equation=a,b,c->cab|a,b,c->b|a,b,c
        ellipsis: it covers dimensions that broadcast, at any place in a subscript
            data=[2,3,5,4]; equation=a...->...|a...->...a|...a->...|a...b->b...a|...->...|...
            data=[9,1,4,3],[3,11,7,1]; equation=a...b,b...->a...|a...b,b...->...a|a...b,b...
            data=[2,3,6],[6,4]; equation=...ij,jk->...ik|...ij,jk->k...i|i...j,jk->i...k
            data=[5,1,3,6],[2,6,4]; equation=...ij,...jk->...ik|...ij,...jk->ik...|...ij,...jk
            data=[3,3,2,5],[3,2,5]; equation=aa...,a...->a...|aa...,a...->...
            data=[2,3,4],[2,7,1],[2,4,7]; equation=ab...,ac...,ade->...bcd
        ellipses-of-different-ranks: dimensions that one covers alone are those of the output
            data=[3,2,5],[3]; equation=a...,a->a...|a...,a->...a|a...,a
            data=[3,1,1],[3]; equation=a...,a->a...
            data=[2,3],[5,2]; equation=...X,...->...X|...X,...->X...
            data=[2,3],[1,5,2]; equation=...X,...->...
        ellipsis-of-nothing: an ellipsis may cover no dimension
            data=[3,6],[6,4]; equation=...ij,...jk->...ik|...ij,jk->...ik
            data=[2,3,6],[6]; equation=...ij,...j->...i
        scalars: the subscript of a scalar is empty
            data=[],[3,4]; equation=,ij->ji|,ij->j
            data=[3,4],[],[]; equation=ij,,->ji
            data=[],[]; equation=,->|,
            data=[]; equation=->
        case-sensitive: capital letters are labels of their own, and come before the others
            data=[2,3,4],[4,5]; equation=aAb,bB->ABa|aAb,bB|zAb,bZ|BcA,Ab
        blanks: blanks mean nothing, at any position
            data=[3,6],[6,4]; equation=ij, jk -> ik|i j , j k->i k|k j,j i
            data=[5,3,6],[6,4]; equation=... ij,jk -> ... ik
        blanks-inside: also within an arrow or an ellipsis
            data=[3,6],[6,4]; equation=ij,jk- >ik
            data=[5,3,6],[6,4]; equation=. ..ij,jk->.. .ik
        many-labels: more dimensions than letters of a small alphabet
            data=[2,1,3,1,2,2,1,2],[2,2,1,3]; equation=abcdefgh,hgji->jcbaedfi|abcdefgh,hgji
        short-sums: few terms, whose roundings are small
            data=f16[3,4],f16[3,4]; equation=ij,ij->ji|ij,ij->j
            data=bf16[3,4],bf16[3,4]; equation=ij,ij->ji|ij,ij->j
        many-terms: sums of many products
            data=[40,200],[200,40]; equation=ij,jk->ik
            data=[40,200],[40,200]; equation=ij,kj->ki
            data=[1200,300]; equation=ij->i
            data=[8,4,40],[40,5,8,6],[5,4,8]; equation=abc,cdef,dba->bfe
    """),
    ],
    readings=[
        Reading(
            "'to cover broadcasted dimensions': an ellipsis where the labels cover all dimensions",
            "It covers none.",
            "The shape of no dimensions broadcasts with every other.",
            "silence",
            admits="A subscript of a matrix whose ellipsis must cover a dimension.",
        ),
        Reading(
            "'the single 3D tensor of shape [2, 4, 5, 4] with equation equal to ijkj->ij'",
            "The tensor has four dimensions.",
            "So many sizes and labels are printed.",
            "slip",
        ),
        Reading(
            "'blank space characters at any positions'",
            "Between the characters of an arrow and of an ellipsis as well.",
            "These are positions in the equation.",
            admits="Blanks around labels, commas and arrows alone.",
        ),
    ],
)


@Einsum.plain
def plain(rank=4):
    """A batch, two dimensions that are summed, in another order, and those that stay."""
    sizes = dict(zip("bacdfghie", (4, 5, 2, 3, 2, 1, 3, 2, 7), strict=True))
    first = "bacdfghi"[:rank]
    second = [label for label in "bedc" if label == "e" or label in first]
    output = "".join(label for label in "ebafghi" if label == "e" or label in first)
    data = [[sizes[label] for label in labels] for labels in (first, second)]
    return {"data": data, "equation": f"{first},{''.join(second)}->{output}"}


@Einsum.random
def layer(draw):
    """Up to four operands of up to three labels each, where one may come twice, and an ellipsis."""
    letters = draw.subset("abcdefXYZ", least=1, most=6)
    sizes = {each: draw.integer(1, 4) for each in letters}
    batch = draw.shape(2, most=3)
    inputs, data = [], []
    for _ in range(draw.integer(1, 4)):
        labels = draw.subset(letters, most=3)
        if labels and draw.integer(0, 4) == 0:
            labels.append(draw.choice(labels))
        covers = [] if draw.integer(0, 3) else [ELLIPSIS]
        at = draw.integer(0, len(labels))
        part = [draw.choice([size, 1]) for size in batch[draw.integer(0, 1) :]] if covers else []
        inputs.append([*labels[:at], *covers, *labels[at:]])
        data.append([*(sizes[x] for x in labels[:at]), *part, *(sizes[x] for x in labels[at:])])
    found = sorted({label for each in inputs for label in each})
    output = draw.subset([each for each in found if each != ELLIPSIS])
    if ELLIPSIS in found:
        output.insert(draw.integer(0, len(output)), ELLIPSIS)
    equation = ",".join(map("".join, inputs))
    return {"data": data, "equation": equation + draw.choice(["", f"->{''.join(output)}"])}


@Einsum.adapt
def labels_of_first(layer):
    """Each label has the size that it has first."""
    inputs, sizes, data = subscripts(layer)[0], {}, []
    for labels, tensor in zip(inputs, layer.data, strict=True):
        if ELLIPSIS in labels:
            data.append(tensor)
            continue
        shape = [sizes.setdefault(x, size) for x, size in zip(labels, tensor.shape, strict=False)]
        data.append(tensor.with_shape(*shape))
    return {"data": data}
