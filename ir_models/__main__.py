"""``python -m ir_models``: what the suite can ask.

Exit code: 0, or 2 for wrong usage with one line on standard error.
"""

from __future__ import annotations

import argparse
import gc
import io
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import astuple
from itertools import chain, repeat
from pathlib import Path
from typing import Any, NoReturn

import ir_models
import ir_models.ctrl_c
from ir_models import LayerCase, Operation, patterns, skeletons
from ir_models.asking.id_parts import GRAPHS
from ir_models.pages import coverage, specification
from ir_models.pages.opsets import INTERNAL, LISTED
from reference import MissingReferenceError

_PAGES = (
    "docs/articles_en/documentation/openvino-ir-format/operation-sets/operation-specs "
    "in the repository of OpenVINO"
)
_EXAMPLES = f"""\
examples:
  python -m ir_models list --operation SpaceToDepth-1 --purpose example
  python -m ir_models list --operation Gather --count
  python -m ir_models specification > docs/specification.md
  python -m ir_models specification --json > reports/views/site/readings.json
  python -m ir_models new ~/openvino/PAGES/arithmetic/sin-1.rst

The pages of the specification are not in this repository: PAGES is {_PAGES}.
`python -m devices write` makes the files of a case."""


class _ModelsParser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {_one_line(message)}; see --help\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    parser = _parser()
    if sys.stdout is None:
        return _complain(parser, "output: it is closed")
    args = parser.parse_args(arguments)
    try:
        args.run(args)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader, such as head, has seen enough. Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        return _complain(
            parser,
            "not enough memory for a case: choose --operation or a smaller --depth, or "
            "fewer elements",
        )
    # CaseIdError and the errors of unknown names are ValueErrors.
    except (ValueError, MissingReferenceError, OSError) as error:
        return _complain(parser, str(error))
    return 0


