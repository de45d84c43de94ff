"""The folder of a campaign: the plan, the copy of the cell, and a line for every finished run.

``rows.jsonl`` is the only state that counts. Rows are appended and flushed to the disk before they are used, so
whatever ends a campaign, only the runs in progress are lost. Everything else in the folder can be made again from it.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from drycell.base import DrycellError, folder_to_write, read_regular, text_beside, write_errors
from drycell.campaign.bundle import PLAN, Bundle, differences, identity
from drycell.campaign.design import Variant
from drycell.campaign.work import RunRow

FORMAT: Final = "drycell campaign"
VERSION: Final = 1
ROWS: Final = "rows.jsonl"
CELL: Final = "cell"
KEPT: Final = "kept"
_MOST_SHOWN: Final = 6


class CampaignError(DrycellError):
    """A campaign that cannot be continued or read."""


@dataclass(frozen=True, slots=True)
class CampaignPlan:
    """What a campaign consists of: the cell, the variants and the seeds. ``where`` is the path of the cell as the user
    gave it, ``file`` its file in the bundle."""

    where: str
    file: str
    digest: str
    files: Mapping[str, str]
    identity: Mapping[str, str]
    variants: tuple[Variant, ...]
    seeds: tuple[int, ...]
    until: float | None = None
    after: float = 0.0
    precise: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The name of the cell: that of its folder, or of its file."""
        path = Path(self.where)
        folder = path if not path.suffix else path.parent
        return folder.resolve().name if path.stem == "cell" or not path.suffix else path.stem

    @property
    def factors(self) -> list[str]:
        """The names of everything that differs between the variants."""
        return list(dict.fromkeys(name for each in self.variants for name in each.labels))

    def data(self) -> dict[str, Any]:
        """The plan as plain data."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "cell": self.where,
            "file": self.file,
            "bundle": self.digest,
            "files": dict(self.files),
            "identity": dict(self.identity),
            "variants": [each.data() for each in self.variants],
            "seeds": list(self.seeds),
            "until": self.until,
            "after": self.after,
            "precise": dict(self.precise),
        }

    @classmethod
    def read(cls, folder: Path) -> "CampaignPlan":
        """Read the plan of a campaign.

        Raises:
            CampaignError: The folder is not that of a campaign, or the plan is damaged.
        """
        path = folder / PLAN
        try:
            data = json.loads(read_regular(path, 64 << 20))
        except FileNotFoundError:
            raise CampaignError(
                f"{folder} is not the folder of a campaign: it has no {PLAN}",
                hint="give the folder that drycell campaign --out has written",
            ) from None
        except (OSError, ValueError) as error:
            raise CampaignError(f"{path} cannot be read: {error}", hint="run the campaign again") from error
        try:
            if data["format"] != FORMAT:
                raise CampaignError(f"{path} is not the plan of a campaign: its format is {data['format']!r}")
            if data["version"] != VERSION:
                raise CampaignError(
                    f"{path} has format version {data['version']}; this drycell reads {VERSION}",
                    hint="run the campaign again, or use the drycell that wrote it",
                )
            return cls(
                _text(data["cell"]),
                _text(data["file"]),
                _text(data["bundle"]),
                {_text(name): _text(each) for name, each in data["files"].items()},
                {_text(name): _text(each) for name, each in data["identity"].items()},
                tuple(_variant(each) for each in data["variants"]),
                tuple(int(each) for each in data["seeds"]),
                None if data["until"] is None else float(data["until"]),
                float(data["after"]),
                {_text(name): _text(each) for name, each in data["precise"].items()},
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise CampaignError(f"{path} is damaged: {type(error).__name__} {error}", hint="run it again") from error


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is not a text")
    return value


def _variant(data: Mapping[str, Any]) -> Variant:
    labels, settings, programs = (
        {_text(name): _text(text) for name, text in data[kind].items()} for kind in ("labels", "set", "program")
    )
    return Variant(labels, settings, programs, {_text(name): float(n) for name, n in data["numbers"].items()})


class CampaignStore:
    """The rows of a campaign on disk, held open by the one process that runs the campaign.

    Raises:
        CampaignError: The folder holds another campaign, or another process runs this one.
    """

    def __init__(self, folder: str | Path, plan: CampaignPlan, bundle: Bundle) -> None:
        self.folder = folder_to_write(folder)
        self.rows: dict[str, RunRow] = {}
        self.torn = False
        """Whether the last line was incomplete because a campaign was killed while it wrote."""
        path = self.folder / ROWS
        with write_errors(path):
            self._file: BinaryIO = cast(BinaryIO, open(path, "ab"))  # noqa: SIM115  # held until close()
        try:
            self._lock()
            if (self.folder / PLAN).exists():
                self._check(CampaignPlan.read(self.folder), plan)
            self._read(path)
            self.cell = self._unpack(bundle)
            self.save(plan)
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> "CampaignStore":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the folder."""
        self._file.close()

    def add(self, rows: Iterable[RunRow]) -> None:
        """Append finished runs; they are on the disk when this returns. A run that is already there is not added
        again."""
        lines = []
        for row in rows:
            known = self.rows.get(row.key)
            if known is None or known.ending == "killed":
                self.rows[row.key] = row
                lines.append(json.dumps(row.data(), separators=(",", ":"), allow_nan=False).encode() + b"\n")
        if lines:
            with write_errors(self.folder / ROWS):
                self._file.write(b"".join(lines))
                self._file.flush()
                os.fsync(self._file.fileno())

    def done(self, key: str) -> bool:
        """Whether a run is finished. Runs whose process died are made again."""
        return key in self.rows and self.rows[key].ending != "killed"

    def save(self, plan: CampaignPlan) -> None:
        """Replace the plan: a campaign can be extended by seeds and variants."""
        self.plan = plan
        with text_beside(self.folder / PLAN) as file:
            json.dump(plan.data(), file, indent=1, allow_nan=False)
            file.write("\n")

    def _lock(self) -> None:
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CampaignError(
                f"another process is running the campaign in {self.folder}",
                hint="wait for it, or choose another folder with --out",
            ) from None

    def _check(self, was: CampaignPlan, now: CampaignPlan) -> None:
        """Refuse to mix rows of different cells or versions, and report what has changed."""
        found = differences(was.files, now.files) + differences(was.identity, now.identity)
        if was.file != now.file:
            found.insert(0, f"the cell was {was.file}, now it is {now.file}")
        if found:
            shown = "; ".join(found[:_MOST_SHOWN]) + (
                f"; and {len(found) - _MOST_SHOWN} more" * (len(found) > _MOST_SHOWN)
            )
            raise CampaignError(
                f"the campaign in {self.folder} was made with another cell or another drycell: {shown}",
                hint="choose another folder with --out, or restore what has changed",
            )

    def _read(self, path: Path) -> None:
        self.rows, good = read_rows(path)
        if good < path.stat().st_size:
            self.torn = True
            self._file.truncate(good)

    def _unpack(self, bundle: Bundle) -> Path:
        folder = self.folder / CELL
        return folder / bundle.cell if bundle.is_at(folder) else bundle.write(folder)


def read_rows(path: Path) -> tuple[dict[str, RunRow], int]:
    """Read the rows of a campaign, also while it runs, and the number of bytes up to the last complete one.

    Raises:
        CampaignError: A complete line is not a row.
    """
    rows: dict[str, RunRow] = {}
    good = 0
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, 1):
                if not line.endswith(b"\n"):
                    break  # it is being written, or its writer was killed
                try:
                    row = RunRow.of(json.loads(line))
                except (ValueError, KeyError, TypeError, AttributeError) as error:
                    if line == b"\n" or b"\0" in line:
                        break  # what a power cut leaves in a file whose length was written before its data
                    raise CampaignError(
                        f"{path}:{number} is not a row of a campaign: {type(error).__name__} {error}",
                        hint="remove the line; its run is then made again",
                    ) from error
                rows[row.key] = row
                good += len(line)
    except FileNotFoundError:
        pass
    return rows, good


def plan_of(where: str, bundle: Bundle, variants: Sequence[Variant], seeds: Sequence[int], **more: Any) -> CampaignPlan:
    """Return the plan of a new campaign with this drycell."""
    return CampaignPlan(
        where, bundle.cell, bundle.digest, bundle.hashes, identity(), tuple(variants), tuple(seeds), **more
    )
