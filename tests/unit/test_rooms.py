"""What import contracts (pyproject.toml) do not say: circles, names, and which file may name an operation."""

import ast
import importlib
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import ir_models
import reference

ROOT = Path(__file__).parents[2]
PACKAGES = ("ir_models", "reference", "devices", "reports")
SUITE = ("conftest.py", "tests/conformance")
EVERYTHING = (*PACKAGES, "conftest.py", "tests")

# A script that is copied into failure folders and needs openvino there; nothing here runs that part.
STANDALONE = "reports/results/case_folder/openvino_run.py"
KNOWN_DEFECTS = "tests/planted/known_trial.py"
CASE_FOLDER = "reports/results/case_folder"
SCRIPT = f"{CASE_FOLDER}/reproduce.py"
# What reads ids without any declaration: for every room.
READER_OF_IDS = "ir_models.asking.id_parts"
OPENVINO_DEVICE = "devices/runtime/device.py"
OPENVINO_MODULES = {
    OPENVINO_DEVICE,
    "devices/runtime/conversion.py",
    "devices/runtime/kernels.py",
    "devices/runtime/state.py",
    "devices/runtime/tensors.py",
    # A child process of its own, which evaluates the models that OpenVINO wrote after its passes.
    "devices/places/passes.py",
}

# What serves all categories: it holds no operation.
MACHINERY = ("accuracy", "shared")

# IR vocabulary: the layer that stands between a Parameter and an input computed at run time, neighbours of a layer,
# and the types of the nodes that plugins insert around a layer.
VOCABULARY = {
    # The two layers of a variable are written together; models begin and end with layers that are operations as well.
    "ir_models/writing/ir.py": {"Assign", "Convert", "ReadValue"},
    "ir_models/writing/network.py": {"Const", "Parameter", "Result"},
    "ir_models/families/state.py": {"Add-1", "Assign", "Concat-1", "ReadValue", "Select-1"},
    "ir_models/asking/neighbours.py": {
        "Abs", "Add", "Clamp", "Concat", "Convert", "Divide", "Gather", "LogicalNot", "Multiply", "Negative", "PReLU",
        "ReLU", "ReduceMax", "ReduceSum", "Reshape", "Slice", "Split", "Squeeze", "Subtract", "Transpose", "Unsqueeze",
        "VariadicSplit",
    },
    "ir_models/models/writer.py": {"Const", "Convert"},
    "devices/models/walk.py": {"Assign"},
    "devices/models/writing/anonymous.py": {"Const"},
    "devices/places/passes.py": {"Result"},
    "reports/upstream/built_model.py": {"Const", "PReLU", "Parameter", "ReLU", "Result", "SoftMax"},
    "devices/runtime/kernels.py": {"Transpose", "Const", "Convert", "Reshape", "If", "Loop", "TensorIterator"},
    # Nodes of a device's graph that compute nothing.
    "reports/results/case_folder/openvino_run.py": {"Const", "Parameter", "Result"},
    "tests/planted/device.py": {"Const"},
    # The page's "Range of values".
    "ir_models/skeletons/pages.py": {"Range"},
}  # fmt: skip


@dataclass(frozen=True)
class Import:
    """``from module import name`` (``name`` empty for a plain import), inside a function or not."""

    module: str
    name: str
    is_lazy: bool

    def is_of(self, package: str) -> bool:
        return f"{self.module}.{self.name}.".startswith(f"{package}.")


def imports(source: str, package: str = "") -> list[Import]:
    """Every import of a module's source, ``package`` being the one that the module is in."""
    return imports_in(ast.parse(source), package)


