"""Every declaration agrees with itself and with its reference."""

import traceback
from collections import Counter
from contextlib import suppress
from dataclasses import replace
from functools import cache, cached_property
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import reference
from ir_models import HOWS, PURPOSES, cases, catalog, operations
from ir_models.asking.case import SIZES
from ir_models.asking.how import WHOLE_SHAPES
from ir_models.asking.neighbours import FIRST, NEIGHBOURS
from ir_models.asking.operands import SIZED
from ir_models.asking.sums import SETS
from ir_models.asking.sweeps import TYPES
from ir_models.corpus.coverings import Covering
from ir_models.corpus.crossings import Crossings
from ir_models.declaration import ANY_RANK
from ir_models.vocabulary.element_types import ANY, Tensor, f64, i64, u64
from ir_models.vocabulary.layers import (
    can_be_resized,
    fitting,
    has_ranks,
    plain_layer,
    resized,
    suited,
    with_size,
)
from ir_models.vocabulary.rules import at_limits, broken_rule, broken_rules, is_valid, rules_of
from reference import answer

REFERENCES = Path(reference.__file__).parent

# Tensors whose dimensions the page forces to be alike: (operation, input): why.
ALIKE: dict[tuple[str, str], str] = {
    ("DeformablePSROIPooling-1", "offsets"): "group_size is their height and their width",
    ("Inverse-14", "data"): "matrices are square",
    ("RNNCell-3", "R"): "hidden_size is the size of its rows and columns",
    ("RNNSequence-5", "R"): "hidden_size is the size of its rows and columns",
}

# What these are about may leave nothing to compare: an axis of 1 or 0 sliced away, an example of just that, a size at
# its limit of 0, a type's few special values, large numbers of which a function sees no more than that they are large.
# A variant says so itself.
_MAY_BE_EMPTY = ("dim-0", "dim-1", "example", "limits")
# The sizes of a tiny layer, which ShapeOf gives, are all 2; of a count at its limit of 0 the padding is left.
_MAY_BE_CONSTANT = ("dim-0", "dim-1", "tiny", "limits")
_FEW_VALUES = ("special", "ends", "large")

# Elements of a case whose answer is asked for; examples are as large as their page prints them. What is larger is the
# plain layer with a longer dimension.
LARGEST = 100_000

SHOWS_NOTHING = (
    # The crops leave nothing of a dimension as short as all others.
    "BatchToSpace-2/equal-sizes/f32[4,4,4,4]",
    # Of three symbols all texts that are drawn are empty.
    "StringTensorPack-15/equal-sizes/i64[3,3],i64[3,3],u8[3]",
    # All twelve values that are drawn for b are false; those of the second inference are not.
    "LogicalAnd-1/plain/boolean[2,3,5,4],boolean[3,1,4]/auto_broadcast=numpy/shape=dims,constant=a,before=gather,behind=unsqueeze",
)
"""Layers that show a death or a refusal in the first inference, and no value."""

SHOWS_ENDS_ALONE = (
    # 180 channels of 2 x 3 are more than u8 holds.
    "BinaryConvolution-1/lengths/u8[3,180,",
    # No box is kept, and what stands in the rows beyond the boxes is open.
    "ExperimentalDetectronDetectionOutput-6/limits/f32[6,4],f32[6,12],f32[6,3],f32[1,3]/score_threshold=0.0626;"
    "nms_threshold=0.5;num_classes=3;post_nms_count=0;",
    # 500 numbers of u8.
    "ReduceSum-1/random/u8[5,5,4,5]/axes=i32:[-4,-3,-2,-1];keep_dims=true",
)
"""Cases that show a death or a refusal, and no number."""


class Asked:
    """The cases of one operation with the answers of its reference, made once for all tests."""

    def __init__(self, operation):
        self.operation = operation
        self.cases = list(cases(operation, draws=20))
        self.valid = [case for case in self.cases if not case.is_invalid]
        self.invalid = [case for case in self.cases if case.is_invalid]
        self.count = Counter(case.purpose for case in self.cases)

    @cached_property
    def answers(self):
        """An ``Answer`` to every valid case that is not too large."""
        return [Answer(case) for case in self.valid if is_answered(case)]

    @property
    def outputs(self):
        """(case, outputs of one inference) where the reference answered.

        It is the first one; with a variable the last one, which finds what those before it left.
        """
        return [(each.case, each.outputs) for each in self.answers if each.error is None]


class Answer:
    """What the reference answers to a case, and what of its data and bounds is not as it must be."""

    def __init__(self, case):
        self.case = case
        self.error = None
        self.is_open = False
        self.outputs = []
        self.misshapen = []
        types = [kind.name for kind in case.operation.output_types(case.layer)]
        number = 0
        try:
            for number in told_apart(case):
                arrays = case.arrays(number)
                if number == 0:
                    self.misshapen = misshapen(case, arrays)
                found = answer(case.operation.name, arrays, case.arguments(number), types)
                if number == 0:
                    self.is_open = is_open(found)
                if number == 0 or case.operation.partner:
                    self.outputs = [np.asarray(expected.value) for expected in found]
        except Exception as error:  # whatever it is, a test tells it with the case
            self.error = f"inference {number}: {error!r}"


