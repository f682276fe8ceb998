"""A session with a device: asks one child process at a time, and replaces it when it died, hung or may be damaged."""

from __future__ import annotations

from contextlib import suppress

from devices.child_handle import Child, ChildDiedError, ChildHungError
from devices.profiles import Profile
from devices.protocol import Question, Reply


class Session:
    """One device with one profile. ``case_timeout`` is in seconds, for each stage of a model of one case.

    A child process is started when it is needed.
    """

    def __init__(self, device: str, profile: Profile, case_timeout: float) -> None:
        self.device, self.profile, self.case_timeout = device, profile, case_timeout
        # The precision that the device says it computes in, or "".
        self.inference_precision = ""
        self._child: Child | None = None

    def open(self) -> Child:
        """The child process, started if there is none. Raises NoDeviceError, ChildDiedError, ProfileError."""
        if self._child is None:
            settings = self.profile.for_device(self.device)
            child = Child(self.device, settings, self.profile.environment)
            try:
                self.profile.check(child.facts.get("kernels", {}))
            except BaseException:
                child.kill()
                raise
            self._child = child
            actual_settings = child.facts.get("settings", {})
            self.inference_precision = actual_settings.get("INFERENCE_PRECISION_HINT", "")
        return self._child

    def has(self, child: Child) -> bool:
        """Whether this child is still in use, and was not replaced."""
        return self._child is child

    def ask(self, question: Question, cases: int = 1) -> Reply:
        """Ask once. ``cases`` is the number of cases in the question's model.

        Raises ChildDiedError or ChildHungError; the child is replaced at the next question then.
        """
        child = self.open()
        try:
            return child.ask(question, self.case_timeout * (1 + cases / 20))
        except BaseException:
            # The child has ended; or Ctrl-C interrupted this process, and the next message would be an old reply.
            self.discard()
            raise

    def ask_with_retry(self, question: Question, retire: bool = False) -> Reply:
        """Ask; after a death or a hang retry in a new child, because earlier cases may have damaged the first one.

        With ``retire`` the child is ended after it replied. Raises ChildDiedError or ChildHungError when a child that
        was asked nothing else dies or hangs.
        """
        is_new = self._child is None or not self._child.questions
        try:
            reply = self.ask(question)
            if retire and not reply.refused:
                self.retire()
            return reply
        except (ChildDiedError, ChildHungError):
            if is_new:
                raise
            return self.ask_with_retry(question, retire)

    def discard(self) -> None:
        """Kill a child that is not to be used again."""
        child, self._child = self._child, None
        if child is not None:
            child.kill()

    def retire(self) -> None:
        """End the child, so that the next question is for a new one.

        Raises ChildDiedError or ChildHungError when the child does not end cleanly.
        """
        child, self._child = self._child, None
        if child is not None:
            child.close(self.case_timeout)

    def request_exit(self) -> None:
        """Tell the child to end; ``close`` waits for it."""
        if self._child is not None:
            self._child.request_exit()

    def close(self) -> None:
        """End the child, if there is one. How it ends does not matter any more."""
        if self._child is not None:
            with suppress(ChildDiedError, ChildHungError):
                self._child.close()
            self._child = None
