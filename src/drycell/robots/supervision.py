"""Supervision of lines and arcs: the singularities and the changes of configuration that they meet, by name.

A line keeps the configuration of the arm, because two configurations only meet at a singularity.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from drycell.base import MotionError

if TYPE_CHECKING:
    from drycell.robots.mechanism import Mechanism
    from drycell.robots.solution import Choice


def named_singularity(mechanism: "Mechanism", joints: Sequence[float]) -> str:
    """The singularity near some joints, for messages: ``the wrist singularity``."""
    found = mechanism.singularity(joints)
    return f"the {found} singularity" if found else "a singularity"


def changes(mechanism: "Mechanism", start: Sequence[float], end: Sequence[float]) -> str:
    """How the configuration differs between joints, for messages: ``shoulder: right → left``."""
    one, other = mechanism.configuration(start), mechanism.configuration(end)
    return ", ".join(
        f"{question}: {side} → {other[question]}" for question, side in one.sides if side != other[question]
    )


def check_configuration(
    name: str, mechanism: "Mechanism", start: Sequence[float], choice: "Choice", target: str
) -> None:
    """Raise MotionError if a line or an arc would have to change the configuration to reach the requested one."""
    if not choice:
        return
    here = mechanism.configuration(start)
    wanted = mechanism.wanted(choice)
    missing = ", ".join(f"{question}: {here[question]} → {side}" for question, side in wanted if here[question] != side)
    if missing:
        raise MotionError(
            f"{name} cannot go to {target!r} on a line or an arc, which keeps the configuration: {missing} would be "
            "needed",
            hint="use move() with this configuration first, or for this stretch",
        )