def is_answered(case):
    size = sum(tensor.size for _, tensor in case.layer.ports() if tensor is not None)
    return size <= LARGEST or case.purpose == "example"


def told_apart(case):
    """The inferences that differ to a reference: in the layer, or in what a variable holds."""
    if case.operation.partner:
        return range(case.how.inferences)
    return [n for n in range(case.how.inferences) if n == 0 or case.layers[n] != case.layers[0]]


def misshapen(case, arrays):
    """The ports whose arrays have not their type and shape."""
    ports = list(case.layer.ports())
    if len(arrays) != len(ports):
        return [f"{len(arrays)} arrays for {len(ports)} ports"]
    return [
        name
        for array, (name, tensor) in zip(arrays, ports, strict=True)
        if (array is None) != (tensor is None)
        or (
            array is not None
            and (array.shape, array.dtype) != (tensor.shape, tensor.element_type.dtype)
        )
    ]


def is_open(found):
    """Whether every element may be anything."""
    found = [each for each in found if each.value.size]
    return bool(found) and all(
        each.bound is not None and np.isinf(each.bound).all() and not each.is_random
        for each in found
    )


checks = []


def check(function):
    """A statement about every declaration. One test makes all of one operation: most take less than a test does."""
    checks.append(function)
    return function


# --- cases and rules ----------------------------------------------------------------------------------------------


@check
def valid_cases_break_no_rule(asked):
    broken = []
    for case in asked.valid:
        found = asked.operation.example_of(case.layer) if case.purpose == "example" else None
        rule = broken_rule(case.layer)
        if rule is not None and not (found and (found.erratum or found.altered)):
            broken.append((case.id, rule.text))
        broken += [(case.id, "resized") for layer in case.layers[1:2] if not is_valid(layer)]
    assert broken == []


@check
def invalid_cases_break_one_rule_or_rules_that_are_tied(asked):
    """Several only for the sake of one that no case breaks alone: a rank that other rules speak of as well."""
    broken = {case.id: texts_of(case) for case in asked.invalid}
    alone = {texts[0] for texts in broken.values() if len(texts) == 1}
    assert [each for each in broken.items() if not each[1] or set(each[1]) <= alone] == [
        each for each in broken.items() if len(each[1]) == 1
    ]


@check
def every_rule_is_broken_or_says_why_not(asked):
    broken = {text for case in asked.invalid for text in texts_of(case)}
    rules = rules_of(asked.operation)
    assert [r.text for r in rules if not r.unasked and r.text not in broken] == []
    alone = {texts_of(case)[0] for case in asked.invalid if len(texts_of(case)) == 1}
    assert [r.text for r in rules if r.unasked and r.text in alone] == [], "asked all the same"


@check
def reasons_are_of_rules(asked):
    texts = [rule.text for rule in rules_of(asked.operation)]
    for text, reason in asked.operation.unasked.items():
        assert reason.strip()
        assert any(each.startswith(text) for each in texts), text


def texts_of(case):
    """The rules that an invalid case breaks: by its layer, or by how it is asked."""
    texts = [rule.text for rule in broken_rules(case.layer)]
    return texts or [rule.text for rule in [case.broken_rule] if rule is not None]


@check
def invalid_cases_have_data(asked):
    for case in asked.invalid:
        arrays = case.arrays()
        given = [tensor for _, tensor in case.layer.ports()]
        assert [None if a is None else a.shape for a in arrays] == [
            None if t is None else t.shape for t in given
        ], case.id


# --- references ---------------------------------------------------------------------------------------------------


@check
def references_answer_valid_cases(asked):
    assert [(each.case.id, each.error) for each in asked.answers if each.error] == []


@check
def arrays_have_the_type_and_shape_of_their_port(asked):
    assert [(each.case.id, each.misshapen) for each in asked.answers if each.misshapen] == []


@check
def no_case_is_open_in_every_element(asked):
    """A case whose output may be anything shows no fault."""
    found = [each.case.id for each in asked.answers if each.is_open]
    assert [case for case in found if not case.startswith(SHOWS_ENDS_ALONE)] == []


@check
def references_refuse_what_breaks_a_rule_of_values(asked):
    """Types, and ranks of what is a list of numbers, are the device's to check: a reference takes what NumPy does."""
    answers = []
    for case in asked.invalid:
        if is_about_types(case) or lacks_an_input(case):
            continue
        try:
            answer(asked.operation.name, case.arrays(), case.layer.arguments())
        except ValueError as error:
            if " " not in str(error) or not is_raised_by_a_reference(error):
                answers.append((case.id, f"says no more than {error}"))
        except TypeError as error:
            if not lacks_an_attribute(case):
                answers.append((case.id, repr(error)))
        else:
            if not case.broken_rule.is_answered:
                answers.append((case.id, "answered"))
    assert answers == []


