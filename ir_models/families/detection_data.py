"""DetectionOutput: the sizes of its layers, and data that most of them can be told from each other by.

Boxes and their margins are those of ``families.detected``, as parts of the image.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ir_models.draw import Draw
from ir_models.element_types import Tensor
from ir_models.families.detected import (
    STEPS,
    cells_for,
    priors,
    scattered_scores,
    targets,
    to_resize,
)
from ir_models.operation import Layer

__all__ = [
    "CENTER",
    "CORNER",
    "by_hand",
    "classes_of",
    "confidences",
    "count_of",
    "drawn",
    "last",
    "logits",
    "logits_shape",
    "more_logits",
    "objects",
    "places_of",
    "proposals",
    "proposals_shape",
    "rows_of",
    "scores_shape",
    "shapes_of_one_size",
    "width_of",
]

CENTER, CORNER = (f"caffe.PriorBoxParameter.{each}" for each in ("CENTER_SIZE", "CORNER"))
# Powers of two: a quotient by them has no error.
_VARIANCES = np.array([0.125, 0.25, 0.5, 1.0])


# --- sizes, by the page's names -----------------------------------------------------------------------------------


def last(tensor: Tensor | None) -> int:
    """The last dimension, 1 where there is none."""
    return 1 if tensor is None else (*tensor.shape, 1)[tensor.rank - 1]


def width_of(layer: Layer) -> int:
    """prior_box_size."""
    return 4 if layer.normalized else 5


def count_of(layer: Layer) -> int:
    """num_prior_boxes."""
    return last(layer.proposals) // width_of(layer)


def classes_of(layer: Layer) -> int:
    """num_classes."""
    if "num_classes" in layer.attributes:
        return int(layer.num_classes)
    return max(last(layer.class_predictions) // max(count_of(layer), 1), 1)


def rows_of(layer: Layer) -> int:
    """The second dimension of proposals."""
    return 1 if layer.variance_encoded_in_target else 2


def places_of(layer: Layer) -> int:
    """num_loc_classes."""
    return 1 if layer.share_location else classes_of(layer)


def logits_shape(layer: Layer) -> str:
    """Of box_logits, and of additional_box_predictions."""
    return f"N, {4 * places_of(layer)}*num_prior_boxes"


def scores_shape(layer: Layer) -> str:
    """Of class_predictions."""
    return f"N, {classes_of(layer)}*num_prior_boxes"


def proposals_shape(layer: Layer) -> str:
    """Of proposals."""
    return f"priors_batch_size, {rows_of(layer)}, {width_of(layer)}*num_prior_boxes"


def _shapes(
    batches: int,
    count: int,
    classes: int,
    given: Mapping[str, Any],
    own_priors: bool,
    more: bool,
) -> dict[str, Any]:
    """The shapes of all inputs for attributes by name: ``own_priors`` for each image, ``more``: five inputs."""
    width = 4 if given.get("normalized") else 5
    rows = 1 if given.get("variance_encoded_in_target") else 2
    places = classes if given.get("share_location", True) is False else 1
    found = {
        "box_logits": [batches, count * places * 4],
        "class_predictions": [batches, count * classes],
        "proposals": [batches if own_priors else 1, rows, count * width],
    }
    if more:
        found["additional_class_predictions"] = [batches, count * 2]
        found["additional_box_predictions"] = found["box_logits"]
    return found


def shapes_of_one_size(layer: Layer) -> dict[str, Any]:
    """The shapes for which most inputs of a layer have theirs, of which some are wrong. Raises ValueError: for none."""
    _, coordinates = layer.box_logits.shape
    _, predictions = layer.class_predictions.shape
    *_, numbers = layer.proposals.shape
    for width in (4, 5):
        count = numbers // width
        if numbers % width or predictions % count:
            continue
        classes = predictions // count
        if coordinates in (4 * count, 4 * count * classes):
            names = ("normalized", "variance_encoded_in_target", "share_location")
            return _shapes(
                layer.box_logits.shape[0],
                count,
                classes,
                {name: getattr(layer, name) for name in names},
                layer.proposals.shape[0] > 1,
                layer.additional_box_predictions is not None,
            )
    raise ValueError("no sizes")


def drawn(draw: Draw, has_classes: bool) -> dict[str, Any]:
    """Any valid layer; ``has_classes``: with num_classes."""
    batches, count, classes = draw.integer(1, 3), draw.integer(1, 13), draw.integer(1, 4)
    given = {
        "top_k": draw.choice([-1, None, draw.integer(1, 14)]),
        "variance_encoded_in_target": draw.choice([True, False, None]),
        "keep_top_k": draw.choice([[-1], [draw.integer(1, 30)]]),
        "code_type": draw.choice([CENTER, CORNER, None]),
        "share_location": draw.choice([True, False, None]),
        "nms_threshold": draw.choice([0.25, 0.5, 0.75]),
        "confidence_threshold": draw.choice([0.0626, 0.2501, None]),
        "clip_after_nms": draw.choice([True, False, None]),
        "clip_before_nms": draw.choice([True, False, None]),
        "background_label_id": draw.choice([-1, None, draw.integer(0, 4)]),
        "decrease_label_id": draw.choice([False, None]),
        "normalized": draw.choice([True, False, None]),
        "input_height": draw.choice([20, 64, None]),
        "input_width": draw.choice([48, 96, None]),
        "objectness_score": draw.choice([0.4, 0.7, None]),
    }
    if draw.integer(0, 5) == 0:
        given |= {"decrease_label_id": True, "background_label_id": 0, "top_k": None}
    own, more = draw.boolean(), draw.boolean()
    number = {"num_classes": classes} if has_classes else {}
    return {**_shapes(batches, count, classes, given, own, more), **number, **given}


# --- data ---------------------------------------------------------------------------------------------------------


def _boxes(layer: Layer) -> tuple[np.ndarray, np.ndarray]:
    """The priors and the boxes that additional predictions refine them to, as parts of the image: [P, 4] each."""
    count = count_of(layer)
    most = STEPS * cells_for(count)
    # Refined ones keep away from the edges of the image, whatever is rounded.
    return priors(count) / most, 0.125 + 0.75 * priors(count, 1) / most


def _variances(layer: Layer) -> np.ndarray:
    """[P, 4]; the same number everywhere where a row holds five numbers a box, of which the page names four."""
    if layer.variance_encoded_in_target:
        return np.ones(4)
    turned = [np.roll(_VARIANCES, box) for box in range(count_of(layer))]
    return np.reshape(turned, (-1, 4)) if layer.normalized else np.full(4, 0.25)


def _offsets(layer: Layer, boxes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The numbers that decode ``boxes`` to those ``wanted`` [N * num_loc_classes or 1, P, 4], as box_logits."""
    found = to_resize(boxes, wanted) if layer.code_type == CENTER else wanted - boxes
    sizes = (layer.box_logits.shape[0], places_of(layer), count_of(layer), 4)
    groups = np.broadcast_to(found / _variances(layer), (sizes[0] * sizes[1], *sizes[2:]))
    numbers: np.ndarray = groups.reshape(sizes).swapaxes(1, 2)
    return numbers


