"""A custom sensor function: the distance to a body, as an inductive proximity sensor would report it."""

from drycell import inch
from drycell.languages.emula import SensorCall


def proximity(look: SensorCall, node: str, body: str, reach: float = 1.0) -> float:
    """Return 10 at contact, falling linearly to 0 at ``reach`` inches. drycell itself works in metres."""
    gap = max(look.distance(node, body), 0.0)
    return 10.0 * max(1.0 - gap / (reach * inch), 0.0)
