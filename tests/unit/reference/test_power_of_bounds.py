"""The power of the bounds: arithmetic in a coarser type never passes for f32, and one ulp of noise is seen."""

import ml_dtypes
import numpy as np
import pytest

import ir_models
from ir_models.asking.how import How
from ir_models.vocabulary.layers import plain_layer
from reference import answer, compare, lookup
from reference.accuracy import Choice, Distribution, Exact, Rounded
from reference.accuracy.call import run
from reference.accuracy.precision import PRECISIONS, is_float, precision_of, rounded
from reference.accuracy.registry import MissingReferenceError, accuracies


def classes(name):
    try:
        accuracy = lookup(name).__dict__["accuracy"]
    except MissingReferenceError:
        return ()
    return accuracy if isinstance(accuracy, tuple) else (accuracy,)


# Cases whose answers narrow types do not have, of operations whose plain answers they do have. Without Soft-NMS a score
# is the one that came, of 8 bits (a multiple of 2^-8 below 1), and integers that comparisons decide have no error. The
# plain range is 1, 3, 5; a step of 0.3 is off by 1.6e-4 of itself in f16, by more than 2^11 roundings of f32 (2^-24).
ROUGH = {
    "NonMaxSuppression-5": ["variant.decay", "variant.soft-nms"],
    "NonMaxSuppression-9": ["variant.decay", "variant.soft-nms"],
    "Range-4": ["variant.count", "variant.many"],
}


PURPOSES = ("plain", "rank", "example")


def f32_cases(operation, purposes=PURPOSES):
    """Cases of f32 data and f32 results, one for each shape that the declaration offers; none where there is none.

    Other values are other cases. How else a layer is asked reaches neither the reference nor a bound.
    """
    return [
        case
        for case in ir_models.cases(operation, purposes)
        if {factor for factor, _ in case.how.pairs} <= {"values"} and is_of_f32(case)
    ]


def is_of_f32(case):
    return (
        "f32" in {t.name for t in case.operation.output_types(case.layer)}
        and "f32" in {t.element_type.name for _, t in case.layer.ports() if t}
        and number_of_elements(case) <= 40_000
    )


def number_of_elements(case):
    return sum(t.size for _, t in case.layer.ports() if t)


def computes(accuracy):
    """Whether results are rounded: not moved, drawn, or among the numbers that came."""
    while isinstance(accuracy, Choice):
        accuracy = accuracy.within
    if isinstance(accuracy, Rounded):
        return accuracy.quality > 0
    return not isinstance(accuracy, (Exact, Distribution))


ROUNDING = [
    operation
    for operation in ir_models.operations()
    # The constants of a body stay f32, and no narrower state of a loop goes with them.
    # What a variable holds comes from inferences before the one that is asked here.
    if operation.name not in ("Loop-5", "TensorIterator-1")
    and not operation.partner
    and all(map(computes, classes(operation.name)))
    # The first is found soon: every worker of the tests makes this list.
    and any(map(is_of_f32, ir_models.cases(operation, PURPOSES)))
]


class Asked:
    """The expected outputs of an operation's cases of f32, made once for all tests."""

    def __init__(self, operation):
        self.operation = operation
        self._expected = {}

    def expected(self, case):
        if case.id not in self._expected:
            types = [t.name for t in case.operation.output_types(case.layer)]
            self._expected[case.id] = answer(
                self.operation.name, case.arrays(), case.layer.arguments(), types
            )
        return self._expected[case.id]

    def is_wrong(self, case, outputs):
        for right, came in zip(self.expected(case), outputs, strict=True):
            right = right.chosen(outputs)
            if right.value.shape != came.shape or compare(right, came).wrong:
                return True
        return False


@pytest.fixture(scope="module", params=ROUNDING, ids=lambda operation: operation.name)
def asked(request):
    return Asked(request.param)


def narrowed(values, dtype):
    return values if values is None or not is_float(values.dtype) else values.astype(dtype)


def in_type(case, dtype):
    """The outputs of a device that converts its inputs to a type, and its outputs from it."""
    inputs = [narrowed(values, dtype) for values in case.arrays()]
    outputs = run(lookup(case.operation.name), inputs, case.layer.arguments())
    kinds = [t.dtype for t in case.operation.output_types(case.layer)]
    return [
        rounded(output.astype(np.float64), np.dtype(dtype)).astype(kind)
        if is_float(kind)
        else output
        for output, kind in zip(outputs, kinds, strict=True)
    ]


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16], ids=["f16", "bf16"])
def test_a_device_that_computes_f32_in_a_narrower_type_fails(asked, dtype):
    cases = f32_cases(asked.operation, ROUGH.get(asked.operation.name, PURPOSES))
    assert cases
    # The first plain case, and half of all.
    cases.sort(key=lambda case: (case.purpose != "plain", number_of_elements(case)))
    passed = []
    with np.errstate(all="ignore"):
        for number, case in enumerate(cases):
            if 2 * (number - len(passed)) >= len(cases):
                break
            if not asked.is_wrong(case, in_type(case, dtype)):
                passed.append(case.id)
    assert 2 * len(passed) <= len(cases), passed
    assert cases[0].purpose != "plain" or cases[0].id not in passed


