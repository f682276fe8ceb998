"""Runs modules in forks of a process that has imported the suite: imports are most of what a small run costs.

``python preloaded.py PIPE``, in the root of the project or of a copy of it, is that process, and ends when the other
end of the pipe is closed. Each fork is a run of its own, with its own arguments, environment, streams and process
group. What a run does before and while it imports is asked by ``running.start``, which forks nothing.

The fork server of a run is a fork as well, where its devices are modules: with OpenVINO it is started as ever. The
environment of a fork is not to be read from outside: its name is `name_of` the run instead.
"""

from __future__ import annotations

import atexit
import ctypes
import gc
import hashlib
import io
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from devices.process.forking.fork_client import ForkedProcess

MARK = "CONFORMANCE_RUN"
"""The variable whose value a run's processes have in common."""
_SET_NAME = 15  # PR_SET_NAME of prctl
_FORK_SERVER = "devices.process.forking.fork_server"


def name_of(mark: str) -> str:
    """The name of the forks of the run with this mark. The system keeps 15 characters."""
    return hashlib.sha256(mark.encode()).hexdigest()[:15]


# The client of ``Preloaded.run`` without an import that takes time.
_PROGRAM = """#!{interpreter} -IS
import json, os, socket, sys
arguments = ["-m", "pytest", *sys.argv[1:]] if sys.argv[0].endswith("pytest") else sys.argv[1:]
if arguments[:1] != ["-m"]:
    os.execv("{interpreter}", ["{interpreter}", *arguments])
connection = socket.socket(socket.AF_UNIX)
connection.connect({address})
stdin, writer = os.pipe()
socket.send_fds(connection, [b"fork"], [stdin, 1, 2])
os.close(stdin)
connection.recv(8)
with os.fdopen(writer, "wb") as file:
    request = json.dumps([arguments, dict(os.environ)]).encode()
    file.write(len(request).to_bytes(8, "little") + request)
code = connection.recv(8)
sys.exit(int.from_bytes(code, "little", signed=True) % 256 if code else 1)
"""


class Preloaded:
    """The client of such a process, which ends with this one."""

    def __init__(self, root: Path) -> None:
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("")  # Linux finds a name that no other process has
            listener.listen()
            self._address = listener.getsockname()
            pipe, self._lifetime_pipe = os.pipe()
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(pipe)],
                cwd=root,
                # Threads of NumPy do not survive a fork. A run of the suite has none either.
                env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
                stdin=listener.fileno(),
                stdout=subprocess.DEVNULL,
                pass_fds=[pipe],
                start_new_session=True,
            )
            os.close(pipe)

    def write_programs(self, folder: Path) -> None:
        """Write ``pytest`` and ``python``, for shells: what runs a module runs it in a fork, in the root."""
        for name in ("pytest", "python"):
            text = _PROGRAM.format(interpreter=sys.executable, address=self._address)
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], limit: float
    ) -> tuple[int, str, str]:
        """Run ``python ARGUMENTS``: exit code, standard output and standard error.

        It waits for every process that has the run's output, as the reader of a pipe does. Raises
        subprocess.TimeoutExpired after ``limit`` seconds.
        """
        with tempfile.TemporaryFile() as err:
            process = _fork_of(self._address, arguments, environment, err, limit)
            assert process.stdin is not None
            assert process.stdout is not None
            late = threading.Timer(limit, process.kill)
            late.start()
            try:
                process.stdin.close()
                out = process.stdout.read()
                process.stdout.close()
                code = process.wait(limit)
            finally:
                is_late = not late.is_alive()
                late.cancel()
            if is_late:
                raise subprocess.TimeoutExpired(list(arguments), limit, out)
            err.seek(0)
            return code, out.decode(), err.read().decode()


def _fork_of(
    address: object,
    arguments: Sequence[str],
    environment: Mapping[str, str],
    stderr: Any,
    limit: float,
) -> ForkedProcess:
    """A fork of the process with this address that runs ``python ARGUMENTS``."""
    from devices.process.forking.fork_client import ForkedProcess

    connection = socket.socket(socket.AF_UNIX)
    connection.connect(address)
    process = ForkedProcess(connection, stderr, limit)
    request = json.dumps([list(arguments), dict(environment)]).encode()
    assert process.stdin is not None
    process.stdin.write(len(request).to_bytes(8, "little") + request)
    process.stdin.flush()
    return process


