"""The commands and functions of the language; importing this enters all of them."""

from drycell.languages.emula.commands import (
    aggregates,
    assertions,
    displays,
    mathematics,
    monitoring,
    motions,
    sensing,
    sessions,
)

__all__ = [
    "aggregates",
    "assertions",
    "displays",
    "mathematics",
    "monitoring",
    "motions",
    "sensing",
    "sessions",
]