def logits(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """box_logits, which decode to boxes with margins."""
    count = count_of(layer)
    wanted = targets(
        layer.box_logits.shape[0] * places_of(layer),
        count,
        layer.nms_threshold,
        state,
        beyond=4 if cells_for(count) == 1 else 0,
        clips=layer.clip_before_nms,
    )
    own, refined = _boxes(layer)
    start = own if layer.additional_box_predictions is None else refined
    return _offsets(layer, start, wanted / (STEPS * cells_for(count)))


def more_logits(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """additional_box_predictions."""
    return _offsets(layer, *_boxes(layer))


def proposals(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """The priors and their variances; of five numbers the first one says nothing."""
    found, _ = _boxes(layer)
    pixels = np.array([layer.input_width, layer.input_height] * 2)
    rows = [found if layer.normalized else found * pixels]
    if not layer.variance_encoded_in_target:
        rows.append(np.broadcast_to(_variances(layer), found.shape))
    if not layer.normalized:
        rows = [np.insert(each, 0, 0.25, axis=1) for each in rows]
    return np.broadcast_to(np.reshape(rows, (1, len(rows), -1)), layer.proposals.shape)


def confidences(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """class_predictions, all different."""
    count = layer.class_predictions.size
    return scattered_scores(count, count if count < 1000 else 400, state)


def objects(layer: Layer, state: np.random.RandomState) -> np.ndarray:
    """Scores of no object and of an object, which are quarters and eighths, for each box."""
    found = state.randint(1, 8, (layer.additional_class_predictions.size // 2, 1)) / 8
    return np.concatenate([1 - found, found], axis=1)


def by_hand(boxes: Sequence[Sequence[float]], scores: Sequence[float], others: float = 0.0) -> str:
    """Proposals that are the boxes of one image; the scores are those of class 1, ``others`` those of 0 and 2."""
    zeros = ",".join(["0"] * (4 * len(boxes)))
    numbers = ",".join(str(each) for box in boxes for each in box)
    chances = ",".join(f"{others},{score},{others}" for score in scores)
    return (
        f"variance_encoded_in_target=true; share_location=true; code_type={CORNER}; top_k=-1; clip_after_nms=false; "
        f"background_label_id=-1; box_logits=f32:[[{zeros}]]; class_predictions=f32:[[{chances}]]; "
        f"proposals=f32:[[[{numbers}]]]"
    )
