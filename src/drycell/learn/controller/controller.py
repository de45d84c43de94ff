"""The controller: reads, asks the planner what is violated, has the network choose, and learns from what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from drycell.learn.controller.instincts import Instinct
from drycell.learn.controller.multiplexer import ROUNDS, by_strength, goal_first
from drycell.learn.controller.network import Network, Taught
from drycell.learn.controller.setup import STANDING, Setup
from drycell.learn.controller.teacher import Trial, is_right, least_bad, target
from drycell.learn.robot import Leg, Mobile


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

    def set_going(self) -> None:
        """The robot is on its way: it moves as the planner's goal wants it to."""
        self.stand()
        self.motion = self._names[0]

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
        return Step(violated.name, self._names[number], _stopped(self._perform(number)), 1)

    def learn(self, rate: float | None = None) -> Step:
        """One step of learning: actions are tried until one was right, which the network is taught, at the setup's rate
        or another.

        What was not right is taken back before the next is tried, so that every action answers the same inputs.
        """
        values = self.read()
        violated = self.violation(values)
        if violated is None:
            return self._go_on()
        fed = self.setup.vector(values, self.motion)
        outputs = self.network.propagate(fed)
        right, tried = self._search(violated, values, outputs)
        if right is None:
            return Step(violated.name, None, False, tried)
        taught = self.network.teach(fed, target(right, len(self._names)), self.setup.rate if rate is None else rate)
        return Step(violated.name, self._names[right], _stopped(self._perform(right)), tried, taught)

    def _search(
        self, violated: Instinct, values: Mapping[str, float], outputs: Sequence[float]
    ) -> tuple[int | None, int]:
        """The right action, or None, and how many were tried; the robot is back where it was."""
        order = goal_first(outputs) if violated.difference else by_strength(outputs)
        trials: list[Trial] = []
        for _ in range(ROUNDS):
            for number in order:
                trial = self._attempt(number, violated)
                trials.append(trial)
                if is_right(violated, values, trial, self.setup.lessens_to):
                    return number, len(trials)
            if violated.difference:
                return least_bad(violated, trials), len(trials)
        return None, len(trials)

    def _attempt(self, number: int, violated: Instinct) -> Trial:
        """Tries an action, for a difference also where it leads to, and takes it back."""
        before = self.motion
        legs = self._perform(number)
        far = abs(legs[-1].drive)
        if violated.difference and not _stopped(legs) and self.setup.judged_after > far:
            legs.append(self.mobile.drive(self.setup.judged_after - far))
        trial = Trial(number, self.read(), self.motion, _stopped(legs))
        for leg in reversed(legs):
            if leg.drive:
                self.mobile.drive(-leg.drive)
            if leg.turn:
                self.mobile.turn(-leg.turn)
        self.motion = before
        return trial

    def _go_on(self) -> Step:
        return Step(None, self._names[0], _stopped(self._perform(0)))

    def _perform(self, number: int) -> list[Leg]:
        """Carries out an action; the motions that made."""
        action = self.setup.actions[self._names[number]]
        self.motion = self._names[number]
        legs = [self.mobile.turn(action.turn)] if action.turn else []
        if action.drive:
            legs.append(self.mobile.drive(action.drive))
        return legs


def _stopped(legs: Sequence[Leg]) -> bool:
    return any(leg.stopped for leg in legs)
