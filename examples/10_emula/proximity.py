"""A sensor function of one's own: how near something is, as an inductive proximity switch would tell."""

from drycell import inch
from drycell.languages.emula import Look


def proximity(look: Look, node: str, body: str, reach: float = 1.0) -> float:
    """10 where they touch, falling linearly to 0 at ``reach`` inches. Inside, lengths are metres."""
    gap = max(look.distance(node, body), 0.0)
    return 10.0 * max(1.0 - gap / (reach * inch), 0.0)
