"""Where the mesh files of a URDF are: how ``package://`` addresses and relative paths are resolved.

A description is data from others, so a mesh must be in the folder of the URDF file, or in a package. A package is a
folder that ``packages`` names, or one found from the folder of the URDF file upwards: a folder with the package's name,
a folder whose ``package.xml`` has that name, or a folder with that name beside one of these. The search ends at the
user's home, or below the root of the file system.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

_HIGHEST: Final = 10  # folders that are searched upwards
_MOST_CHARACTERS: Final = 100_000  # in a package.xml


class MeshSearch:
    """Finds the files that one URDF file names."""

    def __init__(self, folder: Path, packages: Mapping[str, Path] | None = None) -> None:
        """Search from a folder upwards.

        Args:
            folder: The folder of the URDF file.
            packages: Folders of packages by name. They come first.
        """
        self._folder = folder.resolve()
        self._packages = {name: Path(path).resolve() for name, path in (packages or {}).items()}

    def find(self, address: str) -> Path | None:
        """The file with an address such as ``package://ur5/meshes/base.stl``, ``file:///…`` or ``base.stl``.

        Returns None if there is no such file in a folder that may be read.
        """
        scheme, separator, rest = address.partition("://")
        if not separator:
            return _inside(self._folder, address) or self._in_packages(address)
        if scheme == "file":
            roots = [self._folder, *self._upwards_packages(), *self._packages.values()]
            return next((found for root in roots if (found := _inside(root, rest))), None)
        name, _, path = rest.lstrip("/").partition("/")
        if scheme not in ("package", "model") or name in ("", ".", "..") or not path:
            return None
        return next((found for root in self.roots(name) if (found := _inside(root, path))), None)

    def roots(self, name: str) -> Iterator[Path]:
        """The folders that can be the package of a name, the best first."""
        if name in self._packages:
            yield self._packages[name]
        for folder in self._upwards():
            if folder.name == name or _package_name(folder) == name:
                yield folder
            yield folder / name
        yield self._folder  # a description without its package around it

    def _in_packages(self, address: str) -> Path | None:
        """A path relative to the package of the URDF file, which some tools write."""
        return next((found for root in self._upwards_packages() if (found := _inside(root, address))), None)

    def _upwards_packages(self) -> Iterator[Path]:
        return (folder for folder in self._upwards() if _package_name(folder) is not None)

    def _upwards(self) -> Iterator[Path]:
        home = _home()
        for folder in [self._folder, *self._folder.parents][:_HIGHEST]:
            if folder == home or len(folder.parts) <= 2:
                return
            yield folder


def _inside(root: Path, path: str) -> Path | None:
    """A regular file in a folder or below it; None if it is elsewhere, even if a symbolic link leads there."""
    try:
        place = (root / path).resolve()
        return place if place.is_relative_to(root.resolve()) and place.is_file() else None
    except (OSError, ValueError):
        return None  # a name that no file can have


def _package_name(folder: Path) -> str | None:
    """The name in the ``package.xml`` of a folder."""
    file = folder / "package.xml"
    try:
        if not file.is_file():
            return None
        with file.open(encoding="utf-8", errors="replace") as opened:
            text = opened.read(_MOST_CHARACTERS)
        if "<!ENTITY" in text:
            return None
        return (ElementTree.fromstring(text).findtext("name") or "").strip() or None
    except (OSError, ValueError, ElementTree.ParseError):
        return None


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None
