"""Paths as people read and type them."""

from pathlib import Path


def short_path(path: Path) -> str:
    """A path to be read: from here, or its end alone."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else "/".join(path.parts[-2:])


def typed_path(path: Path) -> str:
    """A path as one would type it here: it leads to the file."""
    return short_path(path) if path.is_relative_to(Path.cwd()) else str(path)
