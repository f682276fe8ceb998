"""Wrong references made from the source of the right ones: one place of it changed.

A change is of an operator, a comparison, a number, a condition, a sign, or minimum for maximum. What only checks its
input and raises is left alone, and so is what only bounds need: annotations, decorators, and functions of a ``Call``.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import reference
from reference import accuracy

ROOT = Path(reference.__file__).parent
# What compares answers is no reference.
_MACHINERY = "accuracy"

_MODULE = "module"

_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPPOSITES = {
    one: other
    for pair in (
        ("min", "max"),
        ("minimum", "maximum"),
        ("fmin", "fmax"),
        ("amin", "amax"),
        ("argmin", "argmax"),
        ("floor", "ceil"),
        ("any", "all"),
    )
    for one, other in (pair, pair[::-1])
}


@dataclass(frozen=True)
class SourceMutant:
    """One change of one file. ``name`` tells function and change; ``lines`` are those of the changed statement.

    ``is_everywhere``: it is of a value of the module, which any of its functions may use.
    """

    file: Path
    name: str
    lines: range
    is_everywhere: bool
    # The place among those of the file, from which the changed tree is made.
    number: int

    @property
    def source(self) -> str:
        """The file as it is named in tables, such as ``movement/gather``."""
        return self.file.relative_to(ROOT).with_suffix("").as_posix()


def files() -> list[Path]:
    """The files of all references, shared arithmetic included."""
    return [
        path
        for path in sorted(ROOT.glob("*/*.py"))
        if path.parent.name != _MACHINERY and path.stem != "__init__"
    ]


class Source:
    """A file that can be changed in one place."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self._text = file.read_text("utf-8")

    @cached_property
    def mutants(self) -> list[SourceMutant]:
        """All changes, with distinct names."""
        found, names = [], set()
        for number, place in enumerate(_Places(self.file, ast.parse(self._text)).found):
            name = usual = f"{place.function}: {place.text}"
            again = 2
            while name in names:
                name, again = f"{usual} ({again})", again + 1
            names.add(name)
            found.append(
                SourceMutant(self.file, name, place.lines, place.function == _MODULE, number)
            )
        return found

    def right(self) -> ast.Module:
        """The tree as it is."""
        return ast.parse(self._text)

    def changed(self, mutant: SourceMutant) -> ast.Module:
        """The tree with one change."""
        tree = ast.parse(self._text)
        _Places(self.file, tree).found[mutant.number].change()
        return ast.fix_missing_locations(tree)


# --- places -----------------------------------------------------------------------------------------------------------


@dataclass
class _Place:
    """A node that can be changed, within the function of this name."""

    holder: ast.AST
    field: str
    index: int | None
    new: ast.AST
    function: str
    text: str
    lines: range

    def change(self) -> None:
        """Put the new node in its place."""
        if self.index is None:
            setattr(self.holder, self.field, self.new)
        else:
            getattr(self.holder, self.field)[self.index] = self.new


class _Places:
    """Every place of a tree that can be changed, in the order of the source."""

    def __init__(self, file: Path, tree: ast.Module) -> None:
        self.found: list[_Place] = []
        self._file = file
        self._function = _MODULE
        self._statement: ast.stmt | None = None
        self._idle: set[ast.AST] = set()
        self._children(tree)

    def _visit(self, node: ast.AST, holder: ast.AST, field: str, index: int | None) -> None:
        if node in self._idle or _only_checks(node) or _is_of_bounds(node):
            return
        if isinstance(node, ast.FunctionDef) and (self._file, node.name) not in answering():
            return
        before = self._function, self._statement, self._idle
        if isinstance(node, ast.stmt):
            self._statement = node
        if isinstance(node, ast.FunctionDef):
            if _is_check(node):
                return
            self._function = node.name
            self._idle = self._idle | _idle(node)
            for each in (*node.args.defaults, *(d for d in node.args.kw_defaults if d)):
                self._default(node, each)
            for number, statement in enumerate(node.body):
                self._visit(statement, node, "body", number)
        elif isinstance(node, ast.ClassDef):
            for number, statement in enumerate(node.body):
                self._visit(statement, node, "body", number)
        elif isinstance(node, ast.AnnAssign):
            if node.value is not None and not _is_of_bounds(node):
                self._visit(node.value, node, "value", None)
        else:
            for new, of in _changes(node):
                self._add(node, new, of, holder, field, index)
            if not _is_negative_number(node):
                self._children(node)
        self._function, self._statement, self._idle = before

    def _children(self, node: ast.AST) -> None:
        for name, value in ast.iter_fields(node):
            if isinstance(value, list):
                for number, each in enumerate(value):
                    if isinstance(each, ast.AST):
                        self._visit(each, node, name, number)
            elif isinstance(value, ast.AST):
                self._visit(value, node, name, None)

    def _default(self, function: ast.FunctionDef, value: ast.expr) -> None:
        """Numbers and truth values that parameters have where they are not given."""
        lists = (function.args.defaults, function.args.kw_defaults)
        field = "defaults" if value in lists[0] else "kw_defaults"
        index = next(i for i, each in enumerate(getattr(function.args, field)) if each is value)
        for new, of in _changes(value):
            self._add(value, new, of, function.args, field, index, "default ")

    def _add(
        self,
        node: ast.AST,
        new: ast.AST,
        of: str,
        holder: ast.AST,
        field: str,
        index: int | None,
        prefix: str = "",
    ) -> None:
        statement = self._statement
        assert statement is not None
        if of:
            # The condition of a statement: the statement itself holds the new one.
            holder, field, index = node, of, None
            node = getattr(node, of)
        text = f"{prefix}{ast.unparse(node)} -> {ast.unparse(new)}"
        if isinstance(node, ast.Constant) and not prefix:
            text += f" in {_shortened(ast.unparse(holder))}"
        lines = range(statement.lineno, _header_end(statement) + 1)
        self.found.append(_Place(holder, field, index, new, self._function, text, lines))


