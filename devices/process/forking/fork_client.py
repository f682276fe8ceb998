"""Starts child processes: on Linux as forks of a fork server that has loaded OpenVINO, elsewhere without a fork server.

Processes can share a fork server: the one that started it passes on its ``address``, and others ``adopt`` it.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

from devices.process import interpreter, own_build
from devices.process.forking.fork_protocol import (
    FORK_REQUEST,
    LOADS_OPENVINO,
    NUMBER,
    PYTHON_DEVICE,
)
from devices.process.resources import temporary

# New memory is filled with the inverse of this byte, so that a kernel that does not write part of its output does not
# leave zeros.
_MEMORY_FILL = "165"
_OTHER_FILL = "90"
# Seconds until a fork server that does not answer, because somebody stopped it, is replaced. At its start it loads
# OpenVINO.
_FORK_LIMIT = 120.0

CAN_FORK = sys.platform == "linux"


def child_environment(added: Mapping[str, str]) -> dict[str, str]:
    """The variables that a child process has in addition to those of the suite, and with which it can be repeated."""
    named = {own_build.PLUGINS: os.environ[own_build.PLUGINS]} if own_build.plugins() else {}
    return {"MALLOC_PERTURB_": _MEMORY_FILL, **named, **added}


def other_memories() -> list[dict[str, str]]:
    """The variables of two child processes whose new memory differs in every bit, from each other's as well.

    Of what the C library keeps for a thread it fills nothing, so that it keeps nothing there.
    """
    tunables = filter(None, [os.environ.get("GLIBC_TUNABLES"), "glibc.malloc.tcache_count=0"])
    without_cache = {"GLIBC_TUNABLES": ":".join(tunables)}
    return [{"MALLOC_PERTURB_": fill, **without_cache} for fill in (_OTHER_FILL, _MEMORY_FILL)]


class Process(Protocol):
    """A child process: the part of ``subprocess.Popen`` that is used."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None
    pid: int

    def poll(self) -> int | None:
        """The exit status, or None while the process runs."""

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, negative for a signal. Raises subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """End the process with SIGKILL."""