def is_raised_by_a_reference(error):
    """Whether a reference says so itself, and not NumPy or Python where the check of the reference is missing."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    return Path(place.filename).is_relative_to(REFERENCES) and place.line.startswith("raise ")


@check
def references_answer_where_only_a_rule_forbids_it(asked):
    """The page forbids these layers, its formula has a meaning: some layer of each such rule is answered."""
    found = {rule.text: [] for rule in rules_of(asked.operation) if rule.is_answered}
    for case in asked.invalid:
        if case.broken_rule is not None and case.broken_rule.text in found:
            try:
                answer(asked.operation.name, case.arrays(), case.layer.arguments())
            except ValueError:
                continue
            found[case.broken_rule.text].append(case.id)
    assert [text for text, cases in found.items() if not cases] == []


def lacks_an_input(case):
    """Whether an input is missing that a reference cannot be called without."""
    return any(
        not declared.optional and case.layer.inputs[declared.name] is None
        for declared in case.operation.inputs
    )


def is_about_types(case):
    """Whether the layer is the plain one but for element types, or breaks a rule on types or on ranks of lists."""
    rule = case.broken_rule
    if rule.kind in ("type", "one type", "constant"):
        return True
    if rule.kind == "rank" and case.operation.input(rule.inputs[0]).index:
        return True
    plain = plain_layer(case.operation)
    stated = {a.name for a in case.operation.attributes if a.types is not None}
    attributes = [
        {name: value for name, value in layer.attributes.items() if name not in stated}
        for layer in (case.layer, plain)
    ]
    shapes = [
        [(name, t and (t.shape, str(t.with_type(i64)))) for name, t in layer.ports()]
        for layer in (case.layer, plain)
    ]
    values = [
        [t.value and str(t.value).replace("'", "") for _, t in layer.ports() if t]
        for layer in (case.layer, plain)
    ]
    return attributes[0] == attributes[1] and shapes[0] == shapes[1] and values[0] == values[1]


def lacks_an_attribute(case):
    return any(
        a.required and a.name not in case.layer.attributes for a in case.operation.attributes
    )


@check
def outputs_are_as_declared(asked):
    wrong = []
    for case, outputs in asked.outputs:
        types = asked.operation.output_types(case.layer)
        if len(outputs) != len(types):
            wrong.append((case.id, f"{len(outputs)} outputs, declared {len(types)}"))
            continue
        for output, kind in zip(outputs, types, strict=True):
            # A floating-point answer may still be as exact as the reference made it.
            exact = (np.dtype(np.float64),) if kind.is_float else ()
            if output.dtype not in (kind.dtype, *exact):
                wrong.append((case.id, f"{output.dtype}, declared {kind}"))
    assert wrong == []


def agree(shape, stated):
    """Whether an output has the shape that a page prints, where -1 is left to the data."""
    return len(shape) == len(stated) and all(
        size in (-1, found) for found, size in zip(shape, stated, strict=True)
    )


@check
def examples_have_the_stated_shapes(asked):
    wrong = []
    for case, outputs in asked.outputs:
        found = asked.operation.example_of(case.layer) if case.purpose == "example" else None
        if found is None or found.output_shapes is None:
            continue
        shapes = [output.shape for output in outputs]
        stated = found.output_shapes
        if len(shapes) != len(stated) or not all(map(agree, shapes, stated)):
            wrong.append((case.id, shapes, found.output_shapes, found.erratum))
    assert wrong == []


def transformed(layer):
    """DFT-7: data's shape, where signal_size replaces the axes unless it is -1."""
    shape = list(layer.data.shape)
    for axis, size in zip(layer.axes.value, layer.signal_size.value, strict=True):
        shape[axis] = shape[axis] if size == -1 else size
    return shape


def transformed_reals(layer):
    """RDFT-9: of the last of axes S // 2 + 1 numbers, each of them a pair."""
    sizes = [*layer.data.shape]
    for axis, size in zip(layer.axes.value, layer.signal_size.value, strict=True):
        sizes[axis] = sizes[axis] if size == -1 else size
    sizes[layer.axes.value[-1]] = sizes[layer.axes.value[-1]] // 2 + 1
    return [*sizes, 2]


def square_bins(layer):
    """Bins of boxes, as many along both axes."""
    return [layer.rois.shape[0], layer.output_dim, layer.group_size, layer.group_size]


def features_and_boxes(layer):
    """Each map of each region, and the regions."""
    bins = [layer.output_size] * 2
    return [[layer.rois.shape[0], layer.pyramid[0].shape[1], *bins], list(layer.rois.shape)]


def regions(layer):
    """ROIAlign: each map of each region, pooled to one size."""
    return [layer.rois.shape[0], layer.data.shape[1], layer.pooled_h, layer.pooled_w]


def transposed(layer):
    """A transposed convolution of groups with explicit pads, without output_padding."""
    groups, _, filters = layer.kernel.shape[:3]
    axes = zip(
        *(layer.data.shape[2:], layer.kernel.shape[3:], layer.strides, layer.dilations),
        *(layer.pads_begin, layer.pads_end),
        strict=True,
    )
    sizes = [
        stride * (size - 1) + (window - 1) * dilation + 1 - begin - end
        for size, window, stride, dilation, begin, end in axes
    ]
    return [layer.data.shape[0], groups * filters, *sizes]


def convolved(layer):
    """GroupConvolution-1: groups times their output channels, and a window's places along each axis."""
    groups, channels, _, *window = layer.kernel.shape
    spatial = zip(
        *(layer.data.shape[2:], window, layer.strides, layer.pads_begin, layer.pads_end),
        layer.dilations,
        strict=True,
    )
    places = [
        (size + before + behind - dilation * (width - 1) - 1) // stride + 1
        for size, width, stride, before, behind, dilation in spatial
    ]
    return [layer.data.shape[0], groups * channels, *places]


