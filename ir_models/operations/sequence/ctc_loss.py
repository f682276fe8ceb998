"""CTCLoss: how improbable the labels of sequences are (page CTCLoss-4)."""

from ir_models.declaration import *
from ir_models.families.decoding import sizes

T_F = types("T_F", "any supported floating-point type")
T1 = types("T1", "int32 or int64")
T2 = types("T2", "int32 or int64")


def blank_of(layer):
    """The blank, by default the last class."""
    return (numbers(layer.blank_index) or [layer.logits.shape[2] - 1])[0]


def few_classes(layer, state):
    """Labels of at most three classes, the last one among them, so that some come again one after the other."""
    classes = [c for c in range(layer.logits.shape[2]) if c != blank_of(layer)]
    return state.choice((classes[:2] + classes[2:][-1:]) or [0], layer.labels.shape)


def counted(layer):
    """The labels of each sequence. Raises ValueError where the layer does not state them."""
    if layer.labels.value is None:
        raise ValueError("drawn labels keep the rules")
    return [row[:n] for row, n in zip(layer.labels.value, layer.label_length.value, strict=True)]


FLAGS = "preprocess_collapse_repeated=false|true; ctc_merge_repeated=false|true; unique=false|true"
EQUAL = "logits=f32:[[[0,0,0],[0,0,0],[0,0,0]]]; logit_length=3"
DEFAULTS = "preprocess_collapse_repeated=-; ctc_merge_repeated=-; unique=-; blank_index=-"
MERGED = "ctc_merge_repeated=true; preprocess_collapse_repeated=false"
LARGE = (
    "logits=f32:[[[200,199,-200],[0,200,200],[-150,149,150]]]; logit_length=3; "
    "labels=i64:[[0,1,0]]; label_length=2; blank_index=2"
)
MANY = "logits=[2,60,30]; logit_length=60,41; labels=[2,60]; label_length=25,20"

