"""The process whose copies are the child processes: ``python -m devices.launcher``, on Linux.

Loading OpenVINO takes much longer than copying a process that has loaded it. A device is opened in the copies alone:
what one of them does to itself reaches no other.

Standard input is the socket at which it is asked for copies; a connection brings the three streams of one copy, and
gets that copy's process id and, once it has ended, its status. The launcher ends when the process that started it
does: then the first argument, a pipe, is closed. The second is the folder of the socket.
"""

from __future__ import annotations

import os
import selectors
import shutil
import signal
import socket
import sys
from contextlib import suppress

from devices import child
from devices.launching import GREETING, NUMBER


def main() -> None:
    """Serve until the suite goes away; in a copy, be the child process."""
    _load()
    lifeline, folder = sys.argv[1:]
    if Launcher(socket.socket(fileno=0), int(lifeline)).serve():
        child.main()
    else:
        # Whoever made the folder of the socket was killed and cannot clear it away.
        shutil.rmtree(folder, ignore_errors=True)


def _load() -> None:
    """Load what every child loads. What fails here fails there again, and is told."""
    # Threads do not survive copying, and nothing here multiplies matrices in NumPy.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with suppress(ImportError):
        child.load_openvino()
    del os.environ["OPENBLAS_NUM_THREADS"]


class Launcher:
    """Copies its process for whoever asks, and tells how each copy ended."""

    def __init__(self, listener: socket.socket, lifeline: int) -> None:
        self._listener, self._lifeline = listener, lifeline
        self._asking: dict[int, socket.socket] = {}
        self._wakes, self._woken = socket.socketpair()
        self._wakes.setblocking(False)
        self._woken.setblocking(False)
        signal.set_wakeup_fd(self._wakes.fileno(), warn_on_full_buffer=False)
        # A handler, however idle: without one the signal wakes nobody.
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def serve(self) -> bool:
        """Serve until the lifeline is cut. True in a copy, which has its streams by then."""
        with selectors.DefaultSelector() as events:
            for source in (self._listener, self._woken, self._lifeline):
                events.register(source, selectors.EVENT_READ)
            while True:
                ready = [key.fileobj for key, _ in events.select()]
                if self._woken in ready:
                    with suppress(BlockingIOError):
                        self._woken.recv(4096)
                    self._bury()
                if self._listener in ready and self._copy():
                    break
                if self._lifeline in ready:
                    return False
        self._let_go()
        return True

    def _copy(self) -> bool:
        """Copy the process for one who asks. True in the copy."""
        connection, _ = self._listener.accept()
        greeting, streams, _, _ = socket.recv_fds(connection, len(GREETING), 3)
        if greeting != GREETING:  # gone before it could ask
            connection.close()
            return False
        copy = os.fork()
        if copy:
            self._asking[copy] = connection
        else:
            connection.close()
            for place, stream in enumerate(streams):
                os.dup2(stream, place)
        for stream in streams:
            os.close(stream)
        if copy:
            with suppress(OSError):
                connection.send(NUMBER.pack(copy))
        return not copy

    def _bury(self) -> None:
        """Tell how copies have ended."""
        while self._asking:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if not ended:
                return
            connection = self._asking.pop(ended)
            with suppress(OSError):  # nobody waits for it any more
                connection.send(NUMBER.pack(os.waitstatus_to_exitcode(status)))
            connection.close()

    def _let_go(self) -> None:
        """In a copy: give up everything that is the launcher's. The listener went when standard input came."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._listener.detach()
        for connection in (*self._asking.values(), self._wakes, self._woken):
            connection.close()
        os.close(self._lifeline)


if __name__ == "__main__":
    main()
