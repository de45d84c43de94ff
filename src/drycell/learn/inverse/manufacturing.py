"""An arm as it was made: the same joints, with every link a little longer, bent or twisted than on the drawing."""

from dataclasses import dataclass, replace
from random import Random

from drycell.base import FieldError, Pose, deg, mm
from drycell.robots import Link, Mark, Mechanism


@dataclass(frozen=True, kw_only=True)
class Tolerances:
    """Standard deviations of what manufacture adds to a link: of each of three lengths, and each of three angles.

    Those six hold the errors of a Denavit–Hartenberg row (a, α, d, θ: the joint's zero is among them) and of the one
    parameter that such a row lacks for parallel axes (Hayati 1983).
    """

    length: float = 0.5 * mm
    angle: float = 0.1 * deg

    def __post_init__(self) -> None:
        if not (0.0 <= self.length <= 0.1 and 0.0 <= self.angle <= 0.5):
            raise FieldError(
                f"tolerances of {self.length:g} m and {self.angle:g} rad; 0 to 0.1 m and 0 to 0.5 rad can be",
                hint="write 0.5 * mm and 0.1 * deg",
            )


def manufactured(mechanism: Mechanism, seed: int, tolerances: Tolerances | None = None) -> Mechanism:
    """One specimen of an arm, with errors drawn for this seed; shapes, limits and names are those of the drawing."""
    spread = tolerances or Tolerances()
    stream = Random(f"{seed}/manufactured {mechanism.name}")

    def off(pose: Pose) -> Pose:
        shift = [stream.gauss(0.0, spread.length) for _ in range(3)]
        turn = [stream.gauss(0.0, spread.angle) for _ in range(3)]
        return pose @ Pose.of_rotation_vector(turn, shift)

    links: tuple[Link, ...] = tuple(replace(link, origin=off(link.origin)) for link in mechanism.links)
    flange = Mark(mechanism.flange.link, off(mechanism.flange.pose))
    return replace(mechanism, links=links, flange=flange, source=f"{mechanism.source} Specimen {seed}.".strip())
