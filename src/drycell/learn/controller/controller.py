"""The controller: it reads sensors, finds the violated rule, lets the network choose, and learns from the result."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from drycell.learn.controller.instincts import Instinct, Values
from drycell.learn.controller.network import Network, TeachingResult
from drycell.learn.controller.setup import STANDING, LearningSetup
from drycell.learn.robot import Mobile, MobileLeg

ROUNDS: Final = 2  # number of times all actions are tried before the robot counts as trapped


def strongest_first(outputs: Sequence[float]) -> list[int]:
    """Return the indices of the outputs, strongest first; equal outputs keep their order."""
    return sorted(range(len(outputs)), key=lambda number: (-outputs[number], number))


def goal_first(outputs: Sequence[float]) -> list[int]:
    """Return the indices of the outputs: the planner's goal (the first output), then the others, strongest first. For
    rules about a difference: if driving straight ahead works, no turn is correct. If only strength counted, every habit
    that reduces the difference would be confirmed, and robots would learn to turn continuously (docs/decisions/0013).
    """
    return sorted(range(len(outputs)), key=lambda number: (number != 0, -outputs[number], number))


@dataclass(frozen=True, slots=True)
class ActionTrial:
    """An action that was tried against a violation, with the readings and the motion after it."""

    action: int
    values: Values
    motion: str
    stopped: bool  # by a wall


def is_correct(violated: Instinct, before: Values, trial: ActionTrial, lessens_to: float = 1.0) -> bool:
    """Return whether an action ended the violation, or reduced the difference to less than a given fraction.

    The thesis (8.2.2.2) accepts any reduction: a fraction of 1.
    """
    if trial.stopped:
        return False
    if not violated.violated(trial.values, trial.motion):
        return True
    return bool(violated.difference) and abs(violated.off(trial.values)) < lessens_to * abs(violated.off(before))


def least_bad(violated: Instinct, trials: Sequence[ActionTrial]) -> int | None:
    """Return the action with the smallest difference (the first, if several are equal) when none was correct. A robot
    that heads away from the middle by more than one turn moves farther away with every action. With the rule of the
    thesis alone, it would never learn to turn back.
    """
    free = [trial for trial in trials if not trial.stopped]
    if not violated.difference or not free:
        return None
    return min(free, key=lambda trial: abs(violated.off(trial.values))).action


def target(action: int, actions: int) -> list[float]:
    """Return the target outputs: 1 for the correct action, 0 for the others."""
    return [1.0 if number == action else 0.0 for number in range(actions)]


@dataclass(frozen=True, slots=True)
class ControllerStep:
    """One step of a controller: the violated rule, if any, the action, and what was learnt."""

    violated: str | None
    action: str | None  # None if no action was correct
    stopped: bool  # a wall stopped the motion
    tried: int = 0
    taught: TeachingResult | None = None


class BehaviourController:
    """A network that drives a robot. The first action is the planner's goal, which applies if no rule is violated."""

    def __init__(self, setup: LearningSetup, network: Network, mobile: Mobile) -> None:
        self.setup, self.network, self.mobile = setup, network, mobile
        self.motion = STANDING
        self._instincts = setup.instincts
        self._names = setup.action_names
        self._sensors = tuple(setup.inputs.values())

    def stand(self) -> None:
        """Reset motion and memory, after the robot was repositioned or turned round."""
        self.motion = STANDING
        self.network.forget()

    def set_going(self) -> None:
        """Reset, with the goal of the planner as the last motion."""
        self.stand()
        self.motion = self._names[0]

    def read(self) -> dict[str, float]:
        """Return the current readings of the inputs."""
        found = self.mobile.read(self._sensors)
        return {name: float(found[sensor]) for name, sensor in self.setup.inputs.items()}

    def violation(self, values: Mapping[str, float]) -> Instinct | None:
        """Return the most urgent violated instinct, or None."""
        return self._instincts.violation(values, self.motion)

    def act(self) -> ControllerStep:
        """Make one step without learning: execute the strongest output."""
        values = self.read()
        violated = self.violation(values)
        if violated is None:
            return self._go_on()
        outputs = self.network.propagate(self.setup.vector(values, self.motion))
        number = strongest_first(outputs)[0]
        return ControllerStep(violated.name, self._names[number], _stopped(self._perform(number)), 1)

    def learn(self, rate: float | None = None) -> ControllerStep:
        """Make one learning step: try actions until one is correct, and teach it to the network.

        The robot reverts each wrong action before it tries the next, so that every action starts from equal inputs.

        Args:
            rate: learning rate; by default that of the setup.
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
        """Return the correct action, or None, and the number of trials. The robot ends where it started."""
        order = goal_first(outputs) if violated.difference else strongest_first(outputs)
        trials: list[ActionTrial] = []
        for _ in range(ROUNDS):
            for number in order:
                trial = self._attempt(number, violated)
                trials.append(trial)
                if is_correct(violated, values, trial, self.setup.lessens_to):
                    return number, len(trials)
            if violated.difference:
                return least_bad(violated, trials), len(trials)
        return None, len(trials)

    def _attempt(self, number: int, violated: Instinct) -> ActionTrial:
        """Try an action, then drive on if the rule is about a difference of readings, and undo both."""
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
        """Execute an action and return its motions."""
        action = self.setup.actions[self._names[number]]
        self.motion = self._names[number]
        legs = [self.mobile.turn(action.turn)] if action.turn else []
        if action.drive:
            legs.append(self.mobile.drive(action.drive))
        return legs


def _stopped(legs: Sequence[MobileLeg]) -> bool:
    return any(leg.stopped for leg in legs)
