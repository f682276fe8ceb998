"""Cases of results chosen by what they ask, how they ended, and what is known of that."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ir_models.asking.id_parts import ABSENT
from reports.gate.causes import CLASSES, classes_help
from reports.gate.selectors import features_of
from reports.gate.severity import SEVERITIES, of_record
from reports.results.outcomes import Outcome
from reports.results.records import CaseRecord, ResultsError
from reports.results.shared.matching import matches, names_operation
from reports.results.shared.options import path_of_option
from reports.results.shared.text import listing


@dataclass(frozen=True)
class CaseFilter:
    """What a case must be; of each tuple one must hold, "" and empty ask nothing."""

    operations: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    classes: tuple[str, ...] = ()
    severities: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    """Names with wildcards of their values; each must hold."""

    def __bool__(self) -> bool:
        return self != CaseFilter()

    def __str__(self) -> str:
        """The choice as the options that make it."""
        options = {
            "operation": self.operations,
            "category": self.categories,
            "type": self.types,
            "outcome": tuple(map(str, self.outcomes)),
            "class": self.classes,
            "severity": self.severities,
            "reason": self.reasons,
            "attribute": tuple("=".join(one) for one in self.attributes),
        }
        return " ".join(
            f"--{name} {shlex.join(values)}" for name, values in options.items() if values
        )

    def admits(self, record: CaseRecord) -> bool:
        """Tell whether a case is chosen."""
        return (
            (not self.operations or names_operation(self.operations, record.operation))
            and (not self.categories or record.category in self.categories)
            and (not self.types or not set(features_of(record)["type"]).isdisjoint(self.types))
            and (not self.outcomes or record.outcome in self.outcomes)
            and (not self.classes or record.cause_class in self.classes)
            and (not self.severities or of_record(record).is_one_of(self.severities))
            and (not self.reasons or any(_is_about(record, words) for words in self.reasons))
            and (not self.attributes or _has(record, self.attributes))
        )

    def of(self, records: Iterable[CaseRecord]) -> list[CaseRecord]:
        """Return the chosen cases. Raises ResultsError for an operation without results, and for none."""
        records = list(records)
        known = {record.operation for record in records}
        for name in self.operations:
            if not any(names_operation([name], each) for each in known):
                raise ResultsError(f"the results have no case of operation {name!r}")
        for name, values, given in (
            ("category", {record.category for record in records}, self.categories),
            (
                "type",
                {kind for record in records for kind in features_of(record)["type"]},
                self.types,
            ),
        ):
            for value in given:
                if value not in values:
                    known_values = listing(sorted(filter(None, values)))
                    raise ResultsError(
                        f"the results have no case of {name} {value!r}; they have {known_values}"
                    )
        chosen = [record for record in records if self.admits(record)]
        if not chosen:
            raise ResultsError(f"no case has {self}")
        return chosen


def _is_about(record: CaseRecord, words: str) -> bool:
    """Tell whether the cause's id, its title or the detail has these words; * and ? are wildcards."""
    wildcard = f"*{words.lower()}*"
    texts = (record.cause, record.reason, record.detail, record.rule)
    return any(matches(wildcard, text.lower()) for text in texts)


def _has(record: CaseRecord, attributes: Sequence[tuple[str, str]]) -> bool:
    return all(
        any(matches(wildcard, value) for value in values_of(record, name))
        for name, wildcard in attributes
    )


def values_of(record: CaseRecord, name: str) -> tuple[str, ...]:
    """Return the values of an attribute, an index input or another factor of a case; "-" for one left out."""
    features = features_of(record)
    found = features.get(f"parameter.{name}") or features.get(name) or features.get(f"how.{name}")
    return tuple(value or "(usual)" for value in found) if found else (ABSENT,)


def check_attribute(name: str, records: Iterable[CaseRecord]) -> None:
    """Raise ResultsError for an attribute that no case has."""
    if all(values_of(record, name) == (ABSENT,) for record in records):
        raise ResultsError(f"no case has an attribute, an index input or a factor {name!r}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that choose cases; each takes several values, and one of them must hold."""
    group = parser.add_argument_group("cases", "each option takes several values")
    add = group.add_argument
    add(
        "--operation",
        metavar="NAME",
        nargs="+",
        action="extend",
        default=[],
        help="operations such as Gather-8, or types such as Gather for all versions",
    )
    add("--category", metavar="NAME", nargs="+", action="extend", default=[],
        help="categories of operations, such as movement")  # fmt: skip
    add("--type", dest="element_type", metavar="TYPE", nargs="+", action="extend", default=[],
        help="element types of inputs, such as f16")  # fmt: skip
    add("--outcome", nargs="+", action="extend", default=[], type=_outcome, metavar="OUTCOME",
        help=f"{', '.join(map(str, Outcome))}")  # fmt: skip
    add("--class", dest="kind", nargs="+", action="extend", default=[], choices=tuple(CLASSES),
        help=classes_help("class of the cause"))  # fmt: skip
    add("--severity", nargs="+", action="extend", default=[], choices=tuple(SEVERITIES),
        help=_severities_help("how bad the departure is"))  # fmt: skip
    add("--reason", metavar="TEXT", nargs="+", action="extend", default=[],
        help="words of the cause's id or title, of the detail, or of the rule that an invalid layer "
        "breaks; * and ? are wildcards")  # fmt: skip
    add("--attribute", metavar="NAME=VALUE", nargs="+", action="extend", default=[], type=_attribute,
        help="value of an attribute, of an index input (mode=depth_first, axes=-1) or of a factor (type=f16, "
        "rank=3); each must hold; - for one left out, * and ? are wildcards")  # fmt: skip


def add_causes_argument(
    parser: argparse.ArgumentParser, about: str = "a folder of causes of your own"
) -> None:
    """Declare ``--causes``, which may be repeated."""
    parser.add_argument(
        "--causes", type=path_of_option, metavar="DIR", action="append", default=[], help=about
    )


def add_kind_arguments(parser: argparse.ArgumentParser, about: str = "of the causes") -> None:
    """Declare ``--class`` and ``--severity``, which choose causes."""
    add = parser.add_argument
    add("--class", dest="kind", nargs="+", action="extend", choices=tuple(CLASSES), default=[],
        help=classes_help(f"classes {about}"))  # fmt: skip
    add("--severity", nargs="+", action="extend", choices=tuple(SEVERITIES), default=[],
        help=_severities_help("severities of the causes"))  # fmt: skip


def _severities_help(about: str) -> str:
    return f"{about}: {'; '.join(f'{name} ({means})' for name, means in SEVERITIES.items())}"


def _outcome(text: str) -> Outcome:
    try:
        return Outcome(text.upper())
    except ValueError:
        known = listing(list(map(str, Outcome)))
        raise argparse.ArgumentTypeError(f"{text!r} is not one of {known}") from None


def _attribute(text: str) -> tuple[str, str]:
    name, equals, wildcard = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, wildcard


def choice_of(args: argparse.Namespace) -> CaseFilter:
    """Return what the options say."""
    return CaseFilter(
        tuple(args.operation),
        tuple(args.category),
        tuple(args.element_type),
        tuple(args.outcome),
        tuple(args.kind),
        tuple(args.severity),
        tuple(args.reason),
        tuple(args.attribute),
    )
