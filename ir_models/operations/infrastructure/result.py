"""Result: an output of the model (page Result-1). ``results`` of them may take one output."""

from ir_models.declaration import *

T = types("T", "arbitrary supported type")

Result = Operation(
    "Result-1",
    "opset1",
    role="result",
    inputs=[Input("data", T)],
    outputs=[Output("output", T, lambda layer: layer.results)],
    attributes=[Attribute("results", int, default=1, least=1, partner=True)],
    examples=examples("data=f32[1,3,224,224] -> [1,3,224,224]", ports=[0]),
    unasked={"results is at least": "how many there are is the declaration's, not the page's"},
    variants=variants("""
        shared: several outputs of the model are one output of a layer
            results=2|3
            data=u4|string|boolean; results=2
            data=[]; results=2
    """),
    readings=[
        Reading(
            "'specify output of the model'",
            "The model gives what the input is, in its element type and shape, under the name of the layer.",
            "The page has no output; an output of the model is what its Result takes.",
            "silence",
        )
    ],
)


@Result.plain
def plain(rank=3):
    return {"data": [3, 4, 5, 2, 6, 1, 7, 2][:rank]}


@Result.random
def layer(draw):
    return {
        "data": draw.shape(draw.integer(0, 5), most=6),
        "results": draw.choice([None, 1, 2, 3]),
    }
