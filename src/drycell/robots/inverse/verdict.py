"""Why a pose cannot be reached and by how much, and what to try: the texts people read."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drycell.base import Pose, deg, mm
from drycell.robots.configuration import Choice, Configuration, Questions
from drycell.robots.inverse.solver import Failure
from drycell.robots.reach import Reach

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism


def geometry_verdict(mechanism: "Mechanism", pose: Pose, failure: Failure | None) -> Reach:
    """The verdict on a pose that no joint values fit, limits aside."""
    if failure is None:
        return Reach("not found", "no joint values fit the pose", hint="move or turn the target")
    far, tilted = f"{failure.amount / mm:.1f} mm", f"{failure.amount / deg:.1f} deg"
    match failure.reason:
        case "too far":
            return Reach(
                "too far", f"beyond reach by {far}", failure.amount, hint=f"move the target {far} towards the base"
            )
        case "too near":
            return Reach(
                "too near", f"too close to the base by {far}", failure.amount, hint="move the target away from the base"
            )
        case "orientation" if mechanism.dof == 5:
            return Reach(
                "orientation",
                f"its yaw is off by {tilted}: the approach direction must lie in the vertical plane through the waist",
                failure.amount,
                hint="give position, pitch and roll, or turn the target about the vertical",
            )
        case "orientation":
            return Reach(
                "orientation",
                f"its orientation is off by {tilted} from what the axes can make",
                failure.amount,
                hint=f"turn the target by {tilted}",
            )
        case "off":
            return Reach(
                "off",
                f"the target is {far} beside where the axes can go",
                failure.amount,
                hint=f"move the target {far}",
            )
        case _:
            return Reach(
                "not found",
                f"the nearest found is {far} and {failure.second / deg:.1f} deg away",
                failure.amount,
                hint="move the target towards the base or turn it",
            )


def limit_verdict(
    mechanism: "Mechanism",
    rows: Sequence[Sequence[float]],
    ways: Sequence[Configuration],
    mask: int,
    questions: Questions,
) -> Reach:
    """The verdict on a pose that joint values fit, but all past a limit: the way that is past it by least."""
    from drycell.robots.inverse.choice import nearest_turn

    least: tuple[float, list[tuple[float, int, float]]] | None = None
    for row in rows:
        past: list[tuple[float, int, float]] = []
        for number, (joint, value) in enumerate(zip(mechanism.joints, row, strict=True)):
            if joint.allows(value):
                continue
            if joint.revolute:
                if nearest_turn(value, (joint.lower + joint.upper) / 2.0, joint.lower, joint.upper) is not None:
                    continue
                # Of all turns the one that is past a limit by least.
                turns = (nearest_turn(value, end, -1e9, 1e9) for end in (joint.lower, joint.upper))
                value = min((turn for turn in turns if turn is not None), key=joint.excess)
            if not joint.allows(value):
                past.append((joint.excess(value), number, value))
        past.sort(reverse=True)
        worst = past[0][0] / (deg if mechanism.joints[past[0][1]].revolute else mm)
        if least is None or worst < least[0]:
            least = (worst, past)
    if least is None:
        return Reach("not found", "no joint values fit the pose")
    texts = []
    for _, number, value in least[1]:
        joint = mechanism.joints[number]
        texts.append(f"{joint.name} needs {joint.show(value)}, limit {joint.range}")
    excess, number, _ = least[1][0]
    hint = "move or turn the target"
    if ways:
        asked = [name for k, (name, _) in enumerate(questions.names) if mask >> k & 1]
        hint = f"another configuration ({ways[0].only(*asked)} reaches it)"
    return Reach("limit", "; ".join(texts), excess, mechanism.joints[number].name, hint, tuple(ways))


def other_configuration(questions: Questions, choice: Choice, ways: Sequence[Configuration]) -> Reach:
    """The verdict on a pose that is not to be had in the wanted configuration."""
    mask, bits = questions.wanted(choice)
    wanted = questions.configurations[bits].only(
        *(name for k, (name, _) in enumerate(questions.names) if mask >> k & 1)
    )
    text = f"no solution with {wanted}"
    if not ways:
        return Reach("configuration", text, hint="leave the configuration open to see why")
    return Reach(
        "configuration", text, hint=f"another configuration ({ways[0]} reaches it)", configurations=tuple(ways)
    )
