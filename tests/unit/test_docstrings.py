"""Docstrings are plain: the subject stands first, and words have one meaning."""

import ast
import re

import pytest

from tests.unit.test_rooms import EVERYTHING, files

WORDS = re.compile(r"\b(of which|told)\b")
BEGINNING = re.compile(r"(That|Those|Of|As)\b")
# In a file without any of them no docstring offends: it need not be parsed.
SUSPECT = re.compile(r"""\b(of\s+which|told)\b|["'][\s\\]*(That|Those|Of|As)\b""")


def docstrings(text: str) -> list[tuple[int, str]]:
    """The docstrings of a module with their lines."""
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    found = [node for node in ast.walk(ast.parse(text)) if isinstance(node, kinds)]
    return [(getattr(each, "lineno", 1), ast.get_docstring(each) or "") for each in found]


def offending(text: str) -> list[int]:
    """The lines of docstrings that a reader may have to read twice."""
    if not SUSPECT.search(text):
        return []
    return [
        line
        for line, words in docstrings(text)
        if BEGINNING.match(words) or WORDS.search(" ".join(words.split()))
    ]


def test_docstrings_are_plain():
    found = {name: offending(path.read_text("utf-8")) for name, path in files(*EVERYTHING).items()}
    assert {name: lines for name, lines in found.items() if lines} == {}


@pytest.mark.parametrize(
    "words, is_plain",
    [
        ("The sum of a row.", True),
        ("Of a row the sum.", False),
        ("As MVN-6, but along an axis.", False),
        ("Assigns a value.", True),
        ("Rows of\n    which one is empty.", False),
        ("What was told.", False),
        ("\\\n    Those of a row.", False),
    ],
)
def test_a_docstring_that_is_not_plain_is_found(words, is_plain):
    assert offending(f'def f():\n    """{words}"""\n') == ([] if is_plain else [1])
