"""How a command says no."""

from __future__ import annotations

from collections.abc import Callable

import pytest


def exit_code(main: Callable[[list[str]], int], *arguments: object) -> object:
    """The exit code of a call, which a parser of command lines may raise."""
    try:
        return main(list(map(str, arguments)))
    except SystemExit as ended:
        return ended.code


def refusal(
    capsys: pytest.CaptureFixture[str],
    main: Callable[[list[str]], int],
    program: str,
    *arguments: object,
) -> str:
    """The one line on standard error of a call that ends with exit code 2; it begins with the program."""
    code = exit_code(main, *arguments)
    printed = capsys.readouterr()
    assert code == 2
    assert printed.out == ""
    assert printed.err.startswith(program)
    assert printed.err.count("\n") == 1
    return printed.err
