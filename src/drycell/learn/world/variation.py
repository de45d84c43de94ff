"""Variations: how a "real" world differs from the training world: noise, gain and offset errors, slip, materials.

Every disturbance is a function of a seed, the name of its owner and the number of the sample or step. It does not
depend on earlier samples.
"""

from dataclasses import dataclass, field, replace

from drycell.learn.world.floor_plans import FloorPlan
from drycell.sensors import Noise, deviates


@dataclass(frozen=True, kw_only=True)
class Variation:
    """How a world differs. ``gains`` and ``offsets`` are standard deviations: each sensor has its own gain and offset.

    ``slip`` and ``skid`` are the standard deviations of the relative error of a drive and of a turn. ``pull`` is the
    unwanted rotation in radians per metre ahead (opposite when driving back). ``material`` replaces that of all walls.
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
        """Whether there is no difference."""
        return self == Variation(seed=self.seed)

    def plan(self, plan: FloorPlan) -> FloorPlan:
        """Return a plan with the material of this world."""
        return plan if self.material is None else plan.of_material(self.material)

    def noise_of(self, sensor: str, own: Noise) -> Noise:
        """Return the noise of a sensor in this world, with its own gain and offset."""
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
        """Return the real length of a drive at a step."""
        return length * (1.0 + self.slip * deviates(self.seed, "slip", step)[0]) if self.slip else length

    def turned(self, angle: float, step: int) -> float:
        """Return the real angle of a turn at a step."""
        return angle * (1.0 + self.skid * deviates(self.seed, "skid", step)[0]) if self.skid else angle


EXACT = Variation()
