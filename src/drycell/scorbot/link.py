"""The link between programs and a session: a program waits for the controller, the rest of the run goes on."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from drycell.kernel import Kernel, Signal, wait
from drycell.scorbot.fault import LineError, Refused
from drycell.scorbot.session import Session
from drycell.scorbot.worker import Worker

T = TypeVar("T")


class Link:
    """Has commands done on a thread of their own, and writes them to the journal.

    After a fault on the line the arm is stopped there and then, before anybody learns of it.
    """

    def __init__(self, kernel: Kernel, session: Session, name: str) -> None:
        self.kernel, self.session, self.name = kernel, session, name
        self._worker = Worker(f"drycell line {session.port.name}")

    def ask(self, *commands: str) -> tuple[str, ...]:
        """Commands one after the other, in a program; the lines of the last one."""
        return self.do("; ".join(commands), lambda: self._asked(commands))

    def do(self, note: str, job: Callable[[], T]) -> T:
        """A job with the session, in a program, which waits for it."""
        done: Signal[bool] = Signal(self.kernel, f"{self.name} answers", False, quiet=True)
        results: list[T] = []
        failures: list[BaseException] = []

        def told(result: object, error: BaseException | None) -> None:
            def deliver() -> None:
                if error is None:
                    results.append(result)  # type: ignore[arg-type]
                else:
                    failures.append(error)
                outcome = {} if error is None else {"error": type(error).__name__}
                self.kernel.journal.write("line", self.name, sent=note, **outcome)
                done.set(True, self.name)

            self.kernel.post(deliver, f"{self.name} answers")

        self._worker.submit(lambda: self._guarded(job), told)
        wait(done)
        if failures:
            raise failures[0]
        return results[0]

    def later(self, command: str) -> None:
        """A command that nobody waits for; if it fails, the run does."""

        def told(result: object, error: BaseException | None) -> None:
            def deliver() -> None:
                self.kernel.journal.write("line", self.name, sent=command)
                if error is not None:
                    raise error

            self.kernel.post(deliver, f"{self.name} answers")

        self._worker.submit(lambda: self._guarded(lambda: self._asked((command,))), told)

    def unread(self, command: str, lines: Sequence[str]) -> LineError:
        """The error about a list that is none, after the arm was stopped."""
        error = Refused(
            self.session.port.name,
            sent=command,
            trouble=f"the controller lists something else than was asked for: {'; '.join(lines) or 'nothing'}",
            advice="see that the controller has this command, and that no program of its own prints meanwhile",
        )
        error.note_stop(self.do("stop", self.session.stop))
        return error

    def finish(self) -> None:
        """Ends the thread when it has done what it was given."""
        self._worker.close()

    def _asked(self, commands: tuple[str, ...]) -> tuple[str, ...]:
        lines: tuple[str, ...] = ()
        for command in commands:
            lines = self.session.ask(command)
        return lines

    def _guarded(self, job: Callable[[], T]) -> T:
        try:
            return job()
        except LineError as error:
            error.note_stop(self.session.stop())
            raise