def iterated(layer):
    """TensorIterator-1: the last state, and the states of all slices along the axis."""
    (batch, slices, _), (_, hidden) = layer.data.shape, layer.state.shape
    return [[batch, hidden], [batch, slices, hidden]]


# What the pages' formulas give, for printed layers that are too large for the reference.
SHAPES = {
    "SearchSorted-15": lambda layer: list(layer.values.shape),
    "DFT-7": transformed,
    "IDFT-7": transformed,
    "RDFT-9": transformed_reals,
    "IRDFT-9": lambda layer: transformed(layer)[:-1],
    "GroupConvolution-1": convolved,
    "DeformablePSROIPooling-1": square_bins,
    "PSROIPooling-1": square_bins,
    "ExperimentalDetectronROIFeatureExtractor-6": features_and_boxes,
    "ROIAlign-3": regions,
    "ROIAlign-9": regions,
    "ROIAlignRotated-15": regions,
    "GroupConvolutionBackpropData-1": transposed,
    "TensorIterator-1": iterated,
}


@check
def printed_layers_of_scaled_examples_are_valid_and_have_the_printed_shape(asked):
    for each in asked.operation.examples:
        assert bool(each.scaled) == (each.printed is not None), each
        if each.printed is not None:
            text, stated = each.printed
            layer = asked.operation.layer(**asked.operation.parameters(text))
            small = asked.operation.layer(**asked.operation.parameters(each.layer))
            assert is_valid(layer)
            shape = SHAPES[asked.operation.name]
            of_layer, of_small = (
                found if isinstance(found[0], list) else [found]
                for found in (shape(layer), shape(small))
            )
            assert of_layer == stated
            assert list(map(tuple, of_small)) == each.output_shapes


@check
def examples_have_the_stated_values(asked):
    """Values that the page prints, or its formula where they are an erratum."""
    wrong = []
    for case, outputs in asked.outputs:
        found = asked.operation.example_of(case.layer) if case.purpose == "example" else None
        for output, stated in zip(outputs, found.values if found else (), strict=False):
            expected = np.array(stated, object if output.dtype == object else np.float64)
            if output.shape != expected.shape:
                wrong.append(
                    (case.id, f"the reference gives {output.shape}, stated {expected.shape}")
                )
                continue
            same = (
                np.array_equal(output, expected)
                if output.dtype == object
                else np.allclose(output.astype(np.float64), expected, rtol=1e-6, atol=0)
            )
            if not same:
                wrong.append((case.id, output.tolist(), stated))
    assert wrong == []


@check
def corrections_are_of_errata(asked):
    for each in asked.operation.examples:
        assert each.corrected is None or each.erratum
        assert each.corrected is None or each.values or each.corrected != each.output


@check
def examples_print_a_port_id_for_each_port(asked):
    for each in asked.operation.examples:
        layer = asked.operation.layer(**asked.operation.parameters(each.layer))
        # What is given to a model or stored with it comes by no port, what it gives leaves by none.
        role = asked.operation.role
        inputs = [] if role in ("constant", "parameter") else list(layer.ports())
        outputs = [] if role == "result" else asked.operation.output_types(layer)
        ports = len(inputs) + len(outputs)
        # None are printed in the declaration where they are just counted on.
        assert not each.ports or len(each.ports) == ports, each


@check
def expected_outputs_can_show_a_fault(asked):
    blind = []
    for case, outputs in asked.outputs:
        scalar = all(t is None or t.rank == 0 for _, t in case.layer.ports())
        if scalar or case.id.startswith(SHOWS_NOTHING):
            continue
        if not may_be_empty(case) and are_empty(outputs):
            blind.append((case.id, "empty"))
        if not may_be_constant(case) and are_constant(case, outputs):
            blind.append((case.id, f"all {outputs[0].reshape(-1)[:1]}"))
    assert blind == []


def may_be_empty(case):
    variant = variant_of(case)
    if variant is not None:
        return variant.may_be_empty
    return case.purpose in _MAY_BE_EMPTY or selects_nothing(case)


def selects_nothing(case):
    """Whether what is left out has the default of a page that then selects nothing, or has no box at all."""
    if case.purpose != "left-out":
        return False
    if case.layer.inputs.get("max_output_boxes_per_class", "another page") is None:
        return True
    # Defaults of no sizes and of no regions; where the page requires it, it is never left out.
    declared = {a.name for a in case.operation.attributes if not a.required}
    return bool({"min_size", "max_rois"} & declared - case.layer.attributes.keys())


def may_be_constant(case):
    variant = variant_of(case)
    if variant is not None:
        return variant.may_be_constant
    if (case.operation.name, case.how.before) == ("ReduceMin-1", "relu"):
        return True  # the least of numbers of both signs is 0 there
    return case.purpose in _MAY_BE_CONSTANT or case.how.values in _FEW_VALUES


def variant_of(case):
    return next((each for each in case.operation.variants if each.name == case.variant), None)


def are_empty(outputs):
    return all(output.size == 0 for output in outputs)


