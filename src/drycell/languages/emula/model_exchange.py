"""Model exchange: another geometry for the same robot, in the middle of a session, with its state kept."""

from drycell.base import MechanismError, UnknownName
from drycell.robots import LiveRobot, Mechanism, exchangeable, load_family, load_robot, robot_names
from drycell.world import World


def find_model(name: str, current: str) -> tuple[str, Mechanism]:
    """A model by its name in the family ("hand") or in the library ("box-frame/hand"), case aside."""
    family = current.partition("/")[0]
    asked = name.strip().casefold()
    known = {each.casefold(): each for each in robot_names()}
    if f"{family}/{asked}" in known:
        whole = known[f"{family}/{asked}"]
    elif asked in known:
        whole = known[asked]
    else:
        try:
            models: list[str] = list(load_family(family).models)
        except UnknownName:
            models = list(known.values())
        raise UnknownName("model", name, models)
    return whole, load_robot(whole)


def exchange(world: World, robot: LiveRobot, model: Mechanism) -> None:
    """Gives the robot's nodes the solids of another model; joints, what is held and all else stay.

    A model with other motors, or without a node the robot has, is refused by name and nothing changes.
    """
    exchangeable(robot.mechanism, model)
    for link in robot.mechanism.links:
        if link.drives != model.links[model.link(link.name)].drives:
            raise MechanismError(
                f"{model.name} cannot stand for {robot.mechanism.name}: node {link.name!r} moves otherwise"
            )
    for body, link in zip(robot.linkage.links, robot.mechanism.links, strict=True):
        body.shape = model.links[model.link(link.name)].shape
    robot.base.shape = model.base
    # Fixed anew where it stands, which is announced for all its nodes: what was known of their shapes is void.
    world.attach(robot.base, robot.base.parent)
