"""Starts child processes: on Linux as copies of a process that has loaded OpenVINO already, elsewhere from the ground.

A launcher can be shared: the process that started it hands on its ``address``, and others ``adopt`` it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Protocol

# Fresh memory is filled with this byte, so that a kernel that forgets part of its output does not leave zeros there.
_FILL = "165"
# What the launcher and those who ask it say to each other, beside the streams of the child.
GREETING = b"a child, please"
NUMBER = struct.Struct("<q")

CAN_COPY = sys.platform == "linux"


def child_environment(added: Mapping[str, str]) -> dict[str, str]:
    """The variables that a child process has beside those of the suite, and with which it can be repeated."""
    return {"MALLOC_PERTURB_": _FILL, **added}


class Process(Protocol):
    """A child process: the part of ``subprocess.Popen`` that is needed."""

    stdin: IO[bytes] | None
    stdout: IO[bytes] | None

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, negative for a signal. Raises subprocess.TimeoutExpired."""

    def kill(self) -> None:
        """End it at once."""


def start_child(environment: Mapping[str, str], words: IO[bytes]) -> Process:
    """A process that runs ``devices.child``, with these variables added to the environment.

    What it and its libraries print goes to ``words``.
    """
    # A launcher may have been killed, or have gone with the process that it belonged to: then a new one is tried.
    for _ in range(2 if CAN_COPY else 0):
        try:
            return _launcher(environment).start(words)
        except OSError:
            _forget(environment)
    return subprocess.Popen(
        [sys.executable, "-m", "devices.child"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=words,
        env=_environment(environment),
        start_new_session=True,
    )


def prepare(environment: Mapping[str, str]) -> None:
    """Start loading OpenVINO, in the background, for children to come."""
    if CAN_COPY:
        with suppress(OSError):  # children are started from the ground then
            _launcher(environment)


def addresses() -> dict[str, str]:
    """Where the launchers of this process are, for ``adopt``: plain text that can be sent."""
    return {key: launcher.address for key, launcher in _launchers.items()}


def adopt(given: Mapping[str, str]) -> None:
    """Use another process's launchers as long as they are there."""
    _launchers.update({key: Launcher(address) for key, address in given.items()})


class Launcher:
    """The process ``devices.launcher``, from the outside."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._process: subprocess.Popen[bytes] | None = None
        self._lifeline = -1

    @classmethod
    def started(cls, environment: Mapping[str, str]) -> Launcher:
        """A launcher of its own; it goes with this process."""
        folder = tempfile.mkdtemp(prefix="devices-")
        made = cls(str(Path(folder, "launcher")))
        # Bound here, so that whoever asks before it has loaded everything waits in line.
        with socket.socket(socket.AF_UNIX) as listener:
            with _short(made.address) as address:
                listener.bind(address)
            listener.listen()
            lifeline, made._lifeline = os.pipe()
            made._process = subprocess.Popen(
                [sys.executable, "-m", "devices.launcher", str(lifeline), folder],
                stdin=listener.fileno(),
                stdout=subprocess.DEVNULL,
                env=_environment(environment),
                pass_fds=[lifeline],
                # Ctrl-C is for the suite, which then ends its children itself.
                start_new_session=True,
            )
            os.close(lifeline)
        atexit.register(made.close)
        return made

    def start(self, words: IO[bytes]) -> Copy:
        """A child process. Raises OSError when the launcher is not there any more."""
        connection = socket.socket(socket.AF_UNIX)
        try:
            with _short(self.address) as address:
                connection.connect(address)
            return Copy(connection, words)
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        """End the launcher, if it is this process's own. Its children do not end with it."""
        if self._process is None:
            return
        atexit.unregister(self.close)
        self._process.kill()
        self._process.wait()
        os.close(self._lifeline)
        self._process = None
        shutil.rmtree(Path(self.address).parent, ignore_errors=True)


class Copy:
    """A child process that the launcher started."""

    def __init__(self, connection: socket.socket, words: IO[bytes]) -> None:
        self._connection = connection
        self._status: int | None = None
        its_stdin, stdin = os.pipe()
        stdout, its_stdout = os.pipe()
        self.stdin: IO[bytes] | None = os.fdopen(stdin, "wb")
        self.stdout: IO[bytes] | None = os.fdopen(stdout, "rb")
        try:
            streams = [its_stdin, its_stdout, words.fileno()]
            socket.send_fds(connection, [GREETING], streams)
            number = connection.recv(NUMBER.size)
            if not number:
                raise ConnectionResetError("the launcher went away")
        except BaseException:
            self.stdin.close()
            self.stdout.close()
            raise
        finally:
            os.close(its_stdin)
            os.close(its_stdout)
        self.pid: int = NUMBER.unpack(number)[0]

    def wait(self, timeout: float | None = None) -> int:
        """The exit status, negative for a signal. Raises subprocess.TimeoutExpired."""
        if self._status is None:
            self._connection.settimeout(timeout)
            try:
                told = self._connection.recv(NUMBER.size)
            except TimeoutError:
                raise subprocess.TimeoutExpired("devices.child", timeout or 0) from None
            if not told:
                # The launcher was killed: nobody knows any more, and nothing may stay behind.
                with suppress(ProcessLookupError):
                    os.kill(self.pid, signal.SIGKILL)
                told = NUMBER.pack(-signal.SIGKILL)
            self._status = NUMBER.unpack(told)[0]
            self._connection.close()
        return self._status

    def kill(self) -> None:
        """End it at once."""
        if self._status is None:
            with suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)


_launchers: dict[str, Launcher] = {}
_lock = threading.Lock()


def _launcher(environment: Mapping[str, str]) -> Launcher:
    key = _key(environment)
    with _lock:
        if key not in _launchers:
            _launchers[key] = Launcher.started(environment)
        return _launchers[key]


def _forget(environment: Mapping[str, str]) -> None:
    with _lock:
        launcher = _launchers.pop(_key(environment), None)
    if launcher is not None:
        launcher.close()


@contextmanager
def _short(address: str) -> Iterator[str]:
    """The address in few characters: the system takes about a hundred, and a user's folders may be deep."""
    folder = os.open(os.path.dirname(address), os.O_RDONLY)
    try:
        yield f"/proc/self/fd/{folder}/{os.path.basename(address)}"
    finally:
        os.close(folder)


def _key(environment: Mapping[str, str]) -> str:
    return json.dumps(dict(environment), sort_keys=True)


def _environment(added: Mapping[str, str]) -> dict[str, str]:
    root = str(Path(__file__).resolve().parent.parent)
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH", "")]))
    return {**os.environ, **child_environment(added), "PYTHONPATH": path}
