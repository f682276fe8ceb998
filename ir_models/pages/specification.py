"""``docs/specification.md``: what the pages leave open or print wrong, and how the suite reads them.

Made from the declarations by ``python -m ir_models specification``, and as data for the pages of reports.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from ir_models.vocabulary.operation import Operation
from ir_models.vocabulary.page import Example
from ir_models.vocabulary.readings import GENERAL, KINDS, Reading
from ir_models.vocabulary.type_sets import MEANINGS, SUPPORTED

COMMAND = "python -m ir_models specification"

_HEAD = f"""\
# How the suite reads the specification

Made by `{COMMAND} > docs/specification.md` from the declarations in `ir_models/operations`; a test keeps it current.
Quoted words are those of the pages. An *erratum* is an example whose printed text the page itself denies; an
*altered* or *scaled* one is not tested as it is printed. A rule that no case breaks is *not tested*. Other entries are
readings:

"""


def document(operations: Sequence[Operation]) -> str:
    """The whole document, with the readings of these operations."""
    return (
        _HEAD
        + "\n".join([*_kinds(), *_types(), *_of_every_page(), *_counts(operations)])
        + ("\n" + "\n".join(line for each in operations for line in _operation(each)))
    )


def readings_of(operation: Operation) -> list[Reading]:
    """The readings of an operation, those of its rules among them, each once."""
    own = [*operation.readings, *(r.reading for r in operation.rules if r.reading is not None)]
    return list(dict.fromkeys(own))


def errata_of(operation: Operation) -> list[tuple[int, Example]]:
    """The examples with an erratum, by their number on the page from 1."""
    return [(n, e) for n, e in enumerate(operation.examples, 1) if e.erratum]


def as_data(operations: Sequence[Operation]) -> str:
    """Return the same as JSON for other programs: lists of what each operation's page leaves open, by its name.

    Each entry has its kind, the page's words, and where there are any the choice, the reason and what is admitted
    too. Under "" are those of every page. An entry has a line of its own.
    """
    found = {"": [_entry(each) for each in _in_order(GENERAL)]}
    for operation in operations:
        entries = [
            *(
                ["erratum", f"example {n}", _sentence(each.erratum)]
                for n, each in errata_of(operation)
            ),
            *(_entry(each) for each in _in_order(readings_of(operation))),
        ]
        if entries:
            found[operation.name] = entries
    blocks = (
        f"{json.dumps(name)}: [\n"
        + ",\n".join(f" {json.dumps(one, ensure_ascii=False)}" for one in entries)
        + "\n]"
        for name, entries in found.items()
    )
    return "{\n" + ",\n".join(blocks) + "\n}\n"


def _entry(each: Reading) -> list[str]:
    said = [each.kind, each.words, _sentence(each.choice), _sentence(each.why)]
    return [*said, _sentence(each.admits)] if each.admits else said


def _kinds() -> Iterator[str]:
    for kind, about in KINDS.items():
        yield f"- *{kind}*: {about}"
    yield ""


def _types() -> Iterator[str]:
    yield from ("## Element types", "", SUPPORTED, "")
    for each in MEANINGS:
        names = " ".join(kind.name for kind in each.types)
        yield f"- **{each.noun}** ({len(each.types)}): {names}." + (
            f" {each.why}" if each.why else ""
        )
    yield ""


def _of_every_page() -> Iterator[str]:
    yield from ("## Every page", "")
    yield from _listed(GENERAL)
    yield ""


def _counts(operations: Sequence[Operation]) -> Iterator[str]:
    """A table of the operations with readings or errata."""
    columns = ["erratum", *KINDS]
    yield from ("## By operation", "")
    yield f"| operation | {' | '.join(columns)} |"
    yield f"| --- |{' ---: |' * len(columns)}"
    totals = [0] * len(columns)
    for each in operations:
        kinds: list[str] = [reading.kind for reading in readings_of(each)]
        counts = [len(errata_of(each)), *(kinds.count(kind) for kind in KINDS)]
        totals = [sum(pair) for pair in zip(totals, counts, strict=True)]
        if any(counts):
            yield f"| {each.name} | {' | '.join(map(str, counts))} |"
    yield f"| total | {' | '.join(map(str, totals))} |"
    yield ""


def _operation(operation: Operation) -> Iterator[str]:
    readings, errata = readings_of(operation), errata_of(operation)
    unasked = [(each.text, each.unasked) for each in operation.rules if each.unasked]
    changed = any(each.altered or each.scaled for each in operation.examples)
    if not (readings or errata or unasked or changed):
        return
    yield from (f"### {operation.name}", "")
    for number, each in errata:
        yield f"- *erratum* in example {number}: {_sentence(each.erratum)}"
    for word in ("altered", "scaled", "unknown"):
        for number, each in enumerate(operation.examples, 1):
            if why := getattr(each, word):
                yield f"- *{word}* example {number}: {_sentence(why)}"
    yield from _listed(readings)
    for text, why in unasked:
        yield f"- *not tested* as invalid: {text}: {why}."
    yield ""


def _listed(readings: Iterable[Reading]) -> Iterator[str]:
    for each in _in_order(readings):
        text = f"- *{each.kind}*: {each.words}. **{_sentence(each.choice)}** {_sentence(each.why)}"
        yield text + (f" Also admitted, as `open`: {_sentence(each.admits)}" if each.admits else "")


def _in_order(readings: Iterable[Reading]) -> list[Reading]:
    order = list(KINDS)
    return sorted(readings, key=lambda reading: order.index(reading.kind))


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "'")) else ".")