def imports_in(tree: ast.Module, package: str) -> list[Import]:
    found = []

    def visit(node: ast.AST, is_lazy: bool) -> None:
        if isinstance(node, ast.Import):
            found.extend(Import(alias.name, "", is_lazy) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            parents = package.split(".")[: len(package.split(".")) - node.level + 1]
            start = parents if node.level else []
            module = ".".join([*start, *([node.module] if node.module else [])])
            found.extend(Import(module, alias.name, is_lazy) for alias in node.names)
        is_function = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):  # which holds no statement
                visit(child, is_lazy or is_function)

    visit(tree, False)
    return found


@dataclass(frozen=True)
class Contents:
    """What the tests look for in a file, which is parsed once."""

    imports: list[Import]
    classes: list[str]
    strings: set[str]
    implemented: list[object]


@cache
def contents(name: str) -> Contents:
    """The contents of a file, of tests the imports alone."""
    tree = ast.parse((ROOT / name).read_text("utf-8"))
    package = name.rpartition("/")[0].replace("/", ".")
    is_test = name.startswith("tests/") and not name.startswith("tests/conformance/")
    nodes = [] if is_test else [*ast.walk(tree)]
    classes = [node.name for node in nodes if isinstance(node, ast.ClassDef)]
    implemented = [
        argument.value
        for node in nodes
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "implements"
        for argument in node.args
        if isinstance(argument, ast.Constant)
    ]
    return Contents(imports_in(tree, package), classes, strings(nodes), implemented)


def strings(nodes: list[ast.AST]) -> set[str]:
    """String literals that code uses: docstrings, which are not for code, left out."""
    documents = {
        id(node.body[0].value)
        for node in nodes
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef))
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return {
        node.value
        for node in nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in documents
    }


@cache
def files(*rooms: str) -> dict[str, Path]:
    """The Python files of some rooms (folders, or files themselves) by their path in the project."""
    paths = [p for room in rooms for p in [ROOT / room, *(ROOT / room).rglob("*")]]
    paths = [path for path in paths if path.suffix == ".py"]
    return {path.relative_to(ROOT).as_posix(): path for path in sorted(paths)}


def imports_of(*rooms: str) -> list[tuple[str, Import]]:
    return [(name, each) for name in files(*rooms) for each in contents(name).imports]


def offenders(found: list[tuple[str, Import]], *packages: str) -> list[tuple[str, Import]]:
    return [(name, each) for name, each in found if any(each.is_of(p) for p in packages)]


def import_graph(*rooms: str) -> dict[str, set[str]]:
    """The modules that each module imports, of those in the rooms, by names such as ``devices.engine.packs``.

    Every import counts, in a function or for type checking only as well. ``from package import module`` is an import
    of the module, ``from package import name`` one of the package's own file.
    """
    modules = {name: module_name(name) for name in files(*rooms)}
    known = set(modules.values())
    graph: dict[str, set[str]] = {module: set() for module in modules.values()}
    for name, each in imports_of(*rooms):
        targets = {f"{each.module}.{each.name}".strip("."), each.module} & known
        if targets:
            graph[modules[name]].add(max(targets, key=len))
    return graph


def module_name(file: str) -> str:
    return file.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def test_the_reader_sees_every_kind_of_import():
    source = (
        "import a.b, c\nfrom d import e as f\nfrom . import g\nfrom ..h import i\n"
        "if True:\n    import j\ndef k():\n    from m import n\n"
    )
    assert imports(source, "top.inner") == [
        Import("a.b", "", False),
        Import("c", "", False),
        Import("d", "e", False),
        Import("top.inner", "g", False),
        Import("top.h", "i", False),
        Import("j", "", False),
        Import("m", "n", True),
    ]
    assert Import("devices.runtime", "device", True).is_of("devices.runtime.device")
    assert Import("openvino.op", "", True).is_of("openvino")
    assert not Import("openvino_like", "", False).is_of("openvino")


def test_every_room_is_read():
    for room in (*PACKAGES, "tests/conformance"):
        assert len(files(room)) > 3, room


