"""Variations: how a "real" world differs from the one trained in: noise, gain and offset errors, slip, materials.

Every disturbance is a function of a seed, its owner's name and the number of the sample or step, never of a sequence
drawn before.
"""

from dataclasses import dataclass, field, replace

from drycell.learn.world.floor_plans import FloorPlan
from drycell.sensors import Noise, deviates


@dataclass(frozen=True, kw_only=True)
class Variation:
    """What is different. ``gains`` and ``offsets`` spread over the sensors: each has its own, for good.

    ``slip`` and ``skid`` are the standard deviations of what a drive and a turn come short, or over, as a share;
    ``pull`` is by how many radians a metre made ahead turns the robot unasked (one made back turns it back).
    ``material`` replaces that of all walls.
    """

    seed: int = 0
    noise: Noise = field(default_factory=Noise)
    gains: float = 0.0
    offsets: float = 0.0
    slip: float = 0.0
    skid: float = 0.0
    pull: float = 0.0
    material: str | None = None

    @property
    def none(self) -> bool:
        """Whether nothing is different."""
        return self == Variation(seed=self.seed)

    def plan(self, plan: FloorPlan) -> FloorPlan:
        """A plan as it is in this world."""
        return plan if self.material is None else plan.of_material(self.material)

    def noise_of(self, sensor: str, own: Noise) -> Noise:
        """A sensor's noise here: its own and this world's, with the gain and offset that this one sensor has."""
        gain, offset = deviates(self.seed, f"{sensor} gain", 0)[0], deviates(self.seed, f"{sensor} offset", 0)[0]
        return replace(
            own,
            sigma=own.sigma + self.noise.sigma,
            share=own.share + self.noise.share,
            uniform=own.uniform + self.noise.uniform,
            gain=own.gain * self.noise.gain * (1.0 + self.gains * gain),
            offset=own.offset + self.noise.offset + self.offsets * offset,
        )

    def driven(self, length: float, step: int) -> float:
        """How far a drive really goes at a step."""
        return length * (1.0 + self.slip * deviates(self.seed, "slip", step)[0]) if self.slip else length

    def turned(self, angle: float, step: int) -> float:
        """How far a turn really goes at a step."""
        return angle * (1.0 + self.skid * deviates(self.seed, "skid", step)[0]) if self.skid else angle


EXACT = Variation()
