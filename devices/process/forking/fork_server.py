"""The fork server: ``python -m devices.process.forking.fork_server``, on Linux. Child processes are its forks.

Loading OpenVINO takes much longer than forking a process that has loaded it. Devices are opened in the forks only, so
that what happens to one of them does not affect the others.

Standard input is the listening socket. A client connects, sends the three standard streams of its child process, and
receives the child's process id and, when the child has ended, its exit status. The first argument is the read end of a
pipe: the server ends when the write end is closed, which happens when the process that started it ends. The second
argument is the folder of the socket, the others say what children need: OpenVINO, or modules of these names.
"""

from __future__ import annotations

import gc
import os
import selectors
import shutil
import signal
import socket
import sys
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module

from devices.process import child
from devices.process.forking.fork_protocol import FORK_REQUEST, LOADS_OPENVINO, NUMBER
from devices.process.resources import limits


def main() -> None:
    """Serve until the process that started the server ends; in a fork, run the child process."""
    parent_pipe, folder, *loaded = sys.argv[1:]
    _preload(loaded)
    if ForkServer(socket.socket(fileno=0), int(parent_pipe)).serve():
        child.main()
    else:
        # The process that made the folder of the socket was killed and cannot remove it.
        shutil.rmtree(folder, ignore_errors=True)


def _preload(loaded: Sequence[str]) -> None:
    """Load what every child needs. An import that fails here fails in the child again and is reported there."""
    # Threads do not survive a fork, and nothing here multiplies matrices in NumPy.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    for name in loaded:
        with suppress(ImportError):
            if name == LOADS_OPENVINO:
                child.load_openvino()
            else:
                import_module(name)
    del os.environ["OPENBLAS_NUM_THREADS"]
    # Garbage collection in a child, its last one above all, would copy the pages of all that was loaded here.
    gc.freeze()


class ForkServer:
    """Forks its process for each client, and reports how each child ended."""

    def __init__(self, listener: socket.socket, parent_pipe: int) -> None:
        self._listener, self._parent_pipe = listener, parent_pipe
        self._clients: dict[int, socket.socket] = {}
        self._signal_writer, self._signal_reader = socket.socketpair()
        self._signal_writer.setblocking(False)
        self._signal_reader.setblocking(False)
        signal.set_wakeup_fd(self._signal_writer.fileno(), warn_on_full_buffer=False)
        # Without a handler, even an empty one, the signal does not write to the wakeup descriptor.
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> bool:
        """Serve until the pipe of the parent is closed. Returns True in a fork, whose streams are set by then."""
        with selectors.DefaultSelector() as selector:
            for source in (self._listener, self._signal_reader, self._parent_pipe):
                selector.register(source, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in selector.select()]
                if self._signal_reader in ready:
                    with suppress(BlockingIOError):
                        self._signal_reader.recv(4096)
                    self._reap()
                if self._listener in ready and self._fork():
                    break
                if self._parent_pipe in ready:
                    return False
        self._close_server_resources()
        return True

    def _fork(self) -> bool:
        """Fork the process for one client. Returns True in the fork."""
        connection, _ = self._listener.accept()
        request, streams, _, _ = socket.recv_fds(connection, len(FORK_REQUEST), 3)
        if request != FORK_REQUEST:  # the client ended before it sent its request
            connection.close()
            return False
        server = os.getpid()
        pid = os.fork()
        if pid:
            self._clients[pid] = connection
        else:
            connection.close()
            limits.end_with(server)
            # The processes that it starts can be ended with it.
            os.setsid()
            for number, stream in enumerate(streams):
                os.dup2(stream, number)
        for stream in streams:
            os.close(stream)
        if pid:
            with suppress(OSError):
                connection.send(NUMBER.pack(pid))
        return not pid

    def _reap(self) -> None:
        """Wait for the children that have ended, and send their exit statuses to their clients."""
        while self._clients:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if not pid:
                return
            connection = self._clients.pop(pid)
            with suppress(OSError):  # the client no longer waits
                connection.send(NUMBER.pack(os.waitstatus_to_exitcode(status)))
            connection.close()

    def _close_server_resources(self) -> None:
        """In a fork: close what belongs to the server. The listener was replaced by the child's standard input."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._listener.detach()
        for connection in (*self._clients.values(), self._signal_writer, self._signal_reader):
            connection.close()
        os.close(self._parent_pipe)


if __name__ == "__main__":
    main()
