"""A stand-in for a device that is not there yet: it answers as its table says, after declared times, and moves nothing.

For trying out a protocol before there is a device: a search goes through every order of its answers, to the tick.
"""

from drycell.devices.effector.station import Job, Station, Values
from drycell.kernel import Kernel
from drycell.messages import VOCABULARY, Command, DeviceTable
from drycell.messages.disturbance import CALM, Disturbance
from drycell.messages.mailboxes import Envelope


class StandIn(Station):
    """Any device of the table. A queued command ``takes`` a time of a declared interval, and is done.

    A reply tells under each name what the last command said that was done and had a real of that name, or else 0.
    """

    def __init__(
        self,
        kernel: Kernel,
        name: str,
        table: str | DeviceTable = "gripper",
        *,
        takes: tuple[float, float] = (0.0, 0.0),
        carries: tuple[float, float] = (0.0, 0.0),
        disturbance: Disturbance = CALM,
    ) -> None:
        found = VOCABULARY.device(table) if isinstance(table, str) else table
        super().__init__(kernel, name, found, None, disturbance=disturbance, carries=carries)
        self.takes = takes
        self._said: dict[str, float] = {}

    def begin(self, job: Job) -> None:
        """Lets its time pass."""
        self.after(self.kernel.now + self.drawn("takes", self.takes), lambda: self._finish(job))

    def answer(self, command: Command, envelope: Envelope, values: Values) -> dict[str, float] | None:
        """Answers with what was said last."""
        if command.name in ("debug", "quit"):
            return super().answer(command, envelope, values)
        self._said.update(values)
        if command.name == "abort":
            return {**self._reals(command.replies[0]), "dropped": float(self.drop("aborted"))}
        return self._reals(command.replies[0])

    def report(self) -> dict[str, float]:
        """What was said last."""
        return dict(self._said)

    def _finish(self, job: Job) -> None:
        if self.job is job:  # it may have been aborted
            self._said.update(job.values)
            self.done()

    def _reals(self, letters: str) -> dict[str, float]:
        return {real.name: self._said.get(real.name, 0.0) for real in self.table.reply(letters).reals}
