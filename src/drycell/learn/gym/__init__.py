"""The worlds of learning as Gymnasium environments for other learning libraries, and a small learner.

``import drycell.learn.gym`` registers them. Then ``gymnasium.make("drycell/NomadRooms-v0")`` creates one and
``gymnasium.make_vec`` several. Gymnasium comes with the extra ``learn``.
"""

from drycell.base import DrycellError

try:
    import gymnasium
except ImportError:
    raise DrycellError(
        "the environments of drycell need Gymnasium, which is not installed",
        hint="pip install 'path/to/drycell[learn]'",
    ) from None

from drycell.learn.gym.cross_entropy import CrossEntropy, Generation, LinearPolicy, play
from drycell.learn.gym.roaming import Roaming
from drycell.learn.gym.surface import Hanger, Part, SurfaceTreatment, Treatment

__all__ = [
    "ENVIRONMENTS",
    "CrossEntropy",
    "Generation",
    "Hanger",
    "LinearPolicy",
    "Part",
    "Roaming",
    "SurfaceTreatment",
    "Treatment",
    "play",
]

_ROAMING = "drycell.learn.gym.roaming:Roaming"
ENVIRONMENTS: dict[str, tuple[str, dict[str, object]]] = {
    "drycell/NomadRooms-v0": (_ROAMING, {"figure": 40}),
    "drycell/NomadCorridors-v0": (_ROAMING, {"figure": 42}),
    "drycell/Frank2Rooms-v0": (_ROAMING, {"figure": 47}),
    "drycell/Frank2Corridors-v0": (_ROAMING, {"figure": 48}),
    "drycell/SurfaceTreatment-v0": ("drycell.learn.gym.surface:SurfaceTreatment", {}),
}

for _name, (_entry, _options) in ENVIRONMENTS.items():
    if _name not in gymnasium.registry:
        gymnasium.register(_name, _entry, kwargs=dict(_options))
