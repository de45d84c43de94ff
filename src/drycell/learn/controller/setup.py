"""Setups as data: robot, inputs, network, rules, actions and worlds, for each figure of the thesis."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Final, Literal

from drycell.base import Angle, DrycellError, Factor, FieldError, Length, Name, NoLess, Thing, UnknownName
from drycell.learn.controller.instincts import Instincts, load_rules
from drycell.learn.controller.network import Network
from drycell.learn.data import ENDING, LibraryName, read_data
from drycell.learn.robot import MobileModel, load_mobile
from drycell.learn.world import FloorPlan, load_worlds

LIBRARY: Final = Path(__file__).parent / "library"
STANDING: Final = "none"


class Action(Thing):
    """A primitive motor action: a turn on the spot, then a drive."""

    turn: Angle = 0.0
    """Angle of the turn, counter-clockwise."""
    drive: Length = 0.0
    """Distance of the drive, forward."""


class LearningSetup(Thing):
    """What a robot learns, and with which network."""

    figure: int
    """Number of the figure in the thesis."""
    title: str = ""
    """Description of what is learnt."""
    source: str = ""
    """Where the numbers come from."""
    robot: LibraryName
    """Mobile robot of the library, or its file, beside this one."""
    arrangement: Name
    """Arrangement of the robot's sensors."""
    objective: Literal[1, 2]
    """Objective of the thesis."""
    inputs: dict[str, Name]
    """Sensors that feed the network, by the names of its inputs."""
    full_scale: Factor
    """Sensor reading that becomes 1 at the network's input."""
    motion: bool = False
    """Whether the last action is also an input: its number (0 for none) divided by the number of actions."""
    memory: bool = False
    """Whether the network remembers its last outputs."""
    hidden: tuple[int, ...] = ()
    """Neurons in each hidden layer."""
    rate: Factor
    """Learning rate."""
    rules: LibraryName
    """Instinct rules of the library, or their file, beside this one."""
    actions: dict[str, Action]
    """Actions by name, in the order of the network's outputs."""
    judged_after: NoLess = 0.0
    """Distance driven before an action is judged by rules about a difference."""
    lessens_to: Factor = 1.0
    """Fraction of the difference below which an action counts as having reduced it."""
    worlds: LibraryName
    """Worlds of the library, or their file, beside this one."""

    @property
    def model(self) -> MobileModel:
        """The robot."""
        return load_mobile(self.robot)

    @property
    def instincts(self) -> Instincts:
        """The rules."""
        return load_rules(self.rules)

    @property
    def training_plans(self) -> list[FloorPlan]:
        """The worlds to train in."""
        return load_worlds(self.worlds).training_plans

    @property
    def test_plans(self) -> list[FloorPlan]:
        """The worlds reserved for tests."""
        return load_worlds(self.worlds).test_plans

    @property
    def action_names(self) -> list[str]:
        """Names of the actions, in the order of the network's outputs."""
        return list(self.actions)

    @property
    def input_names(self) -> list[str]:
        """Names of the network's inputs in order, without memory and bias."""
        return [*self.inputs, *(["motion"] if self.motion else [])]

    def network(self, stream: Random) -> Network:
        """Create a network for this setup, with random weights."""
        return Network.random(len(self.input_names), len(self.actions), self.hidden, stream, memory=self.memory)

    def vector(self, values: Mapping[str, float], motion: str) -> list[float]:
        """Return the network's inputs, between 0 and 1, for sensor readings and the last motion."""
        fed = [min(max(values[name] / self.full_scale, 0.0), 1.0) for name in self.inputs]
        if self.motion:
            # Thesis, 8.2.2.1: 0 for no motion, 1 forward, 2 left, 3 right; scaled to 0 … 1.
            number = 0 if motion == STANDING else 1 + self.action_names.index(motion)
            fed.append(number / len(self.actions))
        return fed


def setup_figures() -> list[int]:
    """Return the numbers of the thesis figures that have a setup."""
    return sorted(int(path.stem.partition("-")[2]) for path in LIBRARY.glob("figure-*.yaml"))


@cache
def load_setup(figure: int) -> LearningSetup:
    """Load the setup of a figure of the thesis: 40 and 42 for the Nomad, 47, 48 and 49 (with memory) for Frank2."""
    if figure not in setup_figures():
        raise UnknownName("architecture", str(figure), map(str, setup_figures()))
    return setup_from_file(LIBRARY / f"figure-{figure}.yaml")


def find_setups(
    robot: str | None = None, objective: int | None = None, figure: int | None = None
) -> list[LearningSetup]:
    """Return all setups that match the given robot, objective and figure. Raises DrycellError if there is none."""
    known = [load_setup(each) for each in setup_figures()]
    fitting = [
        each
        for each in known
        if robot in (None, each.robot) and objective in (None, each.objective) and figure in (None, each.figure)
    ]
    if not fitting:
        wanted = [*([robot] if robot else []), *([] if objective is None else [f"objective {objective}"])]
        raise DrycellError(
            f"there is no architecture{'' if figure is None else f' {figure}'}"
            + (f" for {' and '.join(wanted)}" if wanted else ""),
            hint="; ".join(f"{each.robot}, objective {each.objective}: {each.figure}" for each in known),
        )
    return fitting


def find_setup(robot: str, objective: int | None = None, figure: int | None = None) -> LearningSetup:
    """Return the first setup that matches."""
    return find_setups(robot, objective, figure)[0]


def setup_from_file(path: str | Path) -> LearningSetup:
    """Read a setup from your own file, in the library's format. Its robot, rules and worlds are names in the library or
    files next to it: ``rules: mine.yaml``.
    """
    found = read_data(LearningSetup, path)

    def beside(name: str) -> str:
        return str(Path(path).parent / name) if name.endswith(ENDING) else name

    setup = found.changed(robot=beside(found.robot), rules=beside(found.rules), worlds=beside(found.worlds))
    _check(setup)
    return setup


def _check(setup: LearningSetup) -> None:
    """Raise an error if inputs have no sensor, or rules use unknown inputs or actions."""
    sensors = setup.model.sensors(setup.arrangement)
    for sensor in setup.inputs.values():
        if sensor not in sensors:
            raise UnknownName(f"sensor of {setup.model.robot}", sensor, sensors)
    for instinct in setup.instincts.instincts:
        for name in (*instinct.inputs, *instinct.difference):
            if name not in setup.inputs:
                raise UnknownName(f"input for the rule {instinct.name!r}", name, setup.inputs)
        if instinct.moves is not None and instinct.moves not in setup.actions:
            raise UnknownName(f"action for the rule {instinct.name!r}", instinct.moves, setup.actions)
    if not setup.actions or not (setup.training_plans and setup.test_plans):
        raise FieldError(
            f"figure {setup.figure} has {len(setup.actions)} actions, {len(setup.training_plans)} worlds for training "
            f"and {len(setup.test_plans)} for tests",
            hint="give at least one of each",
        )
