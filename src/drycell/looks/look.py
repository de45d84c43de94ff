"""Looks: what a body looks like, as a plain list of parts made from few numbers. Page, pictures and films draw it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from typing import Self

from drycell.base import Pose
from drycell.looks.channel import Channel
from drycell.looks.material import ink, look_material
from drycell.looks.solids import Solid


@dataclass(frozen=True, slots=True)
class LookPart:
    """A solid at a pose in the frame of its body, with a material."""

    solid: Solid
    pose: Pose
    material: str
    """A material of looks."""
    tint: str | None = None
    """Its colour, ``#rrggbb``; by default that of the material."""
    channel: str | None = None
    """The channel that moves or lights it."""
    shade: float = 1.0
    """How much light reaches it: less than 1 inside housings."""


@dataclass(frozen=True, eq=False)
class Look:
    """The parts of a body, and the channels that move or light them. It is for the eye only: what sensors detect and
    what collides is the shape of the body.

    >>> from drycell.looks import Look, box, cylinder
    >>> knob = Look().add(box(0.04, 0.04, 0.02), "plastic").add(cylinder(0.01, 0.02), "steel", at=(0, 0, 0.01))
    >>> [part.material for part in knob.parts]
    ['plastic', 'steel']
    """

    parts: tuple[LookPart, ...] = ()
    channels: Mapping[str, Channel] = field(default_factory=dict)

    def add(
        self,
        solid: Solid,
        material: str,
        at: Iterable[float] = (0.0, 0.0, 0.0),
        rpy: Iterable[float] = (0.0, 0.0, 0.0),
        *,
        tint: str | None = None,
        on: str | None = None,
        shade: float = 1.0,
    ) -> Self:
        """Return the look with another part.

        Args:
            solid: Its solid.
            material: A material of looks.
            at: Position in the frame of the body, in metres.
            rpy: Roll, pitch and yaw in radians.
            tint: Its colour: a name, or ``#rrggbb``.
            on: The channel that moves or lights it.
            shade: How much light reaches it, 0…1.

        Raises:
            UnknownName: There is no such material, colour or channel.
        """
        return self.with_parts([piece(solid, material, at, rpy, tint=tint, on=on, shade=shade)])

    def with_parts(self, parts: Iterable[LookPart]) -> Self:
        """Return the look with more parts.

        Args:
            parts: The parts.
        """
        return replace(self, parts=(*self.parts, *parts))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Look) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    @cached_property
    def key(self) -> str:
        """A digest of its content: equal looks have equal keys, in every process."""
        digest = blake2b(digest_size=12)
        for each in self.parts:
            numbers = [getattr(number, "key", number) for number in each.solid.numbers]
            row = (each.solid.form, numbers, each.pose.rows, each.material, each.tint, each.channel, each.shade)
            digest.update(repr(row).encode())
        digest.update(repr(sorted(self.channels.items())).encode())
        return digest.hexdigest()


def piece(
    solid: Solid,
    material: str,
    at: Iterable[float] = (0.0, 0.0, 0.0),
    rpy: Iterable[float] = (0.0, 0.0, 0.0),
    *,
    tint: str | None = None,
    on: str | None = None,
    shade: float = 1.0,
) -> LookPart:
    """Return a part of a look.

    Args:
        solid: Its solid.
        material: A material of looks.
        at: Position in the frame of the body, in metres.
        rpy: Roll, pitch and yaw in radians.
        tint: Its colour: a name, or ``#rrggbb``.
        on: The channel that moves or lights it.
        shade: How much light reaches it, 0…1.

    Raises:
        UnknownName: There is no such material or colour.
    """
    look_material(material)
    x, y, z = at
    roll, pitch, yaw = rpy
    pose = Pose.of_rpy(roll, pitch, yaw, at=(x, y, z)) if roll or pitch or yaw else Pose(x, y, z)
    return LookPart(solid, pose, material, None if tint is None else ink(tint), on, shade)


def placed(
    parts: Iterable[LookPart], at: Iterable[float] | Pose, rpy: Iterable[float] = (0.0, 0.0, 0.0)
) -> list[LookPart]:
    """Return parts at another place, as a piece of a larger look.

    Args:
        parts: The parts.
        at: Where their frame goes: a position in metres, or a pose.
        rpy: Roll, pitch and yaw of their frame in radians.
    """
    if not isinstance(at, Pose):
        x, y, z = at
        roll, pitch, yaw = rpy
        at = Pose.of_rpy(roll, pitch, yaw, at=(x, y, z))
    return [replace(each, pose=at @ each.pose) for each in parts]
