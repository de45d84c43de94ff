"""Masses of bodies, and the loads that robots and grippers carry."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from drycell.base import GeometryError

if TYPE_CHECKING:
    from drycell.world.body import LiveBody


@dataclass(frozen=True, slots=True)
class CarriedLoad:
    """What a robot or a gripper carries, and the most it may carry, in kg.

    ``unknown`` names the tools and parts whose mass is not known: they are not in ``mass``, so the true load is
    greater.
    """

    mass: float
    limit: float
    unknown: tuple[str, ...] = ()

    @property
    def exceeded(self) -> bool:
        """Whether the known mass alone is above the limit."""
        return self.mass > self.limit * (1.0 + 1e-9)


def mass_of(body: "LiveBody") -> float | None:
    """The mass of a body without what it carries, in kg; None if it is not known.

    It is the stated mass or, if none is stated, the volume times the density of the material. A shape whose surface is
    not closed has no volume.
    """
    if body.mass is not None:
        return body.mass
    if body.shape is None or body.world is None:
        return None
    try:
        return body.shape.volume * body.world.materials[body.material].density
    except GeometryError:
        return None