def are_constant(case, outputs):
    # A few elements of a random layer, or a few booleans, are alike by chance.
    least = 16 if case.purpose == "random" else 4
    kinds = zip(outputs, case.operation.output_types(case.layer), strict=True)
    return bool(outputs) and all(is_constant(output, kind, least) for output, kind in kinds)


@check
def options_of_variants_are_needed(asked):
    """``may_be_empty`` and ``may_be_constant`` switch a check off, so none stands there for nothing."""
    unused = []
    for variant in asked.operation.variants:
        outputs = [(case, found) for case, found in asked.outputs if case.variant == variant.name]
        if variant.may_be_empty and not any(are_empty(found) for _, found in outputs):
            unused.append((variant.name, "may_be_empty"))
        if variant.may_be_constant and not any(are_constant(*each) for each in outputs):
            unused.append((variant.name, "may_be_constant"))
    assert unused == []


def is_constant(output, kind, least):
    """Whether all elements are alike though there are at least so many that could differ."""
    enough = 16 if kind.kind == "boolean" or kind.bits == 1 else least
    flat = output.reshape(-1)
    if flat.size < enough:
        return False
    if flat.dtype == object:
        return len(set(flat.tolist())) == 1
    raw = np.ascontiguousarray(flat).view(np.uint8).reshape(flat.size, -1)
    return bool((raw == raw[0]).all())


# --- plain layers -------------------------------------------------------------------------------------------------


@check
def dimensions_of_the_plain_layer_differ(asked):
    """Equal ones hide swapped axes; a 1 may repeat, where a page is about dimensions of 1."""
    operation = asked.operation
    for name, tensor in plain_layer(operation).ports():
        if tensor is not None and (operation.name, name) not in ALIKE:
            dims = [size for size in tensor.shape if size != 1]
            assert len(set(dims)) == len(dims), f"{name} {tensor}"


@check
def the_plain_layer_is_small(asked):
    for name, tensor in plain_layer(asked.operation).ports():
        if tensor is not None:
            assert 0 < tensor.size <= 2000, f"{name} {tensor}"


@check
def ranks_are_what_they_say(asked):
    if not has_ranks(asked.operation):
        return
    declared = next(i for i in asked.operation.inputs if not i.index)
    most = 8 if declared.rank.most is None else min(8, declared.rank.most)
    for rank in range(declared.rank.least, most + 1):
        layer = plain_layer(asked.operation, rank)
        tensor = layer.inputs[declared.name]
        first = tensor[0] if isinstance(tensor, tuple) else tensor
        assert first.rank == rank
        rule = broken_rule(layer)
        assert rule is None, f"rank {rank}: {rule.text}"


@check
def everything_optional_is_present_somewhere_and_absent_elsewhere(asked):
    layers = [case.layer for case in asked.valid]
    for attribute in asked.operation.attributes:
        given = {attribute.name in layer.attributes for layer in layers}
        assert given == ({True} if attribute.required else {True, False}), attribute.name
    for declared in asked.operation.inputs:
        given = {layer.inputs[declared.name] is not None for layer in layers}
        assert given == ({True, False} if declared.optional else {True}), declared.name


@check
def every_enumeration_value_is_asked(asked):
    layers = [case.layer for case in asked.valid]
    for attribute in asked.operation.attributes:
        wanted = attribute.type if attribute.is_enumeration else ()
        wanted = (False, True) if attribute.type is bool else wanted
        given = {layer.attributes.get(attribute.name) for layer in layers}
        assert set(wanted) <= given, attribute.name


@check
def every_element_type_is_asked(asked):
    layers = [case.layer for case in asked.valid]
    plain = plain_layer(asked.operation)
    for declared in asked.operation.inputs:
        if plain.inputs[declared.name] is None:
            continue
        given = {t.element_type for layer in layers for t in tensors(layer.inputs[declared.name])}
        missing = [
            kind
            for kind in declared.types.types
            if kind not in given
            and kind in fitting(plain, declared.types)
            # A rule may forbid a type that the page lists, such as one without a zero to pad with.
            and is_valid(plain.with_types({declared.types.name: kind}))
        ]
        assert missing == [], declared.name


def tensors(given):
    return given if isinstance(given, tuple) else () if given is None else (given,)


# --- purposes -----------------------------------------------------------------------------------------------------


def data_types(operation):
    """Element types of data whose values a purpose may choose."""
    plain = plain_layer(operation)
    state = np.random.RandomState(0)
    free = [
        declared
        for declared in operation.inputs
        if not declared.index
        and plain.inputs[declared.name] is not None
        and not (callable(declared.values) and declared.values(plain, state) is not None)
    ]
    return {kind for declared in free for kind in declared.types.types}


def data_tensors(operation):
    for declared in operation.inputs:
        tensor = plain_layer(operation).inputs[declared.name]
        if isinstance(tensor, Tensor) and tensor.value is None:
            yield declared, tensor


def optional_parts(operation):
    plain = plain_layer(operation)
    attributes = [a.name for a in operation.attributes if not a.required]
    inputs = [i.name for i in operation.inputs if i.optional]
    return [name for name in attributes if name in plain.attributes] + [
        name for name in inputs if plain.inputs[name] is not None
    ]


def is_stored(operation):
    return operation.role == "constant"


def cannot_be_resized(operation):
    if is_stored(operation):
        return True
    try:
        resized(plain_layer(operation))
    except ValueError:
        return True
    return False