def test_the_exact_answer_rounded_once_passes(asked):
    for case in f32_cases(asked.operation):
        expected = asked.expected(case)
        outputs = [
            rounded(right.value, t.dtype) if is_float(t.dtype) else right.value
            for right, t in zip(expected, case.operation.output_types(case.layer), strict=True)
        ]
        for right, came in zip(expected, outputs, strict=True):
            found = compare(right.chosen(outputs), came)
            assert (found.wrong, found.coarse) == (0, 0), case.id


def narrow_cases(operation, kind):
    """The plain layer in a narrow type, asked in the usual way."""
    return [
        case
        for case in ir_models.cases(operation, ["type"], draws=0)
        if case.how == How() and kind in {t.name for t in operation.output_types(case.layer)}
    ]


def rounded_towards_zero(values, dtype):
    """float64 numbers rounded to the neighbour that is nearer to zero."""
    nearest = rounded(values, dtype).astype(np.float64)
    # Below a power of two steps are half as long.
    step = 2 * precision_of(np.dtype(dtype)).half_ulp(values)
    beyond = np.abs(nearest) > np.abs(values)
    inner = nearest - np.sign(values) * step
    return rounded(np.where(beyond & np.isfinite(values), inner, values), dtype)


@pytest.mark.parametrize("kind", ["f16", "bf16"])
@pytest.mark.parametrize("operation", ROUNDING, ids=lambda operation: operation.name)
def test_a_kernel_that_computes_in_f32_rounds_once(operation, kind):
    """Rounded once to nearest it is not even coarse, in another direction within the bound; 3 ulps off it fails."""
    for case in narrow_cases(operation, kind):
        types = [t.name for t in operation.output_types(case.layer)]
        arguments = case.arrays(), case.layer.arguments(), types
        in_type, of_kernel = (
            answer(operation.name, *arguments, "f32", by_kernel=stated) for stated in (False, True)
        )
        nearest = [
            rounded(each.value.astype(np.float64), PRECISIONS[name].dtype)
            if name in PRECISIONS
            else each.value
            for each, name in zip(of_kernel, types, strict=True)
        ]
        for index, (loose, strict) in enumerate(zip(in_type, of_kernel, strict=True)):
            if types[index] != kind or strict.bound is None:
                continue
            exact, dtype = strict.value.astype(np.float64), PRECISIONS[kind].dtype
            found = compare(strict.chosen(nearest), nearest[index])
            assert (found.wrong, found.coarse) == (0, 0), case.id
            towards_zero = rounded_towards_zero(exact, dtype)
            actual = [*nearest[:index], towards_zero, *nearest[index + 1 :]]
            assert compare(strict.chosen(actual), towards_zero).wrong == 0
            # Never wider than for a device that states nothing.
            assert np.all(strict.allowed_errors() <= loose.allowed_errors() * (1 + 1e-9)), case.id
            off = rounded(exact + 6 * np.sign(exact) * PRECISIONS[kind].half_ulp(exact), dtype)
            actual = [*nearest[:index], off, *nearest[index + 1 :]]
            if np.any(np.isfinite(exact) & (np.abs(exact) > 1e-3)):
                assert compare(strict.chosen(actual), off).wrong > 0, case.id


CORRECTLY_ROUNDED = [
    operation
    for operation in ROUNDING
    if all(isinstance(each, Rounded) and each.quality > 0 for each in classes(operation.name))
]


@pytest.mark.parametrize("kind", ["f32", "f16", "bf16"])
@pytest.mark.parametrize("operation", CORRECTLY_ROUNDED, ids=lambda operation: operation.name)
def test_one_ulp_of_noise_passes_the_gate_and_is_counted(operation, kind):
    element_type = ir_models.ELEMENT_TYPES[kind]
    variable = next(iter(operation.type_sets))
    layer = plain_layer(operation).with_types({variable: element_type})
    case = ir_models.LayerCase(layer, "type")
    (right,) = Asked(operation).expected(case)
    correct = rounded(right.value, element_type.dtype)
    signs = np.random.RandomState(3).choice([-1, 1], correct.shape)
    ulp = 2 * PRECISIONS[kind].half_ulp(correct.astype(np.float64))
    noisy = rounded(correct.astype(np.float64) + signs * ulp, element_type.dtype)
    found = compare(right, noisy)
    assert found.wrong == 0
    assert found.coarse > 0.8 * correct.size


def test_every_class_with_a_bound_is_among_them():
    assert {"Add-1", "Exp-1", "MatMul-1", "ReduceProd-1", "CumSum-3", "SoftMax-8"} <= {
        operation.name for operation in ROUNDING
    }
    assert {"Add-1", "Divide-1", "Sqrt-1"} <= {o.name for o in CORRECTLY_ROUNDED}
    assert accuracies("Add-1", 1) == classes("Add-1")
