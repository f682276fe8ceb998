"""The device of a child process: it hands models to the compiler's program, and ends as that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import IO, Any, NoReturn

from devices.process.backend import Backend, UnknownDeviceError
from devices.process.messages import one_line
from devices.process.protocol import Compiled, Port, Question, Reply
from devices.targets.npu_compiler import log
from devices.targets.npu_compiler.installation import command
from devices.targets.npu_compiler.platforms import SETTINGS

# What Windows makes the exit status, of which Linux has the lowest byte: an exception's code, or 3 of abort().
_SIGNALS = {
    0x03: signal.SIGABRT,
    0x05: signal.SIGSEGV,  # an access violation
    0x09: signal.SIGABRT,  # __fastfail
    0x1D: signal.SIGILL,
    0x94: signal.SIGFPE,  # a division by zero
    0xFD: signal.SIGSEGV,  # a stack overflow
}
# Seconds for what was printed to arrive.
_LAST_WORDS = 2.0
_POLL = 0.001
# The line behind what was printed about a refusal.
_MARK = "--- refused"


def open_device(
    device: str, settings: dict[str, str], environment: dict[str, str] | None = None
) -> tuple[Backend, dict[str, Any]]:
    """The compiler for the NPU that the settings name, and facts about it. Raises UnknownDeviceError."""
    given = dict(os.environ) if environment is None else environment
    program = CompilerProgram(command(device, {**SETTINGS, **settings}, given), given)
    kind, *words = program.answer()
    while kind == "setting":
        program.doing = f"{words[0]}={words[1]} is set"
        kind, *words = program.answer()
    program.doing = ""
    if kind != "opened":
        raise UnknownDeviceError(f"{device} {settings or ''}: {one_line(words[0])}")
    platform = settings.get("NPU_PLATFORM", "")
    return CompilerDevice(program), {
        "openvino": words[0],
        "available": [],
        "full_name": f"NPU compiler for {platform}, no NPU: models are compiled, and values not checked",
        "settings": {},
        "compile_only": True,
    }


class CompilerProgram:
    """The running program. What it prints is kept until the next question."""

    def __init__(self, words: list[str], environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            words,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self._lines: list[str] = []
        self.doing = ""
        """During what it may end, for the words of its death; empty while it compiles."""
        self._reader = threading.Thread(target=self._read_errors, daemon=True)
        self._reader.start()

    def ask(self, question: Question) -> None:
        """Send a model."""
        self._lines.clear()
        head = f"ask {len(question.xml)} {len(question.weights)}\n"
        stream = _given(self._process.stdin)
        try:
            stream.write(head.encode() + question.xml + question.weights)
            stream.flush()
        except OSError:
            self._end()

    def answer(self) -> list[str]:
        """The words of the next answer. Ends this process, as the program has ended, where there is none."""
        line = _given(self._process.stdout).readline()
        if not line.endswith(b"\n"):
            self._end()
        return line.decode(errors="replace").rstrip("\r\n").replace("\v", "\n").split("\t")

    def printed(self) -> list[str]:
        """What it has printed about the question, which it has refused."""
        end = time.monotonic() + _LAST_WORDS
        while _MARK not in self._lines and time.monotonic() < end:
            time.sleep(_POLL)
        return [line for line in self._lines if line != _MARK]

    def _read_errors(self) -> None:
        for line in _given(self._process.stderr):
            self._lines.append(line.decode(errors="replace").rstrip())

    def _end(self) -> NoReturn:
        """End this process by the signal that says how the program ended, with its last words as the last line."""
        status = self._process.wait()
        self._reader.join(_LAST_WORDS)
        during = f" (while {self.doing})" if self.doing else ""
        print(f"{log.death(self._lines)}{during}", file=sys.stderr, flush=True)
        end = _SIGNALS.get(status) if status >= 0 else signal.Signals(-status)
        if end is not None:
            os.kill(os.getpid(), end)
        os._exit(status or 1)


class CompilerDevice:
    """The compiler as a device."""

    def __init__(self, program: CompilerProgram) -> None:
        self._program = program

    def ask(self, question: Question, stage: Callable[[str], None]) -> Reply:
        """Read, and compile and export twice: a layer in a pack, too, so that packs do not decide of what is seen."""
        reply = Reply()
        compiled = Compiled()
        ports = {
            "model input": compiled.model_inputs,
            "model output": compiled.model_outputs,
            "compiled input": compiled.inputs,
            "compiled output": compiled.outputs,
        }
        self._program.ask(question)
        while True:
            kind, *words = self._program.answer()
            if kind == "stage":
                stage(words[0])
            elif kind == "port":
                ports[f"{words[0]} {words[1]}"].append(Port(*words[2:5]))
            elif kind == "blob":
                compiled.blobs.append(" ".join(words))
            elif kind == "refused":
                reply.stage = words[0] if words[0] == "read" else "compile"
                reply.error = log.refusal(_of_compiler(words), self._program.printed())
            elif kind == "done":
                reply.seconds = {name: float(s) for name, _, s in (w.partition("=") for w in words)}
                break
        if not reply.refused:
            reply.inferred = [(port.element_type, port.shape) for port in compiled.model_outputs]
            reply.compiled = compiled
        return reply


def _of_compiler(words: list[str]) -> str:
    message = one_line(words[1])
    return f"export: {message}" if words[0] == "export" else message


def _given(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