def _shortened(text: str) -> str:
    first = text.splitlines()[0]
    return first if len(first) <= _LONGEST else first[:_LONGEST] + "..."


_LONGEST = 80  # characters of source in a name


def _header_end(statement: ast.stmt) -> int:
    """The last line of a statement but for the statements inside."""
    body = getattr(statement, "body", None)
    if isinstance(body, list) and body and not isinstance(statement, ast.FunctionDef):
        return max(statement.lineno, int(body[0].lineno) - 1)
    return statement.end_lineno or statement.lineno


def _changes(node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """(new node, "") for a node that is replaced, (new condition, field) for one whose condition is."""
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        if not (isinstance(node.left, (ast.Constant, ast.JoinedStr)) and _is_text(node.left)):
            yield ast.BinOp(node.left, _OPERATORS[type(node.op)](), node.right), ""
    elif isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values), ""
    elif isinstance(node, ast.Compare):
        for number, operator in enumerate(node.ops):
            ops = list(node.ops)
            ops[number] = _COMPARISONS[type(operator)]()
            yield ast.Compare(node.left, ops, node.comparators), ""
    elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.UAdd):
        yield node.operand, ""
    elif isinstance(node, ast.Constant):
        if isinstance(node.value, bool):
            yield ast.Constant(not node.value), ""
        elif isinstance(node.value, int):
            yield ast.Constant(node.value + 1), ""
        elif isinstance(node.value, float):
            yield ast.Constant(node.value * 1.1 if node.value else 1.0), ""
    elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in _OPPOSITES:
        yield ast.Name(_OPPOSITES[node.id], node.ctx), ""
    elif isinstance(node, ast.Attribute) and node.attr in _OPPOSITES:
        yield ast.Attribute(node.value, _OPPOSITES[node.attr], node.ctx), ""
    elif isinstance(node, (ast.If, ast.While, ast.IfExp)) and not isinstance(
        node.test, ast.Compare
    ):
        # A comparison alone is changed as such; its negation is coarser still.
        yield ast.UnaryOp(ast.Not(), node.test), "test"


def _is_negative_number(node: ast.AST) -> bool:
    """Whether a node is a literal such as -1, whose sign alone is changed."""
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or isinstance(getattr(node, "value", None), str)


# --- what is left alone -----------------------------------------------------------------------------------------------


def _only_checks(node: ast.AST) -> bool:
    """Whether a statement only checks and raises, or a piece of the source says nothing of the answer."""
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.keyword):
        return node.arg == "strict"  # of zip, which only checks lengths
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return ast.unparse(node.value.func).rpartition(".")[2].lstrip("_").startswith(_CHECKS)
    if not isinstance(node, ast.If) or node.orelse:
        return False
    return isinstance(node.body[-1], ast.Raise) or all(map(_only_checks, node.body))


_CHECKS = ("require", "check")


def _is_check(function: ast.FunctionDef) -> bool:
    """Whether a function returns nothing and raises: a check."""
    returns = function.returns is not None and ast.unparse(function.returns) == "None"
    return returns and any(isinstance(node, ast.Raise) for node in ast.walk(function))


@cache
def answering() -> frozenset[tuple[Path, str]]:
    """The functions that references run to answer, not only for bounds, as (file, name).

    A name in a function may stand for a function of its file, or of one that the file imports, itself or by others;
    a name behind a dot for a method as well. What a function assigns is no function.
    """
    modules = {file: _Module(file) for file in files()}
    reached = {file: _imported(file, modules) for file in modules}
    found: set[tuple[Path, str]] = set()
    more = {
        (other, name)
        for file, module in modules.items()
        for used in module.starts
        for other, name in _called(used, reached[file], modules)
    } | {(file, name) for file, module in modules.items() for name in module.entries}
    while more:
        found |= more
        more = {
            called
            for file, name in more
            for called in _called(modules[file].uses[name], reached[file], modules)
        } - found
    return frozenset(found)


