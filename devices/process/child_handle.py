"""The handle of a child process: starts it, asks it with a time limit, and ends it."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from typing import Any, BinaryIO, NoReturn, cast

from devices.process import interpreter, protocol
from devices.process.forking import fork_client
from devices.process.protocol import ProtocolError, Question, Reply
from devices.process.reply_check import check_reply, shortened_facts
from devices.process.resources import limits, memory
from devices.process.resources.process_time_limit import TimeLimit

# Seconds.
_OPEN_LIMIT = 120.0
_KILL_LIMIT = 10.0
# How often a wait for a message looks whether the child still runs: another process may hold its output open.
_POLL = 0.5
_FIRST_POLL = 0.1
# Bytes of what it printed last that are looked at.
_LAST_BYTES = 2**18
# For the exit status of a child that has closed its output: on a busy machine it comes late.
_END_LIMIT = 5.0

# Signals that a process gets for what it does itself. Others come from outside: from a user, or for lack of memory.
_OWN_SIGNALS = ("SIGSEGV", "SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGTRAP", "SIGSYS")


MALFORMED = "malformed answer"
"""The status of a child process that was ended because it had sent what is no answer."""


class ChildDiedError(Exception):
    """The child process ended unexpectedly: its signal or exit status, the stage, its last line of output.

    A child that sends a malformed answer is ended, and counts as one that died by itself. The same code sends all other
    answers, and nothing but the device's library runs beside it in this process: the library has written to the pipe of
    the answers, or has damaged the memory. ``last_line`` says what is malformed then.
    ``seconds`` is how long it was asked.
    """

    seconds = 0.0

    def __init__(self, status: str, stage: str, last_line: str) -> None:
        self.status, self.stage, self.last_line = status, stage, last_line
        super().__init__(f"{status} in {stage}" + (f": {last_line}" if last_line else ""))

    @property
    def is_killed(self) -> bool:
        """Whether it was killed from outside."""
        return self.status.startswith("SIG") and self.status not in _OWN_SIGNALS


class ChildHungError(Exception):
    """The child process did not answer within the time limit. ``limit`` is in seconds, as is how long it was asked.

    ``is_believed``: it is not asked again, since a hang of its kind was confirmed.
    """

    seconds = 0.0
    is_believed = False

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

    With ``is_known`` it opens without computing anything, and tells less.

    Raises NoDeviceError, ChildDiedError or ChildHungError when the device does not open.
    """

    def __init__(
        self,
        device: str,
        settings: dict[str, str],
        environment: dict[str, str],
        is_known: bool = False,
    ) -> None:
        self.questions = 0
        self._stage = "open"
        # Of an answer both the message and what it holds are in memory.
        most = limits.most() or memory.total()
        self._longest = protocol.LONGEST if most is None else most // 2
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - closed in close()
        self._process = fork_client.start_child(environment, self._stderr)
        # Threads write and read, because both may wait for as long as the child, or a process that it has started,
        # likes. Each closes its stream itself: a stream that another thread is using cannot be closed.
        self._outbox: queue.SimpleQueue[list[bytes | memoryview] | None] = queue.SimpleQueue()
        self._inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._send_all, daemon=True).start()
        self._reader = threading.Thread(target=self._receive_all, daemon=True)
        self._reader.start()
        self._send(("open", (device, settings, is_known, limits.most())))
        kind, content = self._next_message(interpreter.start_limit(environment, _OPEN_LIMIT))
        if kind != "opened":
            self.kill()
            raise NoDeviceError(shortened_facts(content), absent=kind == "absent")
        self.facts: dict[str, Any] = shortened_facts(content)

    def ask(self, question: Question, limit: float) -> Reply:
        """The device's reply. ``limit`` is in seconds, for each stage.

        Raises ChildDiedError, ChildHungError, and MemoryError for an answer that this process cannot hold; the child
        has ended then.
        """
        self.questions += 1
        self._stage = "send"
        self._send(("ask", question))
        while True:
            kind, content = self._next_message(limit)
            if kind == "reply":
                try:
                    return check_reply(question, content)
                except ProtocolError as error:
                    raise self._malformed(str(error)) from None
            self._stage = str(content)

    def request_exit(self) -> None:
        """Tell the child to end, without waiting for it."""
        self._stage = "release"
        self._send(("quit", None))
        self._outbox.put(None)

    def close(self, limit: float = 10.0) -> None:
        """End the child. ``limit`` is in seconds.

        Raises ChildDiedError or ChildHungError when it does not end cleanly: earlier cases damaged its memory.
        """
        self.request_exit()
        try:
            status = self._wait_for_end(limit)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ChildHungError("release", limit) from None
        if status != 0:
            self._raise_died(status)
        self._release()

    def _wait_for_end(self, limit: float) -> int:
        """The exit status. Raises subprocess.TimeoutExpired."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(min(limit / 2, _FIRST_POLL))
        left = TimeLimit(self._process.pid, limit)
        while True:
            before = time.monotonic()
            try:
                return self._process.wait(min(left.left, _POLL))
            except subprocess.TimeoutExpired:
                left.spend(time.monotonic() - before)
                if left.is_over:
                    raise

    def kill(self) -> None:
        """End the child with SIGKILL."""
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):  # it waits for a driver that does not return
            self._process.wait(_KILL_LIMIT)
        self._release()

    def _release(self) -> None:
        """Let go of a child that has ended, and end the processes that it started and that still hold its streams."""
        self._outbox.put(None)
        self._reader.join(0.2)
        if self._reader.is_alive():
            fork_client.kill_group(self._process.pid)
        self._stderr.close()

    def _send(self, message: tuple[str, Any]) -> None:
        self._outbox.put(protocol.encoded(message))

    def _send_all(self) -> None:
        stream = cast(BinaryIO, self._process.stdin)
        # When the child has died meanwhile, receiving its answer fails.
        with suppress(OSError), stream:
            while (parts := self._outbox.get()) is not None:
                protocol.write(stream, parts)

    def _receive_all(self) -> None:
        stream = cast(BinaryIO, self._process.stdout)
        with stream:
            try:
                while True:
                    self._inbox.put(protocol.receive(stream, self._longest))
            except (EOFError, OSError):
                self._inbox.put(None)
            except (ProtocolError, MemoryError) as error:
                self._inbox.put(error)

    def _next_message(self, limit: float) -> tuple[str, Any]:
        message = self._wait_for_message(limit)
        if message is None:
            try:
                self._raise_died(self._wait_for_end(_END_LIMIT))
            except subprocess.TimeoutExpired:
                message = ProtocolError("it closed the pipe, and runs on")
        if isinstance(message, tuple) and message[0] in protocol.ANSWERS:
            return message
        if isinstance(message, MemoryError):
            self.kill()
            raise MemoryError(str(message))
        is_error = isinstance(message, ProtocolError)
        raise self._malformed(str(message) if is_error else f"a message of the kind {message[0]!r}")

    def _wait_for_message(self, limit: float) -> Any:
        """The next message; None when the child has ended. Raises ChildHungError."""
        # Most answers come at once, and what they take need not be known.
        with suppress(queue.Empty):
            return self._inbox.get(timeout=min(limit / 2, _FIRST_POLL))
        left, has_ended = TimeLimit(self._process.pid, limit), False
        while not left.is_over or has_ended:
            before = time.monotonic()
            with suppress(queue.Empty):
                return self._inbox.get(timeout=min(max(left.left, 0), _POLL))
            if has_ended:
                return None
            # Where this process was stopped itself, the child may have answered long since.
            left.spend(time.monotonic() - before)
            # What it wrote before it ended may still be on its way.
            has_ended = self._process.poll() is not None
        self.kill()
        raise ChildHungError(self._stage, limit)

    def _malformed(self, what: str) -> ChildDiedError:
        """End the child, and return the error that says so."""
        self.kill()
        return ChildDiedError(MALFORMED, self._stage, what)

    def _raise_died(self, status: int) -> NoReturn:
        last_line = self._last_line()
        self._release()
        raise ChildDiedError(_status_text(status), self._stage, last_line)

    def _last_line(self) -> str:
        """The last line that the child or its libraries printed, before Python's own dump of a crash."""
        size = self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(size - _LAST_BYTES, 0))
        # The C library's heap check (docs/gate.md) ends its message without a new line.
        text, _, _ = self._stderr.read().decode(errors="replace").partition("Fatal Python error")
        printed = [line.strip() for line in text.splitlines() if line.strip()]
        return printed[-1][:300] if printed else ""


def _status_text(status: int) -> str:
    if status < 0:
        with suppress(ValueError):
            return signal.Signals(-status).name
    return f"exit status {status}"