def _complain(parser: argparse.ArgumentParser, message: str) -> int:
    print(f"{parser.prog}: {_one_line(message)}", file=sys.stderr)
    return 2


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _parser() -> argparse.ArgumentParser:
    parser = _ModelsParser(
        prog="python -m ir_models",
        description="Cases of OpenVINO layers as the specification declares them.",
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    _add_list(_command(commands, "list", "print case ids, one a line", _list))
    _add_new(_command(commands, "new", "start an operation from its specification page", _new))
    _command(commands, "operations", "list the operations: category, opset, examples", _operations)
    _command(
        commands,
        "specification",
        "print how the suite reads the specification: errata, and choices where it is unclear",
        _specification,
    ).add_argument(
        "--json",
        action="store_true",
        help="as JSON: for each operation lists of kind, words of the page, choice, reason, and what is admitted",
    )
    _add_coverage(
        _command(commands, "coverage", "print how much of each page is tested", _coverage)
    )
    _command(commands, "purposes", "list the purposes: what a case is there to test", _purposes)
    return parser


def _command(
    commands: argparse._SubParsersAction[Any],
    name: str,
    about: str,
    run: Callable[[argparse.Namespace], None],
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=about, description=about[0].upper() + about[1:] + ".")
    parser.set_defaults(run=run)
    return parser


def _add_list(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--operation", metavar="NAME", nargs="+", action="extend", default=[],
        help="operations such as Gather-8, or types such as Gather for all versions; default all",
    )  # fmt: skip
    add(
        "--purpose", metavar="P", nargs="+", action="extend", default=[],
        help="purposes, see `python -m ir_models purposes`; default all",
    )  # fmt: skip
    add(
        "--random", metavar="N", type=_whole, default=50,
        help="random layers for each operation (default 50)",
    )  # fmt: skip
    add("--seed", metavar="S", type=_whole, default=0, help="seed of the random layers (default 0)")
    add(
        "--depth", choices=ir_models.DEPTHS, default=ir_models.DEFAULT_DEPTH, metavar="D",
        help="; ".join(f"{name}: {about}" for name, about in ir_models.DEPTHS.items())
        + f" (default {ir_models.DEFAULT_DEPTH})",
    )  # fmt: skip
    add(
        "--processes", metavar="N", type=_positive,
        help="list many operations in N processes (default: one for each core)",
    )  # fmt: skip
    add(
        "--dropped", action="store_true",
        help="print instead a table of what the depth leaves out: how often, and why",
    )  # fmt: skip
    add(
        "--count", action="store_true",
        help="print instead a table of the number of cases, by operation and purpose; the column `variant` "
        "has an operation's own factors, unless --purpose names them",
    )  # fmt: skip


def _add_coverage(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Print for each operation the examples and rules of its page, the layers that break a rule, "
        "and how many levels of factors, and pairs of them, valid cases have: purposes and variants, "
        "element types, ranks, enumerations, ways of running a layer. Then how many pages have an operation."
    )
    parser.add_argument(
        "--operation", metavar="NAME", nargs="+", action="extend", default=[],
        help="operations such as Gather-8, or types such as Gather for all versions; default all",
    )  # fmt: skip
    parser.add_argument(
        "--depth", choices=ir_models.DEPTHS, default=ir_models.DEFAULT_DEPTH, metavar="D",
        help=f"that of the cases counted (default {ir_models.DEFAULT_DEPTH})",
    )  # fmt: skip


def _add_new(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Start an operation from its specification page: a skeleton of its declaration (inputs, type variables, "
        "attributes with defaults and ranges, examples with their port ids) and an empty reference beside it. A file "
        "that exists stays as it is. Prints what the page leaves to you, and to standard error what it says and the "
        "skeleton lacks. CONTRIBUTING.md goes on from there."
    )
    add = parser.add_argument
    add("page", metavar="PAGE.rst", type=Path, help="a page of the operation specification")
    add(
        "--category", metavar="NAME",
        help="folder of both files (default: the folder of the page)",
    )  # fmt: skip
    add("--print", action="store_true", help="print the declaration, write nothing")


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdecimal():
        raise argparse.ArgumentTypeError(f"expected a whole number from 0 on, got {text!r}")
    return int(text)


def _positive(text: str) -> int:
    if (number := _whole(text)) == 0:
        raise argparse.ArgumentTypeError("expected a whole number from 1 on, got '0'")
    return number


# --- commands -----------------------------------------------------------------------------------------------------


def _list(args: argparse.Namespace) -> None:
    operations, _ = ir_models.select_with_patterns(args.operation)
    ir_models.check_purposes(args.purpose)
    chosen = ir_models.patterns_asked(args.operation, args.purpose)
    dropped: Counter[str] = Counter()

    def cases(operation: Operation) -> Iterator[LayerCase]:
        return ir_models.cases(operation, args.purpose, args.random, args.seed, args.depth, dropped)

    if args.dropped:
        for operation in operations:
            for _ in cases(operation):
                pass
        rows = [[str(count), reason] for reason, count in dropped.most_common()]
        _print_table([["dropped", "reason"], *rows])
        return
    if args.count:
        counts = {o.name: Counter(_column(c, args.purpose) for c in cases(o)) for o in operations}
        for name in chosen:
            counts[name] = Counter({GRAPHS: len([*patterns.case_ids(name, args.depth)])})
        if args.purpose:
            counts = {name: each for name, each in counts.items() if each}
        _print_table(_counted(counts))
        return
    asked = tuple(args.purpose), args.random, args.seed, args.depth
    processes = args.processes or os.cpu_count() or 1
    layers = _layer_ids, [each.name for each in operations], repeat(asked)
    graphs = _graph_ids, chosen, repeat(args.depth)
    if processes == 1 or len(operations) + len(chosen) < _FEW:
        sys.stdout.writelines(chain(map(*layers), map(*graphs)))
        return
    pool = ProcessPoolExecutor(processes)
    try:
        sys.stdout.writelines(chain(pool.map(*layers), pool.map(*graphs)))
    finally:
        # A reader that has seen enough does not wait for the rest.
        pool.shutdown(cancel_futures=True)


# Of fewer operations and patterns than that the cases are listed before other processes have started.
_FEW = 20


def _layer_ids(name: str, asked: tuple[tuple[str, ...], int, int, str]) -> str:
    """The ids of the cases of an operation, each on a line of its own."""
    # Layers are garbage as soon as nothing refers to them: the collector would find none, in a tenth of the time.
    gc.disable()
    found = ir_models.cases(ir_models.operation(name), *asked)
    return "".join(f"{case.id}\n" for case in found)


def _graph_ids(name: str, depth: str) -> str:
    """The ids of the cases of a pattern, each on a line of its own."""
    return "".join(f"{each}\n" for each in patterns.case_ids(name, depth))


def _column(case: LayerCase, named: Sequence[str]) -> str:
    return case.purpose if named or case.purpose in ir_models.PURPOSES else "variant"


def _counted(counts: dict[str, Counter[str]]) -> list[list[str]]:
    """Rows of a table with totals to the right and below; columns of nothing are left out."""
    total = sum(counts.values(), Counter())
    columns = [p for p in [*ir_models.all_purposes(), "variant"] if total[p]]
    rows = [["operation", *columns, "total"]]
    for name, count in [*counts.items(), ("total", total)]:
        cells = [str(count[column]) for column in columns]
        rows.append([name, *cells, str(count.total())])
    return rows


def _new(args: argparse.Namespace) -> None:
    try:
        page = skeletons.read(args.page.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise ValueError(f"{args.page} is no text: {error}") from None
    except FileNotFoundError:
        raise ValueError(f"{args.page}: there is no such page; pages are in {_PAGES}") from None
    except skeletons.PageError as error:
        raise ValueError(f"{args.page}: {error}") from None
    made = skeletons.skeleton(page)
    unread = [f"{args.page}: left to you: {each}" for each in made.unread]
    if args.print:
        print(*unread, sep="\n", end="\n" if unread else "", file=sys.stderr)
        print(made.declaration, end="")
        return
    category = args.category or args.page.resolve().parent.name
    if not category.isidentifier():
        raise ValueError(f"{category!r} is no name of a category; say --category NAME")
    root = Path(__file__).parents[1]
    files = {
        root / "ir_models" / "operations" / category / f"{made.stem}.py": made.declaration,
        root / "reference" / category / f"{made.stem}.py": made.reference,
    }
    missing = {path: content for path, content in files.items() if not path.exists()}
    if not missing:
        names = " and ".join(str(path.relative_to(root)) for path in files)
        raise FileExistsError(
            f"{names} exist: add the version to them, --print shows the declaration"
        )
    print(*unread, sep="\n", end="\n" if unread else "", file=sys.stderr)
    for path, content in missing.items():
        package = path.parent / "__init__.py"
        if not package.exists():
            path.parent.mkdir(exist_ok=True)
            package.write_text("", encoding="utf-8")
        path.write_text(content, encoding="utf-8")
        print(f"wrote {path.relative_to(root)}")
    print("left to you:")
    for question in dict.fromkeys(made.questions):
        print(f"  - {question}")


def _operations(_: argparse.Namespace) -> None:
    rows = [["operation", "category", "opset", "examples"]]
    for each in ir_models.operations():
        rows.append([each.name, each.category, each.opset, str(len(each.examples))])
    _print_table(rows)


def _specification(args: argparse.Namespace) -> None:
    write = specification.as_data if args.json else specification.document
    print(write(ir_models.operations()), end="")


def _coverage(args: argparse.Namespace) -> None:
    rows = [["operation", "category", "examples", "rules", "violations", "levels", "pairs"]]
    for each in ir_models.select(args.operation):
        found = coverage.of(each, args.depth)
        rows.append([str(value) for value in astuple(found)])
    _print_table(rows)
    lacking = coverage.missing(ir_models.operations())
    count = len(LISTED)
    print(f"\n{count - len(lacking)} of {count} pages have their operation")
    if lacking:
        print(f"missing: {', '.join(lacking)}")
    print(f"internal pages, whose operations IR cannot carry: {', '.join(INTERNAL)}")


def _purposes(_: argparse.Namespace) -> None:
    _print_table([[name, about] for name, about in ir_models.all_purposes().items()])


def _print_table(rows: list[list[str]]) -> None:
    """Columns of their own width; numbers stand right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    numeric = [all(c.isdecimal() for c in column[1:]) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(row, widths, numeric, strict=True)
        ]
        print("  ".join(cells).rstrip())


if __name__ == "__main__":
    sys.exit(main())
