"""The header of a recording: the identity of the run, the software it used, and how it ended."""

import hashlib
import os
import platform
import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, Final, cast

from drycell.base import RecordingError, Setting, read_regular
from drycell.recording.container import DocumentNode, Json

FORMAT: Final = "drycell recording"
VERSION: Final = 2

# Libraries that contribute to the numbers of a run: a different version of any of them may change the last bits.
LIBRARIES: Final = (
    "numpy",
    "greenlet",
    "pin",
    "coal",
    "ruckig",
    "manifold3d",
    "trimesh",
    "scipy",
)

_TIMES: Final = 1 << 63


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file of the run: its path relative to the cell's folder, and the hash of its bytes."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Header:
    """The identity of a run. ``source`` begins with the cell's own file; times are ticks (µs).

    ``folder`` is the folder of the cell's files, relative to that of the recording; ``programs`` maps replaced programs
    to their files, relative to the cell's folder; ``settings`` are fields of the cell file that were overridden in this
    run. ``choices`` are the chooser's answers in order (for ``ReplayingChooser``). ``outcome`` is plain data that
    describes the ending, ``trace`` the steps that lead to it (for a run found by a search): ``t``, ``who``, ``text``,
    perhaps ``note``, ``file``, ``line``.
    """

    cell: str
    seed: int = 0
    source: tuple[SourceFile, ...] = ()
    folder: str = ""
    until: int | None = None
    duration: int = 0
    choices: tuple[int, ...] = ()
    outcome: Mapping[str, Json] = field(default_factory=dict)
    drycell: str = ""
    libraries: Mapping[str, str] = field(default_factory=dict)
    programs: Mapping[str, str] = field(default_factory=dict)
    trace: tuple[Mapping[str, Json], ...] = ()
    settings: tuple[Setting, ...] = ()

    def data(self) -> dict[str, Json]:
        """The header as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "drycell": self.drycell,
            "libraries": dict(self.libraries),
            "cell": self.cell,
            "seed": self.seed,
            "source": [{"path": file.path, "sha256": file.sha256} for file in self.source],
            "folder": self.folder,
            "programs": dict(self.programs),
            **({"settings": [list(each) for each in self.settings]} if self.settings else {}),
            "until": self.until,
            "duration": self.duration,
            "choices": list(self.choices),
            "outcome": dict(self.outcome),
            **({"trace": [dict(step) for step in self.trace]} if self.trace else {}),
        }

    @classmethod
    def of(cls, node: DocumentNode) -> "Header":
        """Read a header; other versions of the format are refused."""
        if not isinstance(node.value, dict) or node.value.get("format") != FORMAT:
            raise RecordingError(
                f"it has no entry {FORMAT!r}", hint="give a file that drycell run --record has written"
            )
        version = node["version"].integer(1, 1 << 31)
        if version > VERSION:
            raise RecordingError(
                f"it has format version {version}; this drycell reads {VERSION}",
                hint=f"install the drycell that wrote it: {node['drycell'].text}",
            )
        if version < VERSION:
            raise RecordingError(
                f"it has format version {version}, written by drycell {node['drycell'].text}; this drycell reads "
                f"{VERSION}",
                hint=f"record the run again, from the folder of the file: {_command(node)}",
            )
        outcome = node["outcome"]
        return cls(
            cell=node["cell"].text,
            seed=node["seed"].integer(-(1 << 1024), 1 << 1024),
            source=tuple(SourceFile(each["path"].text, each["sha256"].text) for each in node["source"]),
            folder=node["folder"].text,
            until=None if node["until"].empty else node["until"].integer(0, _TIMES),
            duration=node["duration"].integer(0, _TIMES),
            choices=tuple(each.integer(0, _TIMES) for each in node["choices"]),
            outcome={key: each.value for key, each in outcome.items()},  # type: ignore[misc]  # it was just parsed from JSON
            drycell=node["drycell"].text,
            libraries={key: each.text for key, each in node["libraries"].items()},
            programs={key: each.text for key, each in node["programs"].items()} if "programs" in node.value else {},
            trace=tuple(_step(each) for each in node["trace"]) if "trace" in node.value else (),
            settings=tuple(_setting(each) for each in node["settings"]) if "settings" in node.value else (),
        )

    def changed_sources(self, folder: Path) -> list[str]:
        """Return the source files that have changed in a folder since the run, or are missing from it."""
        return [file.path for file in self.source if hash_of(folder / file.path) != file.sha256]


def _command(node: DocumentNode) -> str:
    """Return the command that records the run again, as far as the header describes it."""
    source = next(iter(node["source"]), None)
    if source is None:
        return "run the script that created it"
    cell = os.path.normpath(os.path.join(node["folder"].text, source["path"].text))
    if list(node["choices"]):
        return f"drycell verify {shlex.quote(cell)}, which found it"
    command = ["drycell", "run", cell, "--seed", str(node["seed"].integer(-(1 << 1024), 1 << 1024))]
    if not node["until"].empty:
        whole, part = divmod(node["until"].integer(0, _TIMES), 1_000_000)
        command += ["--until", f"{whole}.{part:06}".rstrip("0").rstrip(".") + "s"]
    for name, file in node["programs"].items() if "programs" in cast(dict[str, Any], node.value) else ():
        command += ["--program", f"{name}={os.path.normpath(os.path.join(node['folder'].text, file.text))}"]
    return f"{shlex.join(command)} --record FILE"


def _setting(node: DocumentNode) -> Setting:
    path_and_text = list(node)
    if len(path_and_text) != 2:
        raise node.wrong("a path and a string")
    return Setting(*(each.text for each in path_and_text))


def _step(node: DocumentNode) -> Mapping[str, Json]:
    """Read a step of the trace."""
    step: dict[str, Json] = {"t": node["t"].integer(0, _TIMES), "who": node["who"].text, "text": node["text"].text}
    for key, each in node.items():
        if key in ("note", "file"):
            step[key] = each.text
        elif key == "line":
            step[key] = each.integer(0, _TIMES)
    return step


def hash_of(path: Path) -> str | None:
    """Return the hash of a file's bytes; None if it cannot be read."""
    try:
        return hashlib.sha256(read_regular(path)).hexdigest()
    except OSError:
        return None


def source_files(paths: Iterable[Path], folder: Path) -> tuple[SourceFile, ...]:
    """Return files relative to the cell's folder, so that the header is the same everywhere."""
    files = []
    for path in paths:
        found = hash_of(path)
        if found is None:
            raise RecordingError(f"{path}: cannot be read, but the run depends on it")
        files.append(SourceFile(seen_from(folder, path), found))
    return tuple(files)


def seen_from(folder: Path, path: Path) -> str:
    """Return the path of a file relative to a folder."""
    return Path(os.path.relpath(path, folder)).as_posix()


def versions() -> tuple[str, dict[str, str]]:
    """The versions of drycell, Python and the libraries used in a run."""
    found = {"python": platform.python_version()}
    for name in LIBRARIES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = ""
    return metadata.version("drycell"), found
