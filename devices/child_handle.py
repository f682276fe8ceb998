"""The handle of a child process: starts it, asks it with a time limit, and ends it."""

from __future__ import annotations

import queue
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from typing import Any, NoReturn

from devices import fork_client, protocol
from devices.protocol import Question, Reply

_OPEN_LIMIT = 120.0  # seconds


class ChildDiedError(Exception):
    """The child process ended unexpectedly: its signal or exit status, the stage, its last line of output."""

    def __init__(self, status: str, stage: str, last_line: str) -> None:
        self.status, self.stage, self.last_line = status, stage, last_line
        super().__init__(f"{status} in {stage}" + (f": {last_line}" if last_line else ""))


class ChildHungError(Exception):
    """The child process did not answer within the time limit. ``limit`` is in seconds."""

    def __init__(self, stage: str, limit: float) -> None:
        self.stage = stage
        super().__init__(f"no answer in {stage} within {limit:g} s")


class NoDeviceError(Exception):
    """The device cannot be opened. ``absent``: it is known, but not on this machine."""

    def __init__(self, message: str, absent: bool) -> None:
        self.absent = absent
        super().__init__(message)


class Child:
    """One child process with its device open. ``facts`` is what the device reports about itself.

    Raises NoDeviceError, ChildDiedError or ChildHungError when the device does not open.
    """

    def __init__(self, device: str, settings: dict[str, str], environment: dict[str, str]) -> None:
        self.questions = 0
        self._stage = "open"
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._process = fork_client.start_child(environment, self._stderr)
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._receive_all, daemon=True).start()
        self._send(("open", (device, settings)))
        kind, content = self._next_message(_OPEN_LIMIT)
        if kind != "opened":
            self.kill()
            raise NoDeviceError(content, absent=kind == "absent")
        self.facts: dict[str, Any] = content

    def ask(self, question: Question, limit: float) -> Reply:
        """The device's reply. ``limit`` is in seconds, for each stage.

        Raises ChildDiedError and ChildHungError; the child has ended then.
        """
        self.questions += 1
        self._send(("ask", question))
        while True:
            kind, content = self._next_message(limit)
            if kind == "reply":
                assert isinstance(content, Reply)
                return content
            self._stage = content

    def request_exit(self) -> None:
        """Tell the child to end, without waiting for it."""
        self._stage = "release"
        with suppress(OSError, ValueError):  # it has ended, or was told before
            protocol.send(self._stdin, ("quit", None))
        with suppress(OSError):
            self._stdin.close()

    def close(self, limit: float = 10.0) -> None:
        """End the child. ``limit`` is in seconds.

        Raises ChildDiedError or ChildHungError when it does not end cleanly: earlier cases damaged its memory.
        """
        self.request_exit()
        try:
            status = self._process.wait(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ChildHungError("release", limit) from None
        if status != 0:
            self._raise_died(status)
        self._close_streams()

    def kill(self) -> None:
        """End the child with SIGKILL."""
        self._process.kill()
        self._process.wait()
        self._close_streams()

    def _close_streams(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._stderr):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    @property
    def _stdin(self) -> Any:
        return self._process.stdin

    def _send(self, message: Any) -> None:
        # When the child has died meanwhile, receiving its answer fails.
        with suppress(OSError):
            protocol.send(self._stdin, message)

    def _receive_all(self) -> None:
        try:
            while True:
                self._messages.put(protocol.receive(self._process.stdout))  # type: ignore[arg-type]
        except (EOFError, OSError, ValueError):
            self._messages.put(None)

    def _next_message(self, limit: float) -> tuple[str, Any]:
        try:
            message: tuple[str, Any] | None = self._messages.get(timeout=limit)
        except queue.Empty:
            self.kill()
            raise ChildHungError(self._stage, limit) from None
        if message is None:
            self._raise_died(self._process.wait())
        return message

    def _raise_died(self, status: int) -> NoReturn:
        last_line = self._last_line()
        self._close_streams()
        raise ChildDiedError(_status_text(status), self._stage, last_line)

    def _last_line(self) -> str:
        """The last line that the child or its libraries printed, before Python's own dump of a crash."""
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").splitlines()
        dump = next(
            (i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), len(lines)
        )
        printed = [line.strip() for line in lines[:dump] if line.strip()]
        return printed[-1][:300] if printed else ""


def _status_text(status: int) -> str:
    if status < 0:
        with suppress(ValueError):
            return signal.Signals(-status).name
    return f"exit status {status}"
