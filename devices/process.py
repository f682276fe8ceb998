"""The child process from the outside: started, asked with a time limit, replaced when it dies or hangs."""

from __future__ import annotations

import queue
import signal
import subprocess
import tempfile
import threading
from contextlib import suppress
from typing import Any

from devices import launching, protocol
from devices.protocol import Question, Reply

_START_LIMIT = 120.0


class ChildDiedError(Exception):
    """The child process died: of which signal or exit status, in which stage, its last words."""

    def __init__(self, status: str, stage: str, words: str) -> None:
        self.status, self.stage, self.words = status, stage, words
        super().__init__(f"{status} in {stage}" + (f": {words}" if words else ""))


class ChildHungError(Exception):
    """The child process did not get on within the time limit."""

    def __init__(self, stage: str, limit: float) -> None:
        self.stage = stage
        super().__init__(f"no answer in {stage} within {limit:g} s")


class NoDeviceError(Exception):
    """The device cannot be opened. ``absent``: it is known, but not on this machine."""

    def __init__(self, message: str, absent: bool) -> None:
        self.absent = absent
        super().__init__(message)


class Child:
    """One child process with its device open. ``facts`` is what the device says of itself.

    Raises NoDeviceError, ChildDiedError or ChildHungError when the device does not open.
    """

    def __init__(self, device: str, settings: dict[str, str], environment: dict[str, str]) -> None:
        self.questions = 0
        self._stage = "open"
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._process = launching.start_child(environment, self._words)
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        self._send(("open", (device, settings)))
        kind, content = self._next(_START_LIMIT)
        if kind != "opened":
            self.kill()
            raise NoDeviceError(content, absent=kind == "absent")
        self.facts: dict[str, Any] = content

    def ask(self, question: Question, limit: float) -> Reply:
        """The device's reply. ``limit`` is in seconds, for each stage.

        Raises ChildDiedError and ChildHungError; the child is gone then.
        """
        self.questions += 1
        self._send(("ask", question))
        while True:
            kind, content = self._next(limit)
            if kind == "reply":
                return content
            self._stage = content

    def dismiss(self) -> None:
        """Tell the child to end, without waiting for it."""
        self._stage = "release"
        with suppress(OSError, ValueError):  # gone, or told before
            protocol.send(self._stdin, ("quit", None))
        with suppress(OSError):
            self._stdin.close()

    def close(self, limit: float = 10.0) -> None:
        """End the child.

        Raises ChildDiedError or ChildHungError when that goes wrong: a sign of memory that was damaged before.
        """
        self.dismiss()
        try:
            status = self._process.wait(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ChildHungError("release", limit) from None
        words = self._last_words()
        self._release()
        if status != 0:
            raise ChildDiedError(_status(status), "release", words)

    def kill(self) -> None:
        """End the child at once."""
        self._process.kill()
        self._process.wait()
        self._release()

    def _release(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._words):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    @property
    def _stdin(self) -> Any:
        return self._process.stdin

    def _send(self, message: Any) -> None:
        # A child that died meanwhile shows when its answer is awaited.
        with suppress(OSError):
            protocol.send(self._stdin, message)

    def _listen(self) -> None:
        try:
            while True:
                self._messages.put(protocol.receive(self._process.stdout))  # type: ignore[arg-type]
        except (EOFError, OSError, ValueError):
            self._messages.put(None)

    def _next(self, limit: float) -> tuple[str, Any]:
        try:
            message = self._messages.get(timeout=limit)
        except queue.Empty:
            self.kill()
            raise ChildHungError(self._stage, limit) from None
        if message is None:
            status = self._process.wait()
            words = self._last_words()
            self._release()
            raise ChildDiedError(_status(status), self._stage, words)
        return message

    def _last_words(self) -> str:
        """The last line that the child or its libraries wrote, Python's own dump of a crash apart."""
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").splitlines()
        dump = next(
            (i for i, line in enumerate(lines) if line.startswith("Fatal Python error")), len(lines)
        )
        told = [line.strip() for line in lines[:dump] if line.strip()]
        return told[-1][:300] if told else ""


def _status(code: int) -> str:
    if code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit status {code}"
