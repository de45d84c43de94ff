"""Paths as people type them."""

from pathlib import Path


def short_path(path: Path) -> str:
    """A path as one would type it here."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return "/".join(path.parts[-2:])