def first_rank_is_fixed(operation):
    data = [declared for declared in operation.inputs if not declared.index]
    return not data or data[0].rank.least == data[0].rank.most


def no_part_may_be_left_out(operation):
    """Nothing of the plain layer is optional, or what is left out takes a rule with it (``updates`` fit ``axes``)."""
    plain, parts = plain_layer(operation), optional_parts(operation)
    tries = [*([part] for part in parts), parts]
    return not any(is_valid(plain.replace(**dict.fromkeys(each))) for each in tries if each)


def no_dimension_may_be(*sizes):
    """No dimension of a data tensor alone may have one of these sizes."""

    def holds(operation):
        plain = plain_layer(operation)
        for declared, tensor in data_tensors(operation):
            for axis, size in product(range(tensor.rank), sizes):
                if tensor.shape[axis] == size:
                    continue
                shape = (*tensor.shape[:axis], size, *tensor.shape[axis + 1 :])
                changed = plain.replace(**{declared.name: tensor.with_shape(*shape)})
                if is_valid(changed):
                    return False
        return True

    return holds


def first_dimension_is_that_of_an_index_input(operation):
    """Each element of the first dimension has a number of its own, which stands in the case id."""
    first, shapes = operation.inputs[0].shape, [each.shape for each in operation.index_inputs]
    return bool(first) and first.split(",")[0] in shapes


def no_index_inputs_may_be_alike(operation):
    """No two that the plain layer has, of one set of types, may have the value of the first."""
    plain = plain_layer(operation)
    pairs = [
        (one.name, other.name)
        for one, other in combinations(operation.index_inputs, 2)
        if one.types == other.types and plain.inputs[one.name] is not None
    ]
    return not any(is_valid(plain.replace(**{b: plain.inputs[a]})) for a, b in pairs)


def states_no_data(operation):
    """No valid layer of the page, its examples and variants included, states the value of data."""
    plain = plain_layer(operation)
    changes = [c for variant in operation.variants for c in variant.changes]
    return not any(plain.changed(each).states_data for each in (*changes, *operation.violations))


def is_no_function_of_one_number(operation):
    return not operation.sweeps or not set(TYPES) & set(
        operation.input(operation.sweeps).types.types
    )


def has_no_layer_of_defaults(operation):
    """The layer without optional attributes is the plain one, one of ``left-out``, or not valid."""
    plain = plain_layer(operation)
    optional = [a.name for a in operation.attributes if not a.required]
    with suppress(ValueError, TypeError):
        found = suited(plain.replace(**dict.fromkeys(optional)))
        known = [case.layer for case in cases(operation, ["left-out", "plain"])]
        return not is_valid(found) or found in known
    return True


def no_two_sizes_may_be_equal(operation):
    """No dimension of data may have the size of another one, in the plain layer."""
    plain = plain_layer(operation)
    places = [
        (declared.name, axis, size)
        for declared in operation.inputs
        for tensor in ([] if declared.index else plain.tensors(declared.name)[:1])
        for axis, size in enumerate(tensor.shape if tensor.value is None else ())
        if size > 1
    ]
    return not any(
        with_size(plain, name, axis, other)
        for name, axis, size in places
        for _, _, other in places
        if size != other
    )


def no_ranks_may_differ(operation):
    """No input of data may have its last dimensions alone, beside another input."""
    plain = plain_layer(operation)
    given = [i for i in operation.inputs if not i.index and not i.many and plain.inputs[i.name]]
    tensors = {i.name: plain.inputs[i.name] for i in given if plain.inputs[i.name].value is None}
    return (
        len(given) < 2
        or operation.bodies
        or not any(
            is_valid(plain.replace(**{name: tensor.with_shape(*tensor.shape[-rank:])}))
            for name, tensor in tensors.items()
            for rank in range(1, tensor.rank)
        )
    )


def no_index_input_may_be_alike(operation):
    """No list of unequal numbers may be as long a list of the largest of them."""
    plain = plain_layer(operation)
    for declared in operation.index_inputs:
        for tensor in [] if declared.many else plain.tensors(declared.name):
            numbers = np.array(tensor.value)
            if numbers.ndim == 1 and len({*tensor.value}) > 1:
                alike = replace(tensor, value=tuple(np.full_like(numbers, numbers.max()).tolist()))
                if is_valid(plain.replace(**{declared.name: alike})):
                    return False
    return True


# Purpose: (why an operation may have none of it, whether that is so).
def no_value_may_move(operation):
    """No value may be at the limit of its rule, or each is there in the plain layer."""
    layer = plain_layer(operation)
    for changes in at_limits(layer):
        try:
            found = suited(layer.changed(changes))
        except ValueError:
            continue
        if found != layer and is_valid(found):
            return False
    return True


def no_last_dimension_may_grow(operation):
    """Dimensions of the first data input, alone or with those of the inputs that are as long."""
    layer = plain_layer(operation)
    names = [i.name for i in operation.inputs if not i.index and layer.tensors(i.name)]
    first = layer.tensors(names[0])[0] if names else None
    if first is None or first.value is not None or not first.rank:
        return True
    indices = [layer.tensors(i.name) for i in operation.index_inputs]
    for size in (17, 64, 70, 130):
        found = with_size(layer, names[0], first.rank - 1, size)
        if found is None:
            found = layer
            for name in names:
                tensor = layer.tensors(name)[0]
                if tensor.shape[-1:] == first.shape[-1:] and tensor.value is None:
                    found = found.with_dimension(name, 0, tensor.rank - 1, size)
        sizes = [[t.size for t in found.tensors(i.name)] for i in operation.index_inputs]
        if is_valid(found) and sizes == [[t.size for t in each] for each in indices]:
            return False
    return True