def start_child(environment: Mapping[str, str], stderr: IO[bytes]) -> Process:
    """A process that runs ``devices.process.child``, with these variables added to the environment.

    What the child and its libraries print goes to the file ``stderr``.
    """
    # A fork server may have been killed, or may have ended with the process that it belonged to: retry with a new one.
    for _ in range(2 if CAN_FORK else 0):
        try:
            limit = interpreter.start_limit(environment, _FORK_LIMIT)
            return _fork_server(environment).fork(stderr, limit)
        except OSError:
            _forget(environment)
    return subprocess.Popen(
        [interpreter.program(environment), "-m", "devices.process.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        env=_environment(environment),
        start_new_session=True,
    )


def kill_group(leader: int) -> None:
    """End the processes that a child has started: it leads a process group, which they are in."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, signal.SIGKILL)


def prepare(environment: Mapping[str, str], devices: Sequence[str] = ()) -> None:
    """Start a fork server for children of these devices, which loads in the background what they need."""
    loaded = [
        name.removeprefix(PYTHON_DEVICE) if name.startswith(PYTHON_DEVICE) else LOADS_OPENVINO
        for name in devices
    ]
    if CAN_FORK:
        with suppress(OSError):  # children are started without a fork server then
            _fork_server(environment, loaded or [LOADS_OPENVINO])


def addresses() -> dict[str, str]:
    """The addresses of the fork servers of this process, for ``adopt``, as plain text."""
    return {key: server.address for key, server in _fork_servers.items()}


def adopt(given: Mapping[str, str]) -> None:
    """Use another process's fork servers as long as they run."""
    _fork_servers.update({key: ForkServerClient(address) for key, address in given.items()})


class ForkServerClient:
    """The client of a process that runs ``devices.process.forking.fork_server``."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._process: subprocess.Popen[bytes] | None = None
        self._lifetime_pipe = -1
        self._folder: temporary.Folder | None = None

    @classmethod
    def start_server(
        cls, environment: Mapping[str, str], loaded: Sequence[str] = (LOADS_OPENVINO,)
    ) -> ForkServerClient:
        """Start a fork server, which ends with this process. It loads OpenVINO, or modules of these names."""
        folder = temporary.Folder("conformance-fork-server-")
        client = cls(str(folder.path / "fork-server"))
        client._folder = folder
        # Bound here, so that clients that connect before the server has loaded everything wait in the queue.
        with socket.socket(socket.AF_UNIX) as listener:
            with _short_path(client.address) as address:
                listener.bind(address)
            listener.listen()
            parent_pipe, client._lifetime_pipe = os.pipe()
            client._process = subprocess.Popen(
                [
                    interpreter.program(environment),
                    "-m",
                    "devices.process.forking.fork_server",
                    str(parent_pipe),
                    str(folder.path),
                    *dict.fromkeys(loaded),
                ],
                stdin=listener.fileno(),
                stdout=subprocess.DEVNULL,
                # Why it cannot start is told by the child process that is started without it.
                stderr=subprocess.DEVNULL,
                env=_environment(environment),
                pass_fds=[parent_pipe],
                # Ctrl-C is for the suite, which then ends its children itself.
                start_new_session=True,
            )
            os.close(parent_pipe)
        atexit.register(client.close)
        return client

    def fork(self, stderr: IO[bytes], limit: float = _FORK_LIMIT) -> ForkedProcess:
        """A child process. Raises OSError when the fork server does not answer within ``limit`` seconds."""
        connection = socket.socket(socket.AF_UNIX)
        try:
            with _short_path(self.address) as address:
                connection.connect(address)
            return ForkedProcess(connection, stderr, limit)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """End the fork server, if this process started it. Its children keep running."""
        if self._process is None:
            return
        atexit.unregister(self.close)
        self._process.kill()
        self._process.wait()
        os.close(self._lifetime_pipe)
        self._process = None
        if self._folder is not None:
            self._folder.remove()


class ForkedProcess:
    """A child process that the fork server started."""

    def __init__(self, connection: socket.socket, stderr: IO[bytes], limit: float) -> None:
        self._connection = connection
        self._status: int | None = None
        child_stdin, stdin = os.pipe()
        stdout, child_stdout = os.pipe()
        self.stdin: IO[bytes] | None = os.fdopen(stdin, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(stdout, "rb")
        try:
            streams = [child_stdin, child_stdout, stderr.fileno()]
            connection.settimeout(limit)
            socket.send_fds(connection, [FORK_REQUEST], streams)
            answer = connection.recv(NUMBER.size)
            if not answer:
                raise ConnectionResetError("the fork server has ended")
        except BaseException:
            self.stdin.close()
            self.stdout.close()
            raise
        finally:
            os.close(child_stdin)
            os.close(child_stdout)
        self.pid: int = NUMBER.unpack(answer)[0]

    def poll(self) -> int | None:
        """The exit status, or None while the process runs."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, negative for a signal. Raises subprocess.TimeoutExpired."""
        if self._status is None:
            self._connection.settimeout(timeout)
            try:
                answer = self._connection.recv(NUMBER.size)
            except (TimeoutError, BlockingIOError):
                raise subprocess.TimeoutExpired("devices.process.child", timeout or 0) from None
            if not answer:
                # The fork server was killed: the exit status is lost, and the child must not keep running.
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)
                answer = NUMBER.pack(-signal.SIGKILL)
            self._status = int(NUMBER.unpack(answer)[0])
            self._connection.close()
        return self._status

    def kill(self) -> None:
        """End the process with SIGKILL."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


_fork_servers: dict[str, ForkServerClient] = {}
_lock = threading.Lock()


def _fork_server(
    environment: Mapping[str, str], loaded: Sequence[str] = (LOADS_OPENVINO,)
) -> ForkServerClient:
    key = _key(environment)
    with _lock:
        if key not in _fork_servers:
            _fork_servers[key] = ForkServerClient.start_server(environment, loaded)
        return _fork_servers[key]


def _forget(environment: Mapping[str, str]) -> None:
    with _lock:
        server = _fork_servers.pop(_key(environment), None)
    if server is not None:
        server.close()


@contextmanager
def _short_path(address: str) -> Iterator[str]:
    """A short path of the socket: the system accepts about a hundred characters, and temporary folders may be deep."""
    folder = os.open(os.path.dirname(address), os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{os.path.basename(address)}"
    finally:
        os.close(folder)


def _key(environment: Mapping[str, str]) -> str:
    return json.dumps(dict(environment), sort_keys=True)


def _environment(added: Mapping[str, str]) -> dict[str, str]:
    # The project is not installed: its packages are found in the checkout, whatever the current folder is.
    root = str(Path(__file__).resolve().parents[3])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **child_environment(added), "PYTHONPATH": path}
