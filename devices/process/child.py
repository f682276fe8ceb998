"""The child process that owns a device: ``python -m devices.process.child``.

It reads commands from standard input and writes answers to what was standard output, as ``devices.process.protocol``
defines them. What libraries print goes to standard error. The child reports each stage before it begins, so that the
suite knows in which stage the child died, and that it is alive.
"""

from __future__ import annotations

import atexit
import ctypes
import faulthandler
import importlib
import os
import platform
import signal
import sys
import threading
from contextlib import suppress
from queue import SimpleQueue
from types import ModuleType
from typing import Any

from devices.process import own_build, protocol
from devices.process.backend import Backend, DeviceAbsentError, UnknownDeviceError
from devices.process.forking.fork_protocol import PYTHON_DEVICE
from devices.process.resources import limits, memory
from devices.targets.npu_compiler import installation


def open_device(
    device: str, settings: dict[str, str], is_known: bool = False
) -> tuple[Backend, dict[str, Any]]:
    """The device and facts about it. ``PYTHON:module`` uses a module's ``open_device`` in place of OpenVINO.

    An NPU that is not there is replaced by its compiler, where the environment has it. With ``is_known`` facts are
    missing that would take a model to find out.
    """
    if device.startswith(PYTHON_DEVICE):
        opened = importlib.import_module(device[len(PYTHON_DEVICE) :]).open_device(settings)
    elif device == "NPU" and installation.COMPILE_ONLY in os.environ:
        opened = _open_npu(settings, is_known)
    else:
        opened = load_openvino().open_device(device, settings, is_known)
    backend, facts = opened
    return backend, {**facts, "machine": platform.machine()}


def _open_npu(settings: dict[str, str], is_known: bool) -> tuple[Backend, dict[str, Any]]:
    """The NPU if there is one, else its compiler."""
    with suppress(ImportError, DeviceAbsentError):
        opened: tuple[Backend, dict[str, Any]]
        opened = load_openvino().open_device("NPU", settings, is_known)
        return opened
    from devices.targets.npu_compiler.backend import open_device as open_compiler

    return open_compiler("NPU", settings)


def load_openvino() -> ModuleType:
    """The module of OpenVINO's devices. Raises ImportError."""
    # OpenVINO's telemetry sends a message at import from a thread that forks this process. When such a fork hangs, it
    # outlives the suite.
    sys.modules["openvino_telemetry"] = None  # type: ignore[assignment]
    own_build.load()
    from devices.runtime import device as openvino_device

    return openvino_device


def main() -> None:
    """Serve until the suite sends ``quit`` or ends."""
    limits.forbid_core_dumps()
    faulthandler.enable(all_threads=False)
    commands: SimpleQueue[tuple[str, Any]] = SimpleQueue()
    threading.Thread(target=_receive_all, args=(os.dup(0), commands), daemon=True).start()
    answers = os.fdopen(os.dup(1), "wb")
    # Neither libraries nor the processes that they start can read commands or write answers.
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    backend: Backend | None = None
    while True:
        command, payload = commands.get()
        if command == "quit":
            del backend
            _end()
            return
        if command == "open":
            *opened, most = payload
            limits.be_ended_first()
            _limit_memory(opened[0], most)
            try:
                backend, facts = open_device(*opened)
                protocol.send(answers, ("opened", facts))
            except DeviceAbsentError as error:
                protocol.send(answers, ("absent", str(error)))
            except (UnknownDeviceError, ImportError) as error:
                protocol.send(answers, ("unknown", str(error)))
        elif command == "ask":
            assert backend is not None
            try:
                reply = backend.ask(payload, lambda name: protocol.send(answers, ("stage", name)))
                protocol.send(answers, ("reply", reply))
            except MemoryError as error:  # in the way of the answer: the device has given it
                message = str(error) or "this process has no memory left"
                protocol.send(answers, ("reply", protocol.Reply(stage="fetch", error=message)))


def _limit_memory(device: str, most: int | None) -> None:
    """Let this process allocate ``most`` bytes, or all that there are; any number for the drivers of hardware.

    These reserve more than they use. OpenCL on the processor takes what kernels need.
    """
    is_gpu = "GPU" in device and "OPENCL_LAYERS" not in os.environ
    if is_gpu or "NPU" in device:
        limits.take_any()
    else:
        limits.take_no_more_than(most or memory.total())


def _end() -> None:
    """End as C programs do: libraries end what they began, and Python's own objects are left as they are.

    In a fork these are shared with the server: to take them apart would copy every page, and take longer than all else.
    """
    if sys.platform == "linux":
        atexit._run_exitfuncs()
        # It keeps the lock of the interpreter: a library's last functions may use Python's objects.
        ctypes.PyDLL(None).exit(0)


def _receive_all(source: int, commands: SimpleQueue[tuple[str, Any]]) -> None:
    """Put the suite's commands into the queue, up to ``quit``.

    When the suite ends without ``quit``, this process ends at once, whatever the main thread is doing, and with it the
    processes that it has started.
    """
    command = ""
    with os.fdopen(source, "rb") as stream:
        while command != "quit":
            try:
                command, payload = protocol.receive(stream)
            except EOFError:
                if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
                    os.killpg(0, signal.SIGKILL)
                os._exit(0)
            commands.put((command, payload))


if __name__ == "__main__":
    main()
