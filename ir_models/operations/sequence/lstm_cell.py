"""LSTMCell: one step of a long short-term memory (page LSTMCell-1, the form that opset4 has)."""

from ir_models.declaration import Attribute, Input, Interval, Operation, Output, example
from ir_models.element_types import FLOATS, f32, types

T = types("T", FLOATS)
ACTIVATIONS = ("relu", "sigmoid", "tanh")

# Pre-activations spread over several units, so that activations bend and clip cuts. A cell state stays within 2.
STATES, WEIGHTS = Interval(-1, 1), Interval(-2, 2)

LSTMCell = Operation(
    # The page is called LSTMCell-1. The inputs that it lists (no peepholes) are those of the type in opset4.
    "LSTMCell-4",
    opset="opset4",
    inputs=[
        Input("X", T, shape="batch_size, input_size", values=STATES),
        Input("initial_hidden_state", T, shape="batch_size, hidden_size", values=STATES),
        Input("initial_cell_state", T, shape="batch_size, hidden_size", values=STATES),
        Input("W", T, shape="4*hidden_size, input_size", values=WEIGHTS),
        Input("R", T, shape="4*hidden_size, hidden_size", values=WEIGHTS),
        Input("B", T, shape="4*hidden_size", values=STATES, optional=True),
    ],
    outputs=[Output("Ho", T), Output("Co", T)],
    attributes=[
        Attribute("hidden_size", int, required=True, least=1),
        Attribute("activations", list[str], default=("sigmoid", "tanh", "tanh")),
        Attribute("activations_alpha", list[float]),
        Attribute("activations_beta", list[float]),
        Attribute("clip", float),
    ],
    examples=[
        example(
            hidden_size=128,
            X=f32[1, 16],
            initial_hidden_state=f32[1, 128],
            initial_cell_state=f32[1, 128],
            W=f32[512, 16],
            R=f32[512, 128],
            B=f32[512],
            output=[[1, 128], [1, 128]],
            ports=range(8),
        )
    ],
    violations=["W=[4,5]", "R=[12,4]", "B=[4]"],
    variants={
        "activations": [
            {"activations": given, "clip": None}
            for given in (
                ("relu", "tanh", "tanh"),
                ("tanh", "tanh", "tanh"),
                ("sigmoid", "relu", "tanh"),
                ("sigmoid", "sigmoid", "tanh"),
                ("sigmoid", "tanh", "relu"),
                ("sigmoid", "tanh", "sigmoid"),
                ("tanh", "relu", "sigmoid"),
                ("relu", "sigmoid", "tanh"),
                ("relu", "relu", "relu"),
            )
        ],
        "clip": [
            # Cuts nothing, cuts some sums, cuts nearly all.
            {"clip": 1000.0},
            {"clip": 2.0},
            # h is an activation too, and before it the cell state is clipped.
            {"clip": 0.25},
            {"clip": 1.5, "activations": ("tanh", "relu", "sigmoid")},
        ],
        "constant-weights": [
            {
                "hidden_size": 1,
                "X": [3, 2],
                "initial_hidden_state": [3, 1],
                "initial_cell_state": [3, 1],
                "W": f32.tensor([[0.5, -1.25], [1.75, 0.25], [-0.75, 2.0], [1.5, -0.5]]),
                "R": f32.tensor([[1.0], [-1.5], [0.75], [-0.25]]),
                "B": f32.tensor([0.5, -0.25, 0.125, -1.0]),
                **changes,
            }
            # Kernels for sequences know only these; clip and parameters of activations keep a layer from them.
            for changes in (
                {},
                {"clip": None, "activations_alpha": None, "activations_beta": None},
                {"clip": None, "activations_alpha": None, "activations_beta": None, "B": None},
            )
        ],
        "saturated": [
            # Sums far beyond where sigmoid and tanh are flat, on both sides.
            {
                "hidden_size": 1,
                "X": f32.tensor([[40.0], [-40.0], [120.0], [0.5]]),
                "initial_hidden_state": [4, 1],
                "initial_cell_state": [4, 1],
                "W": f32.tensor([[1.0], [2.0], [-1.0], [1.5]]),
                "R": [4, 1],
                "B": [4],
                "clip": None,
            }
        ],
    },
)


@LSTMCell.plain
def plain():
    """The three activations are the default ones, which alone every device has; clip cuts sums, not the state."""
    return {
        "hidden_size": 4,
        "X": [3, 5],
        "initial_hidden_state": [3, 4],
        "initial_cell_state": [3, 4],
        "W": [16, 5],
        "R": [16, 4],
        "B": [16],
        "activations": ("sigmoid", "tanh", "tanh"),
        "activations_alpha": (0.5, 0.25, 0.75),
        "activations_beta": (0.125, 1.0, 2.0),
        "clip": 2.5,
    }


@LSTMCell.random
def layer(draw):
    batch, inputs, hidden = draw.integer(1, 5), draw.integer(1, 12), draw.integer(1, 12)
    activations = draw.choice([[draw.choice(ACTIVATIONS) for _ in range(3)], None])
    # Of clip the cell state stays clear: of states beyond it, cases of their own ask.
    clip = draw.choice([draw.real(2.0, 5.0), None]) if activations is None else None
    return {
        "hidden_size": hidden,
        "X": [batch, inputs],
        "initial_hidden_state": [batch, hidden],
        "initial_cell_state": [batch, hidden],
        "W": [4 * hidden, inputs],
        "R": [4 * hidden, hidden],
        "B": draw.choice([[4 * hidden], None]),
        "activations": activations,
        "clip": clip,
    }


@LSTMCell.rule(
    "activations are three of relu, sigmoid, tanh",
    broken=[
        {"activations": ("sigmoid", "tanh")},
        {"activations": ("sigmoid", "tanh", "unheard_of")},
    ],
)
def three_activations(layer):
    given = layer.activations
    return len(given) == 3 and all(each in ACTIVATIONS for each in given)


@LSTMCell.rule("clip is positive", broken=[{"clip": 0.0}, {"clip": -2.5}])
def clip_is_positive(layer):
    return layer.clip is None or layer.clip > 0
