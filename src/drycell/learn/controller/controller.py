"""The controller: reads, asks the planner what is violated, has the network choose, and learns from what came of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.learn.controller.instincts import Instinct, Values
from drycell.learn.controller.network import Network, TeachingResult
from drycell.learn.controller.setup import STANDING, LearningSetup
from drycell.learn.robot import Mobile, MobileLeg

ROUNDS: Final = 2  # how often all are tried before the robot counts as trapped


def by_strength(outputs: Sequence[float]) -> list[int]:
    """The numbers of the outputs, the strongest first; of equal ones, the first."""
    return sorted(range(len(outputs)), key=lambda number: (-outputs[number], number))


def goal_first(outputs: Sequence[float]) -> list[int]:
    """The same, but for the planner's goal (the first output), which comes before all.

    For rules that hold a difference: where going straight on does, no turn is right. By strength alone, any habit that
    lessens the difference is confirmed, and robots learn to turn on and on (docs/decisions/0013).
    """
    return sorted(range(len(outputs)), key=lambda number: (number != 0, -outputs[number], number))


@dataclass(frozen=True, slots=True)
class ActionTrial:
    """An action that was tried against a violation: what the inputs read and how the robot moved after it."""

    action: int
    values: Values
    motion: str
    stopped: bool  # by a wall


def is_right(violated: Instinct, before: Values, trial: ActionTrial, lessens_to: float = 1.0) -> bool:
    """Whether an action stopped the violation or made a difference smaller than that share of what it was.

    The thesis (8.2.2.2) says smaller than it was: a share of 1.
    """
    if trial.stopped:
        return False
    if not violated.violated(trial.values, trial.motion):
        return True
    return bool(violated.difference) and abs(violated.off(trial.values)) < lessens_to * abs(violated.off(before))


def least_bad(violated: Instinct, trials: Sequence[ActionTrial]) -> int | None:
    """When no action was right: the one that left the smallest difference, the first tried if they are equal.

    A robot that heads away from the middle by more than one turn gets farther from it whatever it does, so that the
    thesis' rule alone would never teach it to turn back.
    """
    free = [trial for trial in trials if not trial.stopped]
    if not violated.difference or not free:
        return None
    return min(free, key=lambda trial: abs(violated.off(trial.values))).action


def target(action: int, actions: int) -> list[float]:
    """The outputs wanted: 1 for the right action, 0 for the others."""
    return [1.0 if number == action else 0.0 for number in range(actions)]


@dataclass(frozen=True, slots=True)
class ControllerStep:
    """One step of a controller: the rule violated (None: the robot went on), what was done, what was learnt."""

    violated: str | None
    action: str | None  # None: no action was right
    stopped: bool  # a wall stopped the motion
    tried: int = 0
    taught: TeachingResult | None = None


class BehaviourController:
    """A network in a robot. The planner's goal is the first action, carried out whenever no instinct is violated."""

    def __init__(self, setup: LearningSetup, network: Network, mobile: Mobile) -> None:
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

    def act(self) -> ControllerStep:
        """One step of use: the strongest output is carried out, nothing is tried again and nothing learnt."""
        values = self.read()
        violated = self.violation(values)
        if violated is None:
            return self._go_on()
        outputs = self.network.propagate(self.setup.vector(values, self.motion))
        number = by_strength(outputs)[0]
        return ControllerStep(violated.name, self._names[number], _stopped(self._perform(number)), 1)

    def learn(self, rate: float | None = None) -> ControllerStep:
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
            return ControllerStep(violated.name, None, False, tried)
        taught = self.network.teach(fed, target(right, len(self._names)), self.setup.rate if rate is None else rate)
        return ControllerStep(violated.name, self._names[right], _stopped(self._perform(right)), tried, taught)

    def _search(
        self, violated: Instinct, values: Mapping[str, float], outputs: Sequence[float]
    ) -> tuple[int | None, int]:
        """The right action, or None, and how many were tried; the robot is back where it was."""
        order = goal_first(outputs) if violated.difference else by_strength(outputs)
        trials: list[ActionTrial] = []
        for _ in range(ROUNDS):
            for number in order:
                trial = self._attempt(number, violated)
                trials.append(trial)
                if is_right(violated, values, trial, self.setup.lessens_to):
                    return number, len(trials)
            if violated.difference:
                return least_bad(violated, trials), len(trials)
        return None, len(trials)

    def _attempt(self, number: int, violated: Instinct) -> ActionTrial:
        """Tries an action, for a difference also where it leads to, and takes it back."""
        before = self.motion
        legs = self._perform(number)
        far = abs(legs[-1].drive)
        if violated.difference and not _stopped(legs) and self.setup.judged_after > far:
            legs.append(self.mobile.drive(self.setup.judged_after - far))
        trial = ActionTrial(number, self.read(), self.motion, _stopped(legs))
        for leg in reversed(legs):
            if leg.drive:
                self.mobile.drive(-leg.drive)
            if leg.turn:
                self.mobile.turn(-leg.turn)
        self.motion = before
        return trial

    def _go_on(self) -> ControllerStep:
        return ControllerStep(None, self._names[0], _stopped(self._perform(0)))

    def _perform(self, number: int) -> list[MobileLeg]:
        """Carries out an action; the motions that made."""
        action = self.setup.actions[self._names[number]]
        self.motion = self._names[number]
        legs = [self.mobile.turn(action.turn)] if action.turn else []
        if action.drive:
            legs.append(self.mobile.drive(action.drive))
        return legs


def _stopped(legs: Sequence[MobileLeg]) -> bool:
    return any(leg.stopped for leg in legs)