REASONS = {
    "covering": (
        "only depth all asks it",
        lambda o: any(True for _ in Covering(o).layers()),
    ),
    "type": (
        "it has no data whose type varies",
        lambda o: all(i.index for i in o.inputs) and all(a.types is None for a in o.attributes),
    ),
    "index-type": (
        "no type variable is for index inputs alone",
        lambda o: not (
            {i.types.name for i in o.index_inputs}
            - {i.types.name for i in o.inputs if not i.index}
        ),
    ),
    "left-out": ("nothing of the plain layer may be left out", no_part_may_be_left_out),
    "defaults": ("leaving everything out, or the plain layer, is the same", has_no_layer_of_defaults),
    "enumeration": (
        "no attribute has values to enumerate",
        lambda o: not any(a.is_enumeration or a.type is bool for a in o.attributes),
    ),
    "rank": ("the page fixes the rank of its data", first_rank_is_fixed),
    "dim-1": ("a dimension of 1 breaks a rule", no_dimension_may_be(1)),
    "dim-0": ("a dimension of 0 breaks a rule", no_dimension_may_be(0)),
    "tiny": ("no dimension alone may be 2", no_dimension_may_be(2)),
    "equal-sizes": ("no dimension of data may be as large as another", no_two_sizes_may_be_equal),
    "unequal-ranks": ("no input of data may lack its first dimensions", no_ranks_may_differ),
    "index-values": ("no index input may have one number alone", no_index_input_may_be_alike),
    "limits": ("its plain layer has each value at a limit that may be there alone", no_value_may_move),
    "lengths": (
        "no last dimension of its first data input may be 17, 64, 70 or 130",
        no_last_dimension_may_grow,
    ),
    "large-output": (
        "no dimension of its data may grow alone, or an index input grows with it",
        lambda o: (
            no_dimension_may_be(1000, 5040, 30240)(o)
            or first_dimension_is_that_of_an_index_input(o)
        ),
    ),
    "equal-inputs": ("no two index inputs may be alike", no_index_inputs_may_be_alike),
    "sums": ("it sums nothing", lambda o: o.sums is None),
    "sweep": ("it is no function of one real number", is_no_function_of_one_number),
    "invalid": (
        "it takes anything",
        lambda o: not o.attributes
        and all(i.types.types == ANY and i.rank == ANY_RANK for i in o.inputs),
    ),
}  # fmt: skip


# The same for ways of asking, by factor and level.
def cannot_have(level):
    return lambda operation: (
        not can_be_resized(plain_layer(operation), SIZES[level])
        or any("nothing is given at run time" in reason for reason in crossed(operation)[1])
    )


@cache
def crossed(operation):
    """The ways in which the plain layer is asked beside the usual one, and what of them is dropped."""
    crossings = Crossings()
    return crossings.of(plain_layer(operation)), crossings.dropped


def drops(factor):
    # A result in the middle needs a layer behind.
    word = "behind" if factor == "middle" else factor
    return lambda operation: any(word in reason for reason in crossed(operation)[1])


HOW_REASONS = {
    ("values", "special"): (
        "its data are no floats, or not free to choose",
        lambda o: not any(kind.is_float for kind in data_types(o)),
    ),
    ("values", "ends"): (
        "its data are all floats, or not free to choose",
        lambda o: all(kind.is_float for kind in data_types(o)),
    ),
    ("values", "large"): (
        "its data are never of 64 bits, or not free to choose",
        lambda o: not data_types(o) & {i64, u64, f64},
    ),
    **{("values", name): ("it sums nothing", lambda o: o.sums is None) for name in SETS},
    ("values", "sweep"): ("it is no function of one real number", is_no_function_of_one_number),
    ("data", "constant"): (
        "it has no input, or says itself how data is given",
        lambda o: not o.inputs or o.role in ("constant", "parameter"),
    ),
    **{("memory", level): ("it is given no tensor", is_stored) for level in HOWS["memory"]},
    ("data", "runtime"): ("no layer states data", states_no_data),
    **{
        ("index", level): (
            "it has no index input, or the page wants constants",
            lambda o: not o.takes_values_at_run_time,
        )
        for level in HOWS["index"]
    },
    ("shape", "dims"): ("the page fixes every dimension", cannot_be_resized),
    ("shape", "bounds"): ("the page fixes every dimension", cannot_be_resized),
    ("shape", "rank"): (
        "the page fixes every dimension or needs the rank",
        lambda o: not o.dynamic_rank or cannot_be_resized(o),
    ),
    ("ports", "page"): ("its page has no example", lambda o: not o.examples),
    ("attributes", "reversed"): (
        "the plain layer has one attribute at most",
        lambda o: len(plain_layer(o).attributes) < 2,
    ),
    ("booleans", "digits"): (
        "it has no boolean attribute",
        lambda o: all(a.type is not bool for a in o.attributes),
    ),
    **{
        ("state", level): ("it has no variable", lambda o: not o.partner) for level in HOWS["state"]
    },
    **{
        ("requests", level): ("states say which requests there are", lambda o: bool(o.partner))
        for level in HOWS["requests"]
    },
    ("weights", "shared"): ("no two index inputs may be alike", no_index_inputs_may_be_alike),
    ("values", "flips"): ("it does not convert", lambda o: not o.converts),
    **{
        ("resize", level): ("no dimension becomes so", cannot_have(level))
        for level in HOWS["resize"]
    },
    **{
        (factor, level): ("it is dropped, with a reason", drops(factor))
        for factor in ("before", "behind", "middle")
        for level in HOWS[factor]
    },
}  # fmt: skip


