"""A session with a device: asks one child process at a time, and replaces it when it died, hung or may be damaged."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property

from devices.process.child_handle import Child, ChildDiedError, ChildHungError, NoDeviceError
from devices.process.forking.fork_client import other_memories
from devices.process.opening import NotOpenedError, open_child
from devices.process.protocol import Question, Reply
from devices.targets.profiles import Profile, ProfileError

# A second of the time limit of each stage is for so many bytes of a question.
_BYTES_PER_SECOND = 2**25


class TimeOverError(BaseException):
    """The time is over until which a device is asked.

    It ends all that is being done, as KeyboardInterrupt does: no error of a case.
    """


class Session:
    """One device with one profile. ``case_timeout`` is in seconds, for each stage of a model of one case.

    ``variables`` are added to the environment that the profile means.

    A child process is started when it is needed. ``end`` is the time, by ``time.monotonic``, after which no question is
    begun; ``questions`` counts those that were.
    """

    def __init__(
        self,
        device: str,
        profile: Profile,
        case_timeout: float,
        variables: Mapping[str, str] | None = None,
    ) -> None:
        self.device, self.profile, self.case_timeout = device, profile, case_timeout
        self._variables = {**(variables or {})}
        self.end = float("inf")
        self.questions = 0
        # The precision that the device says it computes in, or "".
        self.inference_precision = ""
        # Of OpenVINO, as the child says, or "".
        self.release = ""
        self._child: Child | None = None
        self._failure: NotOpenedError | None = None
        self._has_failed = False
        # Whether the device has told all about itself, and need not compute again to show that it is well.
        self._is_known = False

    def begin(self) -> None:
        """Begin a pack: a device that did not open may be opened again."""
        self._failure = None

    def open_for_values(self) -> Child:
        """The child process of a device that computes. Raises NotOpenedError, for one that only compiles as well."""
        child = self.open()
        if child.facts.get("compile_only"):
            raise NotOpenedError(
                f"{self.device} ({self.profile.name}) only compiles here: models and graphs are judged by values"
            )
        return child

    def open(self) -> Child:
        """The child process, started if there is none.

        Raises NotOpenedError, and from then on does so at once until ``begin``.
        """
        if self._failure is not None:
            raise self._failure
        if self._child is None:
            try:
                self._child = self._opened()
            except NoDeviceError as error:
                self._failure = NotOpenedError(str(error), error.absent)
            except (ChildDiedError, ChildHungError, ProfileError, OSError) as error:
                self._failure = NotOpenedError(str(error))
            if self._failure is not None:
                self._has_failed = True
                raise self._failure
            assert self._child is not None
            self._has_failed = False
        return self._child

    def _opened(self) -> Child:
        settings = self.profile.for_device(self.device)
        # Of a device that opened for no attempt the last time, many attempts for each pack would only take time.
        child = open_child(
            self.device,
            settings,
            {**self.profile.environment, **self._variables},
            retry=not self._has_failed,
            is_known=self._is_known,
        )
        if self._is_known:
            return child
        try:
            self.profile.check(child.facts.get("kernels", {}))
        except BaseException:
            child.kill()
            raise
        self.release = child.facts.get("openvino", "")
        actual_settings = child.facts.get("settings", {})
        self.inference_precision = actual_settings.get("INFERENCE_PRECISION_HINT", "")
        # What died in software leaves nothing behind that the next child process could find broken.
        self._is_known = self.profile.is_software(self.device)
        return child

    @cached_property
    def in_other_memories(self) -> list[Session]:
        """Sessions with the same device in processes whose new memory holds something else. They end with this one."""
        return [
            Session(self.device, self.profile, self.case_timeout, memory)
            for memory in other_memories()
        ]

    @property
    def is_fresh(self) -> bool:
        """Whether the next question is the first one of its child process."""
        return self._child is None or not self._child.questions

    def has(self, child: Child) -> bool:
        """Whether this child is still in use, and was not replaced."""
        return self._child is child

    def ask(self, question: Question, cases: int = 1, patience: float = 1.0) -> Reply:
        """Ask once. ``cases`` is the number of cases in the question's model, ``patience`` multiplies the time limit.

        An answer that does not fit into memory is one that cannot be fetched.

        Raises ChildDiedError or ChildHungError, and the child is replaced at the next question then; NotOpenedError;
        TimeOverError.
        """
        if time.monotonic() > self.end:
            raise TimeOverError
        child = self.open()
        self.questions += 1
        begin = time.monotonic()
        limit = self.case_timeout * (1 + cases / 20) + question.size // _BYTES_PER_SECOND
        try:
            return child.ask(question, limit * patience)
        except MemoryError as error:
            self.discard()
            return Reply(stage="fetch", error=str(error) or "this process has no memory left")
        except (ChildDiedError, ChildHungError) as error:
            error.seconds = time.monotonic() - begin
            self.discard()
            raise
        except BaseException:
            # The child has ended; or Ctrl-C interrupted this process, and the next message would be an old reply.
            self.discard()
            raise

    def discard(self) -> None:
        """Kill a child that is not to be used again."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def retire(self, patience: float = 1.0) -> None:
        """End the child, so that the next question is for a new one.

        Raises ChildDiedError or ChildHungError when the child does not end cleanly.
        """
        child, self._child = self._child, None
        if child is not None:
            child.close(self.case_timeout * patience)

    def request_exit(self) -> None:
        """Tell the child to end; ``close`` waits for it."""
        if self._child is not None:
            self._child.request_exit()

    def close(self) -> None:
        """End the child, if there is one. How it ends does not matter any more."""
        for other in self.__dict__.pop("in_other_memories", ()):
            other.close()
        if self._child is not None:
            with suppress(ChildDiedError, ChildHungError):
                self._child.close()
            self._child = None
