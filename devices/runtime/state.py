"""Inferences of models with variables: several requests, whose states are reset, set and queried in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import openvino as ov

from devices.process.protocol import Question, StateTurn, TensorData
from devices.runtime.tensors import InputTensor, copied, set_inputs

QueriedValues = Callable[[], list[TensorData]]


def infer_in_turns(
    compiled: ov.CompiledModel, question: Question, names: list[str], indices: list[int]
) -> Iterator[QueriedValues]:
    """One inference for each turn; yields functions that return the outputs, then the variables that are queried.

    ``names`` are those of the model's Parameters, ``indices`` the positions of its results.
    """
    requests: dict[int, ov.InferRequest] = {}
    running: list[ov.InferRequest] = []
    # A state that was set need not have copied its tensor.
    held: list[InputTensor] = []
    for turn, feed in zip(question.turns, question.feeds, strict=True):
        request = requests.get(turn.request)
        if request is None:
            request = requests[turn.request] = compiled.create_infer_request()
        held += _change_state(request, turn)
        held += set_inputs(request, names, feed, question.memory)
        running.append(request)
        if turn.at_once:
            continue
        for started in running:
            started.start_async()
        for started in running:
            started.wait()
        for started in running:
            answers = [copied(started.get_output_tensor(index)) for index in indices]
            if question.queried:
                states = {state.name: state.state for state in started.query_state()}
                answers += [copied(states[name]) for name in question.queried]
            yield lambda answers=answers: answers  # type: ignore[misc]
        running.clear()


def _change_state(request: ov.InferRequest, turn: StateTurn) -> list[InputTensor]:
    """Do what the turn says before its inference; the tensors that variables were given."""
    if turn.before == "reset":
        request.reset_state()
    elif turn.before == "reset-one":
        for state in request.query_state():
            state.reset()
    given = []
    if turn.before == "set":
        for state in request.query_state():
            given.append(InputTensor(turn.states[state.name], ""))
            state.state = given[-1].tensor
    return given