def _main() -> None:
    # As ``python -m`` has it.
    sys.path[0] = os.getcwd()
    from devices.process.forking.fork_server import ForkServer

    _preload()
    if not ForkServer(socket.socket(fileno=0), int(sys.argv[1])).serve():
        return
    with open(0, "rb", buffering=0, closefd=False) as stdin:
        (_, what, *arguments), environment = json.loads(_exactly(stdin, _length(stdin)))
    _begin([what, *arguments], environment)
    ctypes.CDLL(None).prctl(_SET_NAME, name_of(environment.get(MARK, "")).encode())
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    fork_client: Any = import_module("devices.process.forking.fork_client")
    fork_client.subprocess = SimpleNamespace(**{**vars(subprocess), "Popen": _popen})
    runpy.run_module(what, run_name="__main__", alter_sys=True)


def _length(stream: io.FileIO) -> int:
    return int.from_bytes(_exactly(stream, 8), "little")


def _exactly(stream: io.FileIO, count: int) -> bytes:
    found = b""
    while len(found) < count:
        found += stream.read(count - len(found)) or sys.exit("the request is cut off")
    return found


def _begin(arguments: Sequence[str], environment: Mapping[str, str]) -> None:
    """Take these arguments and variables, and the streams of now.

    They are of another kind than those that this process began with.
    """
    for name, number in (("stdout", 1), ("stderr", 2)):
        raw = io.FileIO(number, "w", closefd=False)
        now = io.TextIOWrapper(io.BufferedWriter(raw), sys.__stdout__.encoding, line_buffering=True)
        setattr(sys, name, now)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(arguments)


def _popen(command: list[str], **given: Any) -> Any:
    """Start a process like ``subprocess.Popen``, but a fork server without OpenVINO as a fork."""
    interpreter, *words = command
    is_forked = words[:2] == ["-m", _FORK_SERVER] and "openvino" not in words[4:]
    if interpreter != sys.executable or not is_forked:
        return subprocess.Popen(command, **given)
    return _Forked(words[1:], given["stdin"], given["env"], given["pass_fds"])


class _Forked:
    """A fork of this process that is a fork server: the part of ``subprocess.Popen`` that its client uses."""

    def __init__(
        self, arguments: list[str], stdin: int, environment: Mapping[str, str], kept: Sequence[int]
    ) -> None:
        self.pid = os.fork()
        if self.pid:
            return
        try:
            os.setsid()
            signal.signal(signal.SIGINT, signal.default_int_handler)
            # The exit functions and files are of the process that was forked.
            atexit._clear()
            os.dup2(stdin, 0)
            for number in (1, 2):
                os.dup2(os.open(os.devnull, os.O_RDWR), number)
            for name in os.listdir("/proc/self/fd"):
                if int(name) > 2 and int(name) not in kept:
                    with suppress(OSError):
                        os.close(int(name))
            _begin(arguments, environment)
            gc.enable()
            import_module(_FORK_SERVER).main()
            os._exit(0)
        except SystemExit as ended:
            os._exit(ended.code if isinstance(ended.code, int) else 1)
        except BaseException:
            # Of a child of the fork server as well, as at the end of any process.
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(1)

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> None:
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


def _preload() -> None:
    import_module(_FORK_SERVER)
    # The device of nearly all runs.
    import_module("tests.unit.devices.faulty")
    for name in ("plugin", "terminal", "explaining", "probing"):
        import_module(f"tests.conformance.{name}")
    for name in import_module("_pytest.config").default_plugins:
        import_module(f"_pytest.{name}")
    for name in ("concurrent.futures.thread", "ir_models.patterns"):
        import_module(name)
    import_module("ir_models").operations()
    gc.freeze()


if __name__ == "__main__":
    _main()
