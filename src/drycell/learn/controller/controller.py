"""The controller: reads, asks the planner what is violated, has the network choose, and learns from what came of it."""

from collections.abc import Mapping
from dataclasses import dataclass

from drycell.learn.controller.instincts import Instinct
from drycell.learn.controller.multiplexer import attempts, by_strength
from drycell.learn.controller.network import Network, Taught
from drycell.learn.controller.setup import STANDING, Setup
from drycell.learn.controller.teacher import Trial, is_right, least_bad, target
from drycell.learn.robot import Mobile


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a controller: the rule violated (None: the robot went on), what was done, what was learnt."""

    violated: str | None
    action: str | None  # None: no action was right
    stopped: bool  # a wall stopped the motion
    tried: int = 0
    taught: Taught | None = None


class Controller:
    """A network in a robot. The planner's goal is the first action, carried out whenever no instinct is violated."""

    def __init__(self, setup: Setup, network: Network, mobile: Mobile) -> None:
        self.setup, self.network, self.mobile = setup, network, mobile
        self.motion = STANDING
        self._instincts = setup.instincts
        self._names = setup.action_names
        self._sensors = tuple(setup.inputs.values())

    def stand(self) -> None:
        """The robot stands still, with nothing remembered: after it was set down, or turned round."""
        self.motion = STANDING
        self.network.forget()

    def read(self) -> dict[str, float]:
        """What the inputs read now."""
        found = self.mobile.read(self._sensors)
        return {name: float(found[sensor]) for name, sensor in self.setup.inputs.items()}

    def violation(self, values: Mapping[str, float]) -> Instinct | None:
        """The planner: the most urgent instinct that is violated."""
        return self._instincts.violation(values, self.motion)

    def act(self) -> Step:
        """One step of use: the strongest output is carried out, nothing is tried again and nothing learnt."""
        values = self.read()
        violated = self.violation(values)
        if violated is None:
            return self._go_on()
        outputs = self.network.propagate(self.setup.vector(values, self.motion))
        number = by_strength(outputs)[0]
        return Step(violated.name, self._names[number], self._perform(number), 1)

    def learn(self, rate: float | None = None) -> Step:
        """One step of learning: outputs are tried by strength until one was right, which the network is taught.

        What was not right is taken back before the next is tried, so that every action answers the same inputs.
        """
        values = self.read()
        violated = self.violation(values)
        if violated is None:
            return self._go_on()
        fed = self.setup.vector(values, self.motion)
        outputs = self.network.propagate(fed)
        motion = self.motion
        trials: list[Trial] = []
        best: int | None = None
        for turn, number in attempts(outputs, 2):
            if turn == 1 and best is None:
                best = least_bad(violated, trials)
                if best is None:
                    break
            if turn == 1 and number != best:
                continue
            trial = Trial(number, *self._tried(number))
            trials.append(trial)
            if turn == 1 or is_right(violated, values, trial):
                taught = self.network.teach(fed, target(number, len(self._names)), rate or self.setup.rate)
                return Step(violated.name, self._names[number], trial.stopped, len(trials), taught)
            self._take_back(number)
            self.motion = motion
        return Step(violated.name, None, False, len(trials))

    def _tried(self, number: int) -> tuple[dict[str, float], str, bool]:
        stopped = self._perform(number)
        return self.read(), self.motion, stopped

    def _take_back(self, number: int) -> None:
        """Drives back what an action drove and turns back what it turned, as a robot can; in a real world, nearly."""
        if self.setup.actions[self._names[number]].drive:
            self.mobile.drive(-self.mobile.legs[-1].drive)
        turn = self.setup.actions[self._names[number]].turn
        if turn:
            self.mobile.turn(-turn)

    def _go_on(self) -> Step:
        return Step(None, self._names[0], self._perform(0))

    def _perform(self, number: int) -> bool:
        """Carries out an action; whether a wall stopped it."""
        action = self.setup.actions[self._names[number]]
        self.motion = self._names[number]
        if action.turn:
            self.mobile.turn(action.turn)
        return bool(action.drive) and self.mobile.drive(action.drive).stopped