CTCLoss = Operation(
    "CTCLoss-4",
    "opset4",
    inputs=[
        Input("logits", T_F, shape="N, T, C", values=Interval(-4.0, 4.0)),
        Index("logit_length", T1, shape="N", least=0, plain=[9, 7, 5]),
        Input("labels", T2, shape="N, T", values=few_classes),
        Index("label_length", T1, shape="N", least=0, plain=[5, 4, 1]),
        Index("blank_index", T2, shape="scalar", optional=True, plain=2),
    ],
    outputs=[Output("output", T_F)],
    attributes=[
        Attribute("preprocess_collapse_repeated", bool, default=False, plain=True),
        Attribute("ctc_merge_repeated", bool, default=True, plain=False),
        Attribute("unique", bool, default=False, plain=False),
    ],
    sizes={"N": 3, "T": 9, "C": 5},
    mixes=True,
    examples=examples(
        """
        logits=[8,20,128]; logit_length=20,19,18,10,5,1,20,7; labels=[8,20]; label_length=10,9,3,5,2,1,4,1;
            blank_index=120 -> [8]
            altered: the page prints no values of logit_length and label_length
        """,
        [0, 1, 2, 3, 4, 0],
    ),
    rules=[
        rule(
            "logit_length is at most T",
            lambda layer: all(n <= layer.logits.shape[1] for n in layer.logit_length.value),
            "logit_length=10,7,5|9,7,100",
        ),
        rule(
            "label_length is at most logit_length",
            lambda layer: all(
                map(int.__le__, numbers(layer.label_length), numbers(layer.logit_length))
            ),
            "label_length=5,8,1|5,4,6",
        ),
        rule(
            "labels are classes",
            lambda layer: all(
                0 <= c < layer.logits.shape[2] for row in counted(layer) for c in row
            ),
            f"{EQUAL}; labels=i64:[[0,3,0]]|i64:[[-1,0,0]]; label_length=2; blank_index=2",
        ),
        rule(
            "labels are not the blank",
            lambda layer: all(c != blank_of(layer) for row in counted(layer) for c in row),
            f"{EQUAL}; labels=i64:[[0,2,0]]; label_length=2; blank_index=2",
        ),
        rule(
            "blank_index is a class",
            lambda layer: 0 <= blank_of(layer) < layer.logits.shape[2],
            "blank_index=5|-1",
            reading=Reading(
                "blank_index: 'the class index to use for the blank label'",
                "It is from 0 to C - 1.",
                "There are no other classes.",
            ),
        ),
        rule(
            "there are labels beside the blank where a target has some",
            lambda layer: layer.logits.shape[2] > 1 or not any(layer.label_length.value),
            unasked="no label can be from 0 to C - 1 and not the blank",
        ),
    ],
    variants=variants(f"""
        flags: which characters are merged in the target and in paths
            {FLAGS}
            {EQUAL}; labels=i64:[[1,1,0]]; label_length=2; blank_index=2; {FLAGS}
        left-out-flags: the defaults
            preprocess_collapse_repeated=-; ctc_merge_repeated=-; unique=-|true; blank_index=-|2
            {EQUAL}; labels=i64:[[1,1,0]]; label_length=2; {DEFAULTS}
        repeated-labels: characters come again at once and later
            logits=[1,9,5]; logit_length=9; labels=i64:[[0,1,1,0,3,3,0,0,0]]; label_length=6; blank_index=2; {FLAGS}
        blank: any class may be the blank
            blank_index=0|1|3|4; ctc_merge_repeated=true
        lengths: whole sequences, a single step, none
            logit_length=9,9,9|1,9,2; label_length=1,4,1; ctc_merge_repeated=true|false
            logit_length=9,5,0; label_length=0,0,0
            logit_length=0,0,0; label_length=0,0,0
        labels-behind-the-length: they do not count
            {EQUAL}; labels=i64:[[1,2,2]]|i64:[[1,-1,7]]; label_length=1; blank_index=2; ctc_merge_repeated=true
        as-many-labels-as-steps: one path alone is aligned
            {EQUAL}; labels=i64:[[1,0,1]]; label_length=3; blank_index=2; ctc_merge_repeated=true|false
            {EQUAL}; labels=i64:[[1,1,0]]; label_length=3; blank_index=2; preprocess_collapse_repeated=false
        no-path: equal labels need a blank between them, for which there is no step
            {EQUAL}; labels=i64:[[1,1,1]]; label_length=2|3; blank_index=2; {MERGED}
        large-logits: exponentials that overflow or vanish, of paths that count nevertheless
            {LARGE}; ctc_merge_repeated=true|false
        many-steps: sums of many paths
            {MANY}; blank_index=2|-; ctc_merge_repeated=true|false
    """),
    readings=[
        Reading(
            "'computes a negative sum of these log-probabilities', against 'negative log of summed up probabilities'",
            "The logarithm of the sum.",
            "The formula, and the note on computing it.",
            "contradiction",
        ),
        Reading(
            "the sum of no probabilities, where no path is aligned with the target",
            "The loss is infinite.",
            "-ln 0.",
            "silence",
            admits="Another answer where no path is aligned.",
        ),
        Reading(
            "a path of no steps",
            "It has the probability 1, so that the loss of no labels is 0.",
            "The product of no factors.",
            "silence",
        ),
        Reading(
            "preprocess_collapse_repeated and unique of labels behind label_length",
            "They are done on the first label_length labels.",
            "The decoding 'extracts substring of length label_length[i]' first.",
        ),
    ],
)


@CTCLoss.random
def layer(draw):
    batch, steps, count = sizes(draw)
    least = draw.choice([0, 1, 1, 1, 1, 1])
    lengths = [draw.integer(least, steps) for _ in range(batch - 1)] + [steps]
    blank = draw.choice([0, 1, 2, count - 1]) % count
    return {
        "logits": [batch, steps, count],
        "logit_length": lengths,
        "labels": [batch, steps],
        # Equal labels have room for a blank between them.
        "label_length": [draw.integer(least, (n + 1) // 2) for n in lengths],
        "blank_index": draw.choice([blank, None]),
        "preprocess_collapse_repeated": draw.choice([True, False, None]),
        "ctc_merge_repeated": draw.choice([True, False, None]),
        "unique": draw.choice([True, False, None]),
    }


@CTCLoss.adapt
def within_logits(layer):
    """Lengths within T, and a blank among the classes."""
    batch, steps, count = layer.logits.shape
    lengths = [min(n, steps) for n in [*layer.logit_length.value, *[steps] * batch][:batch]]
    targets = [*layer.label_length.value, *[1] * batch]
    return {
        "logit_length": lengths,
        "labels": [batch, steps],
        "label_length": [
            min(n, (most + 1) // 2) if count > 1 else 0
            for n, most in zip(targets, lengths, strict=False)
        ],
        "blank_index": min(blank_of(layer), max(count - 1, 0)),
    }