class _Module:
    """The functions of a file that are not of bounds, with what they use; ``entries`` are run by name or by Python.

    ``starts`` is what the values of the module use.
    """

    def __init__(self, file: Path) -> None:
        tree = ast.parse(file.read_text("utf-8"))
        self.functions: set[str] = set()
        self.methods: set[str] = set()
        self.entries: set[str] = set()
        self.uses: dict[str, _Used] = defaultdict(_Used)
        self.imports = {
            name
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom) and node.module
            for name in (node.module, *(f"{node.module}.{each.name}" for each in node.names))
        }
        self.starts = [
            _Used.of(statement)
            for statement in tree.body
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and not _is_of_bounds(statement)
        ]
        self._add(tree, self.functions)

    def _add(self, holder: ast.AST, names: set[str]) -> None:
        for node in ast.iter_child_nodes(holder):
            if isinstance(node, ast.FunctionDef) and not _is_of_bounds(node):
                names.add(node.name)
                self.uses[node.name] |= _Used.of(node)
                is_named = any("implements" in ast.unparse(each) for each in node.decorator_list)
                if is_named or node.name.startswith("__"):
                    self.entries.add(node.name)
                self._add(node, self.functions)
            elif isinstance(node, ast.ClassDef) and not _is_of_bounds(node):
                self._add(node, self.methods)


@dataclass(frozen=True)
class _Used:
    """Names that a piece of the source uses: alone, and behind a dot."""

    alone: frozenset[str] = frozenset()
    dotted: frozenset[str] = frozenset()

    @classmethod
    def of(cls, node: ast.AST) -> _Used:
        """What a statement uses, or a function in its body and as defaults of its parameters."""
        parts: Sequence[ast.AST] = [node]
        if isinstance(node, ast.FunctionDef):
            parts = [*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults)]
        nodes = [each for part in parts for each in ast.walk(part)]
        own = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        alone = {n.id for n in nodes if isinstance(n, ast.Name)} - own
        dotted = {
            n.attr
            for n in nodes
            if isinstance(n, ast.Attribute)
            and not (isinstance(n.value, ast.Name) and n.value.id in ("np", "math"))
        }
        return cls(frozenset(alone), frozenset(dotted))

    def __or__(self, other: _Used) -> _Used:
        return _Used(self.alone | other.alone, self.dotted | other.dotted)


def _called(
    used: _Used, reached: set[Path], modules: Mapping[Path, _Module]
) -> Iterator[tuple[Path, str]]:
    for file in reached:
        module = modules[file]
        for name in (used.alone | used.dotted) & module.functions:
            yield file, name
        for name in used.dotted & module.methods:
            yield file, name


def _imported(file: Path, modules: Mapping[Path, _Module]) -> set[Path]:
    """The file, and those that it imports, itself or by others."""
    paths = {
        ".".join(("reference", *f.relative_to(ROOT).with_suffix("").parts)): f for f in modules
    }
    found, more = set(), {file}
    while more:
        found |= more
        named = {name for each in more for name in modules[each].imports}
        more = {paths[name] for name in named if name in paths} - found
    return found


def _is_class_of_bounds(each: object) -> bool:
    return isinstance(each, type) and issubclass(each, accuracy.Accuracy)


def _is_of_bounds(node: ast.AST) -> bool:
    """Whether a piece of the source serves bounds: it takes, returns or makes what only they have."""
    if isinstance(node, ast.Lambda):
        return any(each.arg == "call" for each in node.args.args)
    if isinstance(node, ast.FunctionDef):
        arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        kinds = [*(each.annotation for each in arguments), node.returns]
    elif isinstance(node, ast.ClassDef):
        kinds = list(node.bases)
    elif isinstance(node, ast.AnnAssign):
        kinds = [node.annotation]
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
        kinds = [node.value.func]
    else:
        return False
    return any(_BOUNDS & set(_words(ast.unparse(kind))) for kind in kinds if kind is not None)


_BOUNDS = {
    *("Call", "Expected", "Precision", "Bounds"),
    *(name for name, each in vars(accuracy).items() if _is_class_of_bounds(each)),
}


def _words(text: str) -> list[str]:
    return "".join(c if c.isalnum() else " " for c in text).split()


def _idle(function: ast.FunctionDef) -> set[ast.AST]:
    """The assignments of a function whose values only checks use."""
    found: set[ast.AST] = set()
    while True:
        more = {
            node
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and node not in found
            and _is_idle(node, function, found)
        }
        if not more:
            return found
        found |= more


def _is_idle(assignment: ast.Assign, function: ast.FunctionDef, idle: set[ast.AST]) -> bool:
    names = {n.id for t in assignment.targets for n in ast.walk(t) if isinstance(n, ast.Name)}
    if not all(isinstance(t, (ast.Name, ast.Tuple)) for t in assignment.targets):
        return False
    return not any(name in names for name in _used(function, idle))


def _used(node: ast.AST, idle: set[ast.AST]) -> Iterator[str]:
    """The names that are read outside checks."""
    if node in idle or _only_checks(node):
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield node.id
    for child in ast.iter_child_nodes(node):
        yield from _used(child, idle)
