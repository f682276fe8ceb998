"""What rooms say of element types by name, as they may not import them: a new type fails until each of them has it."""

from __future__ import annotations

from ir_models.vocabulary.element_types import ELEMENT_TYPES
from reference.accuracy.precision import PRECISIONS
from reports.explaining import telling
from reports.gate import severity


def test_floats_have_a_precision_but_for_those_that_have_no_mantissa() -> None:
    floats = {name for name, each in ELEMENT_TYPES.items() if each.is_float}
    assert floats - {"nf4", "f8e8m0"} == set(PRECISIONS)


def test_classes_that_tell_departures_apart_follow_from_the_types() -> None:
    classes = {
        name: "a type of less than 8 bits" if each.bits < 8 else "a type of 8 bits"
        for name, each in ELEMENT_TYPES.items()
        if 0 < each.bits <= 8
    }
    assert {**classes, **dict.fromkeys(("i64", "u64"), "an integer of 64 bits")} == telling._CLASSES


def test_each_type_is_usual_in_models_or_not() -> None:
    unusual = severity._UNUSUAL_VALUES & ELEMENT_TYPES.keys()
    assert not unusual & severity._USUAL
    assert unusual | severity._USUAL == ELEMENT_TYPES.keys() - {"string"}
