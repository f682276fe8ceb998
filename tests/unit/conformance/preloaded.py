"""Runs modules in forks of a process that has imported the suite: imports are half of what a small run costs.

``python preloaded.py PIPE``, in the root of the project or of a copy of it, is that process, and ends when the other
end of the pipe is closed. Each fork is a run of its own, with its own arguments, environment, streams and process
group. What a run does before and while it imports is asked by ``running.start``, which forks nothing.
"""

from __future__ import annotations

import gc
import io
import json
import os
import runpy
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path


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

    def run(
        self, arguments: Sequence[str], environment: Mapping[str, str], limit: float
    ) -> tuple[int, str, str]:
        """Run ``python -m ARGUMENTS``: exit code, standard output and standard error.

        It waits for every process that has the run's output, as the reader of a pipe does. Raises
        subprocess.TimeoutExpired after ``limit`` seconds.
        """
        from devices.process.forking.fork_client import ForkedProcess

        with tempfile.TemporaryFile() as err:
            connection = socket.socket(socket.AF_UNIX)
            connection.connect(self._address)
            process = ForkedProcess(connection, err, limit)
            assert process.stdin is not None
            assert process.stdout is not None
            late = threading.Timer(limit, process.kill)
            late.start()
            try:
                process.stdin.write(json.dumps([list(arguments), dict(environment)]).encode())
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


def _main() -> None:
    # As ``python -m`` has it.
    sys.path[0] = os.getcwd()
    from devices.process.forking.fork_server import ForkServer

    _preload()
    if not ForkServer(socket.socket(fileno=0), int(sys.argv[1])).serve():
        return
    arguments, environment = json.load(sys.stdin)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # The streams of now, which are of another kind than those that this process began with.
    for name, number in (("stdout", 1), ("stderr", 2)):
        raw = io.FileIO(number, "w", closefd=False)
        now = io.TextIOWrapper(io.BufferedWriter(raw), sys.stdout.encoding, line_buffering=True)
        setattr(sys, name, now)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = list(arguments)
    runpy.run_module(arguments[0], run_name="__main__", alter_sys=True)


def _preload() -> None:
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