def is_of_meetings(factor, level):
    """Whether covering arrays choose where a level is asked."""
    return (
        factor in ("operand", "number", "also", "twice")
        or (factor in ("before", "behind") and level not in FIRST)
        or (factor == "before" and NEIGHBOURS[level].fed is None)
        or (factor == "shape" and level not in WHOLE_SHAPES)
        or (factor, level) in (("data", "first"), ("values", "zeros"))
    )


@check
def every_purpose_is_asked_or_has_a_reason_not_to(asked):
    lacking = {}
    for purpose in PURPOSES:
        reason, holds = REASONS.get(purpose, ("there is none", lambda _: False))
        if not asked.count[purpose] and not holds(asked.operation):
            lacking[purpose] = f"no case, though not so that {reason}"
    assert lacking == {}


WAYS = [(f, level) for f in HOWS for level in HOWS[f] if not is_of_meetings(f, level)]


@check
def every_way_to_ask_is_asked_or_has_a_reason_not_to(asked):
    hows = {*(case.how for case in asked.cases), *crossed(asked.operation)[0]}
    lacking = {}
    for factor, level in WAYS:
        reason, holds = HOW_REASONS.get((factor, level), ("there is none", lambda _: False))
        found = any(getattr(how, factor) == level for how in hows)
        if not found and not holds(asked.operation):
            lacking[factor, level] = f"no case, though not so that {reason}"
    assert lacking == {}


@check
def examples_are_all_asked(asked):
    operation = asked.operation
    found = [operation.layer(**operation.parameters(e.layer)) for e in operation.examples]
    layers = [layer for n, layer in enumerate(found) if layer not in found[:n]]
    at_run_time = [layer for layer in layers if layer.states_data]
    unknown = [e for e in operation.examples if e.unknown]
    assert asked.count["example"] == len(layers) + len(at_run_time) + len(unknown) > 0


def contents(array):
    """What tells arrays apart: bits, of strings the strings, whose bits are addresses."""
    if array is None:
        return None
    return array.tolist() if array.dtype == object else array.tobytes()


@check
def unknown_shapes_come_in_each_kind(asked):
    kinds = {case.how.shape for case in asked.cases} & {*WHOLE_SHAPES}
    wanted = {"dims", "bounds"} | ({"rank"} if asked.operation.dynamic_rank else set())
    assert kinds in (set(), wanted)
    for case in asked.cases:
        if case.how.shape:
            first, second, third = case.layers
            assert first == third
            # A constant beside the layer that has sizes of the data is for these alone.
            assert (first == second) == (case.how.operand in SIZED)
            assert list(map(contents, case.arrays(0))) == list(map(contents, case.arrays(2)))


@check
def index_inputs_at_run_time_come_in_each_type(asked):
    """Given directly and through a subgraph, in every type that can hold the values."""
    found = [case for case in asked.cases if case.purpose in ("index-type", "plain")]
    asked_types = {
        (case.how.index, index_types(case.layer))
        for case in found
        if case.how.index and not case.how.shape
    }
    wanted = {index_types(case.layer) for case in found}
    if asked.operation.takes_values_at_run_time:
        assert asked_types == set(product(("parameters", "computed"), wanted))
    else:
        assert asked_types == set()


def index_types(layer):
    return tuple(tensor.element_type.name for tensor in index_tensors(layer))


def index_tensors(layer):
    found = [layer.inputs[declared.name] for declared in layer.operation.index_inputs]
    return [tensor for tensor in found if isinstance(tensor, Tensor)]


@pytest.mark.parametrize("operation", operations(), ids=lambda operation: operation.name)
def test_a_declaration_agrees_with_itself_and_with_its_reference(operation):
    asked, failed = Asked(operation), {}
    for each in checks:
        try:
            each(asked)
        except AssertionError as error:
            failed[each.__name__] = str(error)
    assert not failed, "\n".join(f"{name}: {text}" for name, text in failed.items())


def test_every_check_is_made():
    assert len(checks) == len({each.__name__ for each in checks}) >= 29


def test_a_declaration_that_cannot_be_is_told_with_its_file(monkeypatch):
    def fails(module):
        raise ValueError("Made-1: opset is unknown")

    monkeypatch.setattr(catalog.importlib, "import_module", fails)
    told = "ir_models/operations/signals/made.py: Made-1: opset is unknown"
    with pytest.raises(catalog.UnknownOperationError, match=told):
        catalog._declared.__wrapped__("ir_models.operations.signals.made")