def test_the_graph_has_the_imports_of_functions_and_of_type_checking():
    graph = import_graph("devices")
    assert "devices.runtime.device" in graph["devices.process.child"], "in a function"
    assert "devices.engine.runner" in graph["devices"], "for type checking"
    assert "devices.engine.packs" in graph["devices.engine.single"], "a module of a package"


# --- imports ------------------------------------------------------------------------------------------------------


def test_no_module_imports_itself_by_way_of_others():
    # A CycleError names them.
    TopologicalSorter(import_graph(*EVERYTHING)).prepare()


def test_a_class_name_means_one_thing():
    """In all rooms, so that a reader of one need not ask which is meant."""
    found = [each for name in files(*PACKAGES, *SUITE) for each in contents(name).classes]
    assert [name for name, number in Counter(found).items() if number > 1] == []


def test_ir_models_imports_only_what_reference_offers():
    insides = [
        (name, each)
        for name, each in offenders(imports_of("ir_models"), "reference")
        if each.module != "reference" or each.name not in reference.__all__
    ]
    assert insides == []


def test_the_reader_of_ids_needs_the_standard_library_alone():
    """So that a report of hundreds of thousands of ids loads no declaration."""
    script = (
        f"import sys; before = set(sys.modules); import {READER_OF_IDS}\n"
        "print({name.partition('.')[0] for name in set(sys.modules) - before} "
        "- {'ir_models'} - set(sys.stdlib_module_names) or 'none')\n"
        "print(sorted(name for name in sys.modules if name.startswith('ir_models.')))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    first, modules = ran.stdout.splitlines()
    assert first == "none", ran.stderr
    assert modules == str(["ir_models.asking", READER_OF_IDS, "ir_models.operations"])


def test_a_case_folder_is_for_every_room_and_needs_none():
    """Some of its modules are copied into case folders, where they have NumPy and openvino alone."""
    own = {"numpy", *sys.stdlib_module_names}
    found = [
        (name, each.module)
        for name, each in imports_of(CASE_FOLDER)
        if not (name == STANDALONE and each == Import("openvino", "", True))
        and not (name == SCRIPT and each == Import("case_folder.command", "main", True))
        and not each.is_of(CASE_FOLDER.replace("/", "."))
    ]
    assert [each for each in found if each[1].partition(".")[0] not in own] == []


def test_a_copied_module_imports_others_by_relative_names():
    """It is not in the room reports as part of the package ``case_folder`` in a folder."""
    named = [
        name
        for name, path in files(CASE_FOLDER).items()
        if any(each.is_of("reports") for each in imports(path.read_text("utf-8"), "copy"))
    ]
    assert named == []


def test_only_the_modules_of_openvino_devices_import_openvino():
    found = {name for name, _ in offenders(imports_of(*EVERYTHING), "openvino")}
    assert found - {STANDALONE, KNOWN_DEFECTS} == OPENVINO_MODULES


def test_only_the_child_imports_the_openvino_device():
    modules = [module_name(file) for file in OPENVINO_MODULES]
    rest = [each for each in imports_of(*EVERYTHING) if each[0] not in OPENVINO_MODULES]
    found = offenders(rest, *modules)
    assert [(name, each.is_lazy) for name, each in found] == [("devices/process/child.py", True)]


def test_nothing_imports_openvino_or_pytest_by_another_way():
    modules = [
        name.removesuffix(".py").replace("/", ".").removesuffix(".__init__")
        for name in files(*PACKAGES)
        if name not in OPENVINO_MODULES and not name.endswith("__main__.py")
    ]
    script = (
        f"import importlib, sys\nfor name in {modules!r}:\n    importlib.import_module(name)\n"
        "print({'openvino', 'pytest'} & sys.modules.keys() or 'none')"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert ran.stdout == "none\n", ran.stderr


# --- operations ---------------------------------------------------------------------------------------------------


def operation_files(room: str) -> dict[str, str]:
    """Category and stem, such as ``movement/tile``, of every file in a category's folder."""
    found = {}
    for name in files(room):
        category, _, stem = name.removeprefix(f"{room}/").removesuffix(".py").partition("/")
        if category in MACHINERY:
            continue
        if stem and not stem.startswith("_") and "/" not in stem:
            found[f"{category}/{stem}"] = name
    return found


@cache
def places() -> dict[str, list[str]]:
    """Category and stem of each file that holds an operation, by the operation's name."""
    found: dict[str, list[str]] = {}
    for key in operation_files("ir_models/operations"):
        module = importlib.import_module(f"ir_models.operations.{key.replace('/', '.')}")
        for each in vars(module).values():
            if isinstance(each, ir_models.Operation):
                found.setdefault(each.name, []).append(key)
    return found


def test_declaration_and_reference_lie_in_the_same_place():
    declared, answered = operation_files("ir_models/operations"), operation_files("reference")
    assert sorted(declared) == sorted(answered)


def test_an_operation_lies_where_its_page_lies():
    astray = []
    for operation in ir_models.operations():
        (place,) = places()[operation.name]
        category, stem = place.split("/")
        page = operation.name.rpartition("-")[0]
        if (
            operation.category != category
            or stem.replace("_", "") != page.replace("_", "").lower()
            or reference.lookup(operation.name).__module__ != f"reference.{category}.{stem}"
        ):
            astray.append(f"{operation.name}: {place}")
    assert astray == []


def test_operations_are_known_once():
    names = [operation.name for operation in ir_models.operations()]
    assert len(names) == len(set(names))


def test_references_answer_for_declared_operations_alone():
    declared = {operation.name for operation in ir_models.operations()}
    answered = [
        each
        for name in operation_files("reference").values()
        for each in contents(name).implemented
    ]
    assert sorted(answered) == sorted(declared)


def test_no_other_file_knows_an_operation():
    """A name in a sentence (help, an example of usage) tells a reader; a literal that is a name tells the program."""
    names = {each for o in ir_models.operations() for each in (o.name, o.type)}
    own = {
        *operation_files("ir_models/operations").values(),
        *operation_files("reference").values(),
    }
    found = {
        (name, literal)
        for name in files(*PACKAGES, *SUITE)
        # A pattern is written out in operations.
        if name not in own and not name.startswith("ir_models/patterns/")
        for literal in contents(name).strings & (names - VOCABULARY.get(name, set()))
    }
    assert found == set()


def test_no_other_file_imports_an_operation():
    categories = {key.partition("/")[0] for key in operation_files("ir_models/operations")}
    own = {
        *operation_files("ir_models/operations").values(),
        *operation_files("reference").values(),
    }
    rooms = ["ir_models.operations", *(f"reference.{category}" for category in categories)]
    found = [
        (name, each)
        for name, each in offenders(imports_of(*PACKAGES, *SUITE), *rooms)
        # The package itself holds no operation.
        if name not in own and each != Import("ir_models.operations", "", False)
    ]
    assert found == []


# --- machines -----------------------------------------------------------------------------------------------------

_MACHINE = re.compile(
    r"\.\./shared\b|(?<![\w./])/(?:work|root|tmp|home|Users|opt|mnt)/|\b[A-Z]:\\\\?\w"
)


def test_no_file_names_a_path_of_a_machine():
    named = []
    texts = [
        path
        for room in (*PACKAGES, "tests", ".ci")
        for path in (ROOT / room).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    # In a worktree of git, .git is a file that names the repository's folder.
    texts += [path for path in ROOT.iterdir() if path.is_file() and path.name != ".git"]
    assert len(texts) > 100
    for path in texts:
        if path == Path(__file__):
            continue
        text = path.read_text("utf-8", errors="replace")
        for number, line in enumerate(text.splitlines() if _MACHINE.search(text) else (), 1):
            if _MACHINE.search(line):
                named.append(f"{path.relative_to(ROOT).as_posix()}:{number}: {line.strip()}")
    assert named == []
