"""The models that a session can exchange: those of the robot's family, of the library, and of the user's own files."""

from pathlib import Path

from drycell.base import MechanismError, UnknownName
from drycell.robots import (
    LiveRobot,
    Mechanism,
    exchangeable,
    load_family,
    load_robot,
    models_in_file,
    robot_from_file,
    robot_names,
)
from drycell.world import World

_ENDINGS = (".yaml", ".yml", ".urdf", ".xml")


class RobotModels:
    """Finds the models of a robot by name: ``hand``, ``box-frame/hand``, or a file.

    A name is looked for in the family file that was named last, in the one that the robot came from, in the robot's
    family in the library, and among the robots of the library. Case does not matter.
    """

    def __init__(self, robot: LiveRobot) -> None:
        self._robot = robot
        self._own = {} if robot.file is None else models_in_file(robot.file)

    def find(self, name: str, model: str | None = None) -> Mechanism:
        """Find a model by its name, or in a file; ``model`` is one of a family file, by default its default model.

        Raises:
            UnknownName: There is no such model.
            FileError: The file cannot be read, or has mistakes.
        """
        asked = name.strip()
        if asked.lower().endswith(_ENDINGS):
            found = robot_from_file(Path(asked), model)
            self._own = models_in_file(asked) | self._own
            return found
        if model is not None:
            raise MechanismError(f"{asked!r} is not a file, so {model!r} cannot be one of its models")
        known = self._family()
        for whole, mechanism in known.items():
            if asked.casefold() in (whole.casefold(), whole.partition("/")[2].casefold()):
                return mechanism
        library = {each.casefold(): each for each in robot_names()}
        if asked.casefold() in library:
            return load_robot(library[asked.casefold()])
        names = dict.fromkeys(each.partition("/")[2] for each in known) or library.values()
        raise UnknownName("model", name, names)

    def _family(self) -> dict[str, Mechanism]:
        """The models of the user's files, and of the robot's family in the library."""
        try:
            named = load_family(self._robot.model_name.partition("/")[0])
        except UnknownName:
            return self._own
        return self._own | {each.name: each for each in named.models.values() if each.name not in self._own}


def exchange(world: World, robot: LiveRobot, model: Mechanism) -> None:
    """Give the links of the robot the solids of another model. Joints and grasped bodies do not change.

    Raises:
        MechanismError: the model has other motors, or lacks a link of the robot; nothing is changed.
    """
    exchangeable(robot.mechanism, model)
    for link in robot.mechanism.links:
        if link.drives != model.links[model.link(link.name)].drives:
            raise MechanismError(
                f"{model.name} cannot replace {robot.mechanism.name}: link {link.name!r} has other drives"
            )
    for body, link in zip(robot.linkage.links, robot.mechanism.links, strict=True):
        body.shape = model.links[model.link(link.name)].shape
    robot.base.shape = model.base
    # Attaching the base again notifies the subscribers of all links, so that they discard what they know of the shapes.
    world.attach(robot.base, robot.base.parent)
