"""The oracle: shows that a change of drycell's code changes nothing a user sees, and what it costs in speed.

    .venv/bin/python tools/oracle.py compare                    run everything and compare it with tools/oracle.json
    .venv/bin/python tools/oracle.py compare --quick            one seed, and no "every pair"
    .venv/bin/python tools/oracle.py compare --only errors,json
    .venv/bin/python tools/oracle.py compare --cells 'event_cell|sensors'
    .venv/bin/python tools/oracle.py record                     write tools/oracle.json anew
    .venv/bin/python tools/oracle.py record --missing           add new examples to it, and change nothing else
    .venv/bin/python tools/oracle.py bench OLD_TREE NEW_TREE    speed of two trees, side by side

The script always runs the code of the tree it stands in (its own ``src`` and ``examples``), whatever is installed.
``compare`` exits with 0 if everything is as it was, and with 1 if something differs; it then says what, item by item.

Groups:

journals    The journal of every cell in ``examples`` and of those in EXTRA, which have what the examples leave out,
            five seeds each; and of every EMULA program. Every run is made twice: as usual, and "every sample", in
            which no sensor and no EMULA guard skips a look. Both must give the same journal. Cells with collision
            checks also run for a few seconds "every pair", in which the monitor measures every pair at every
            millisecond.
json        The result that ``drycell run --json`` prints, by key. The keys in DROPPED are left out. Where a result
            names a line of a program, the text of the line is compared, so that lines may move.
recordings  The content of a recording of every cell, and of the runs that ``drycell verify`` finds in
            ``examples/31_verify``: every pose, joint and workpoint at 1,000 instants, every change of a signal, what
            every body is attached to and its start, bit for bit. The bytes of the file may differ.
errors      The errors of the broken inputs in ``oracle_inputs.py``: class, file, and line, column and field of each
            mistake. The wording may differ.

The baseline holds digests, with a few plain figures so that a difference can be explained. It can say up to which
record two journals are equal and which kinds of record differ. To see the lines themselves, keep the journals of the
old tree (a worktree of an older commit) and compare with them:

    cd OLD_TREE && .venv/bin/python tools/oracle.py record --only journals --keep /tmp/old --baseline /tmp/old.json
    cd NEW_TREE && .venv/bin/python tools/oracle.py compare --only journals --against /tmp/old

Renames: when a word of the journal is renamed on purpose, add it to RENAMED, and leave it there for as long as the
baseline is from before the rename. A key is a whole string of the journal (a kind, a subject, the name of a field, or
a value); the table also applies to JSON results, names of tracks and classes of errors. When the oracle compares with
digests, it turns new words back into old ones before it computes the digest of a new journal. This gives the same
answer as renaming the old side if no two old words become the same new word and no new word was in use before; the
oracle checks both and refuses otherwise. With ``--against`` it renames the old lines instead, and needs neither.

``bench`` measures the figures of ``make bench`` (without those of the studio), and two of its own: ``import_ms``,
the CPU time of ``import drycell`` in a new process, and ``load_60_ms``, the CPU time of reading a cell file with sixty
things. Both trees are measured alternately, and the best of all rounds counts. A figure that is more than 5 % worse is
measured again up to RETRIES times before it is flagged. Run it on a machine that does nothing else.

All names of drycell that the oracle uses are in the section "Adapter" below: when code moves, adapt that section only.
"""

import argparse
import contextlib
import gzip
import hashlib
import importlib.util
import io
import json
import multiprocessing
import os
import platform
import re
import resource
import shlex
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tools")]

from oracle_inputs import BROKEN, Files, sixty_things  # noqa: E402

BASELINE: Final = ROOT / "tools" / "oracle.json"
GROUPS: Final = ("journals", "json", "recordings", "errors")

RENAMED: Final[dict[str, str]] = {
    "crash": "collision",
    "crash over": "collision over",
    "crashes": "collisions",
    "affix": "attach",  # voice: ok
    "affixed to": "attached to",  # voice: ok
}
"""Words of the journal that were renamed on purpose: old word, new word."""

DROPPED: Final = ("wall", "wall_s", "speed", "journal_sha256")
"""Keys of JSON results that are not compared: wall-clock times, and the hash that the group journals compares."""

SEEDS: Final = (0, 1, 2, 3, 7)
QUICK: Final = 7
"""The seed of quick comparisons and of recordings."""

EXTRA: Final = {
    "oracle/every_kind": "tools/oracle_cells/every_kind",
    "oracle/press": "tools/oracle_cells/press",
    "tests/busy_cell": "tests/determinism/busy_cell.py",
}
"""Cells beside the examples."""

UNTIL: Final = {"30_event_cell": "6min", "35_two_kinds": "3min", "70_learning/agv": "1min"}
"""Cells that take long, and when they end here. The others run to their end."""

PROGRAMS: Final = {"30_event_cell": ("robot=robot.py",), "35_two_kinds": ("robot=robot.py",)}
"""Cells that also run with another program in place of their own."""

EVERY_PAIR: Final = {
    "00_first_cell": None,  # to its end: it has a near miss
    "01_shared_nest": "2s",
    "20_sensors/sort": "3s",
    "30_event_cell": "3s",
    "32_nets/steered": "2s",
    "34_search": "3s",
    "35_two_kinds": "2s",
    "40_teach": "3s",
    "70_learning/agv": "5s",
}
"""Cells whose collision checks also run without skipping, and for how long: a second takes up to 3 s of CPU time."""

EVERY_PAIR_SEEDS: Final = (0, 7)
INSTANTS: Final = 1000

# ---------------------------------------------------------------- Adapter: everything that names drycell's internals


def run_command(arguments: Sequence[str]) -> int:
    """The command line of drycell, in this process."""
    from drycell.cli.main import main

    return main(arguments)


def run_cell(path: Path, until: float) -> None:
    """Builds and runs the cell at a path, and lets its error through."""
    from drycell.cell import CellSource

    CellSource.find(path).build().run(until=until)


def mistakes_of(error: BaseException) -> list[tuple[int | None, int | None, str]]:
    """Line, column and field of every mistake that an error lists."""
    listed = [(each.line, each.column, each.field) for each in getattr(error, "mistakes", ())]
    return listed or [(each.span.line, each.span.column, "") for each in getattr(error, "diagnostics", ())]


@contextlib.contextmanager
def every_sample() -> Iterator[None]:
    """Sensors and EMULA's guards take every look, even where nothing can have changed."""
    from drycell.languages.emula import Emulation
    from drycell.sensors import LiveSensor

    with _given(LiveSensor, skip=False), _given(Emulation, look_every_cycle=True):
        yield


@contextlib.contextmanager
def every_pair() -> Iterator[None]:
    """Collision monitors measure every pair at every instant, by the brute force that the tests compare them with."""
    from drycell.world import CollisionMonitor

    brute_force = _module(ROOT / "tests" / "world" / "test_skipping.py").BruteForce
    plain = CollisionMonitor.__init__

    def watch_everyone(self: Any, world: Any, *args: Any, **options: Any) -> None:
        self.everyone = dict.fromkeys(world.bodies.values())
        world.subscribe(lambda body: self.everyone.update(dict.fromkeys(world.subtree(body))))
        plain(self, world, *args, **options)

    with _patched(CollisionMonitor, __init__=watch_everyone, observe=brute_force.observe, _note=brute_force._note):
        yield


def tracks(path: Path) -> Iterator[tuple[str, object]]:
    """All that a recording holds, by name: plain values, with floats as they are."""
    from drycell.recording import Recording

    with Recording.open(path) as run:
        header, end = run.header, run.duration
        instants = [end * k // (INSTANTS - 1) for k in range(INSTANTS)]
        yield "header", [header.cell, header.seed, header.until, end, list(header.choices), header.outcome["ending"]]
        yield "journal", list(run.journal_lines())
        named: dict[str, list[Any]] = {}
        for body in run.bodies:
            named.setdefault(body.name, []).append(body)
        for name, bodies in named.items():
            for body in bodies:
                bounds = None if body.shape is None else body.shape.bounds
                fixed = [bounds, body.material, body.part, body.hole, body.born, body.gone]
                since = [(each.start, each.parent and each.parent.name) for each in body.history]
                attached = [each for k, each in enumerate(since) if k == 0 or each[1] != since[k - 1][1]]
                yield f"body {name}{'' if body is bodies[0] else f' (born {body.born})'}", [fixed, attached]
            there = [any(body.exists(t) for body in bodies) for t in instants]
            yield f"pose {name}", [run.pose(name, t).rows if here else None for t, here in zip(instants, there)]  # noqa: B905
        for name in run.world.workpoints:
            yield f"workpoint {name}", [run.pose(name, t).rows for t in instants]
        for name in run.linkages:
            yield f"joints {name}", [run.joints(name, t) for t in instants]
        for name, signal in run.signals.items():
            yield f"signal {name}", [signal.type, signal.unit, list(signal)]
        for name, sensor in run.sensors.items():
            volumes = [(shape.bounds, pose.rows) for shape, pose in sensor.volumes]
            yield f"sensor {name}", [sensor.kind, sensor.model, sensor.body.name, sensor.rest, volumes, sensor.lines]


# These run in processes of their own, in the old tree and in the new one: add the new way, and keep the old one.

BENCH_COMMAND: Final = """
import sys
try:
    from benchmarks.__main__ import main
except ImportError:
    from drycell.cli.main import main
    sys.argv.insert(1, "bench")
sys.exit(main())
"""
"""Prints figures; their names and ``--json`` are its arguments."""

BENCH_LIMITS: Final = """
import json
try:
    from benchmarks.__main__ import SUBJECTS
except ImportError:
    from drycell.cli.bench import SUBJECTS
print(json.dumps({name: [subject.sense, subject.limit] for name, subject in SUBJECTS.items()}))
"""
"""Prints ``{figure: ["at least" or "at most", limit]}``; run in the old tree."""

READ_CELL_FILE: Final = """
import drycell.cell
try:
    from drycell.cell import Model
    read = Model.read
except ImportError:
    from drycell.cell.file import read_cell_file as read
"""
"""Defines ``read(text)``, which reads a cell file without building a cell."""


def _module(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(f"oracle_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


@contextlib.contextmanager
def _patched(owner: type, **changes: Any) -> Iterator[None]:
    before = {name: getattr(owner, name) for name in changes}
    for name, value in changes.items():
        setattr(owner, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(owner, name, value)


@contextlib.contextmanager
def _given(owner: Any, **options: Any) -> Iterator[None]:
    """Within this context a class gets these keyword arguments, for all its instances."""
    plain = owner.__init__

    def made(self: Any, *args: Any, **others: Any) -> None:
        plain(self, *args, **{**others, **options})

    with _patched(owner, __init__=made):
        yield


# ---------------------------------------------------------------- What is run


@dataclass(frozen=True)
class Case:
    """A cell of the examples, or an EMULA program, with what ``drycell run`` or ``drycell emula`` gets for it."""

    name: str
    arguments: tuple[str, ...]
    kind: str = "cell"  # or "emula", "search"


def cases() -> list[Case]:
    """All examples that can be run, in order."""
    found = []
    folder = ROOT / "examples"
    paths = sorted({each.parent for name in ("cell.yaml", "cell.py") for each in folder.rglob(name)})
    cells = {path.relative_to(folder).as_posix(): path.relative_to(ROOT).as_posix() for path in paths}
    for name, path in (cells | EXTRA).items():
        arguments = (path, *(("--until", UNTIL[name]) if name in UNTIL else ()))
        found.append(Case(name, arguments))
        found.extend(Case(f"{name} with {each}", (*arguments, "--program", each)) for each in PROGRAMS.get(name, ()))
        if name.startswith("31_verify/"):
            found.append(Case(f"{name} searched", (path, "--budget", "100"), "search"))
    for file in sorted((folder / "10_emula").glob("*.eml")):
        command = re.search(r"^ +drycell emula (.*?) ?\*/$", file.read_text(encoding="utf-8"), re.MULTILINE)
        if command is None:
            raise SystemExit(f"{file} does not say how it is run: its first comment must end with the command")
        found.append(Case(f"10_emula/{file.stem}", tuple(shlex.split(command[1])), "emula"))
    return found


@dataclass(frozen=True)
class Job:
    """What a worker process does: a case, or all broken inputs."""

    case: Case | None
    groups: tuple[str, ...]
    seeds: tuple[int, ...]
    folder: str  # for journals
    quick: bool


Items = dict[str, dict[str, Any]]  # by name; each is plain data
Found = dict[str, Items]  # by group


def work(job: Job) -> tuple[Found, list[str], list[str]]:
    """Runs one job; returns its items, the words of its journals, and what failed."""
    os.chdir(ROOT)  # results name files as seen from here
    found: Found = {group: {} for group in job.groups}
    words: set[str] = set()
    troubles: list[str] = []
    with tempfile.TemporaryDirectory(prefix="oracle-") as scratch:
        worker = Worker(job, Path(scratch), found, words, troubles)
        if job.case is None:
            found["errors"] = {name: worker.broken(name, files) for name, files in BROKEN.items()}
        else:
            {"cell": worker.cell, "emula": worker.emula, "search": worker.search}[job.case.kind](job.case)
    return found, sorted(words), troubles


@dataclass
class Worker:
    """Runs the case of a job in all its variants."""

    job: Job
    scratch: Path
    found: Found
    words: set[str]
    troubles: list[str]

    def cell(self, case: Case) -> None:
        """A cell: as usual, every sample, every pair."""
        journals = "journals" in self.job.groups
        seeds = self.job.seeds if journals or "json" in self.job.groups else (QUICK,)
        for seed in seeds:
            name = f"{case.name}, seed {seed}"
            recorded = "recordings" in self.job.groups and seed == QUICK
            usual = self.run(name, case.arguments, seed, recorded)
            if usual is None or not journals:
                continue
            with every_sample():
                self.twin(name, "every sample", case.arguments, seed, usual)
            if case.name in EVERY_PAIR and seed in EVERY_PAIR_SEEDS and not self.job.quick:
                until = EVERY_PAIR[case.name]
                short = case.arguments if until is None else (case.arguments[0], "--until", until)
                plain = usual if until is None else self.run(f"{name}, until {until}", short, seed, False)
                if plain is not None:
                    with every_pair():
                        self.twin(name if until is None else f"{name}, until {until}", "every pair", short, seed, plain)

    def twin(self, name: str, how: str, arguments: Sequence[str], seed: int, usual: str) -> None:
        """A run without skipping: its journal must be that of the usual run."""
        digest = self.run(f"{name}, {how}", arguments, seed, False, plain=True)
        if digest is not None and digest != usual:
            self.troubles.append(f"{name}: without skipping ({how}) the journal is another one")

    def run(self, name: str, arguments: Sequence[str], seed: int, recorded: bool, plain: bool = False) -> str | None:
        """One run; puts down its journal, its JSON result and its recording. Returns the digest of the journal."""
        journal, record = self.scratch / "run.jsonl", self.scratch / "run.dry"
        command = ["run", *arguments, "--seed", str(seed), "--json", "--journal", str(journal)]
        code, out, err = called([*command, *(("--record", str(record)) if recorded else ())])
        if code not in (0, 2):
            self.troubles.append(f"{name}: cannot be run (exit code {code}): {err.strip()[-600:]}")
            return None
        data = journal.read_bytes()
        result = json.loads(out)
        if result.get("journal_sha256") != hashlib.sha256(data).hexdigest():
            self.troubles.append(f"{name}: 'journal_sha256' of the result is not the hash of the journal")
        item = self.journal(name, data, brief=plain)
        if "json" in self.found and not plain:
            self.found["json"][name] = summary_of(result, code)
        if recorded:
            self.recording(name, record, data)
        return str(item["sha256"])

    def journal(self, name: str, data: bytes, *, brief: bool = False, lines: bool = True) -> dict[str, Any]:
        """Puts down a journal, and keeps it."""
        text = data.decode()
        item = described(text, brief) if lines else {"sha256": digest(text, 64), "lines": text.count("\n")}
        if "journals" in self.found:
            self.found["journals"][name] = item
            if lines and not brief:
                self.words.update(words_of(text))
            with gzip.GzipFile(kept(Path(self.job.folder), name), "wb", mtime=0) as file:
                file.write(data)
        return item

    def recording(self, name: str, path: Path, journal: bytes) -> None:
        """Puts down what a recording holds."""
        item: dict[str, Any] = {}
        for track, values in tracks(path):
            if track == "journal":
                if "".join(f"{line}\n" for line in values) != journal.decode():  # type: ignore[attr-defined]
                    self.troubles.append(f"{name}: the journal in the recording is not the one of the run")
                continue
            item[turned_back(track)] = digest(repr(plain_values(values)))
        self.found["recordings"][name] = item

    def search(self, case: Case) -> None:
        """A search: how it ends, and the recording of what it finds."""
        if "recordings" not in self.job.groups:
            return
        code, _, err = called(["verify", *case.arguments, "--out", str(self.scratch)])
        if code not in (0, 2):
            self.troubles.append(f"{case.name}: ended with {code}: {err.strip()[-600:]}")
        item: dict[str, Any] = {"exit code": code}
        for path in sorted(self.scratch.glob("*.dry")):
            for track, values in tracks(path):
                item[f"{path.stem}: {turned_back(track)}"] = digest(repr(plain_values(values)))
        self.found["recordings"][case.name] = item

    def emula(self, case: Case) -> None:
        """A program in EMULA: its journal, and the pages it draws."""
        if "journals" not in self.job.groups:
            return
        for seed in self.job.seeds:
            name = f"{case.name}, seed {seed}"
            usual = self.session(name, case, seed)
            with every_sample():
                if self.session(f"{name}, every sample", case, seed) != usual:
                    self.troubles.append(f"{name}: without skipping (every sample) the session is another one")

    def session(self, name: str, case: Case, seed: int) -> dict[str, Any]:
        """One session."""
        out = Path(tempfile.mkdtemp(dir=self.scratch))
        journal = out / "session.journal"
        options = ["--seed", str(seed), "--out", str(out), "--journal", str(journal)]
        code, _, err = called(["emula", *case.arguments, *options])
        if code not in (0, 2):
            self.troubles.append(f"{name}: cannot be run (exit code {code}): {err.strip()[-600:]}")
            return {}
        item = self.journal(name, journal.read_bytes(), lines=False)
        for page in sorted(out.glob("*.svg")):
            item[f"page {page.name}"] = digest(page.read_text(encoding="utf-8"))
        return item

    def broken(self, name: str, files: Files) -> dict[str, Any]:
        """The error that a broken input gives."""
        folder = self.scratch / "broken" / re.sub(r"\W+", "_", name)
        folder.mkdir(parents=True)
        for file, text in files.items():
            (folder / file).write_text(text, encoding="utf-8")
        try:
            with silence():
                run_cell(folder, until=60)
        except Exception as error:
            places = re.findall(r"([\w-]+\.\w+):(\d+)(?::(\d+))?", str(error).replace(str(folder), ""))
            listed = [list(each) for each in mistakes_of(error)]
            said = {":".join(filter(None, place)) for place in places}
            main = places[0][0] if places else next((file for file in files if file in str(error)), "")
            known = {":".join(map(str, [main, *each[:2]])) for each in listed}
            return {
                "class": turned_back(type(error).__name__),
                "file": main,
                "mistakes": listed,
                "other places": sorted(said - known),
            }
        self.troubles.append(f"{name}: this broken input is no longer refused")
        return {"class": "none", "file": "", "mistakes": [], "other places": []}


@contextlib.contextmanager
def silence() -> Iterator[tuple[io.StringIO, io.StringIO]]:
    """Catches what is printed."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def called(arguments: Sequence[str]) -> tuple[int, str, str]:
    """A command of drycell: its exit code, and what it prints."""
    with silence() as (out, err):
        try:
            code = run_command(arguments)
        except SystemExit as left:
            code = int(left.code or 0)
        except Exception as error:
            code = 1
            print(f"{type(error).__name__}: {error}", file=err)
    return code, out.getvalue(), err.getvalue()


# ---------------------------------------------------------------- What is kept of it


def digest(text: str, length: int = 16) -> str:
    """The beginning of the SHA-256 of a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:length]


def plain_values(value: Any) -> Any:
    """Tuples as lists, and numbers of numpy as Python's, so that only the values count and not their types."""
    if isinstance(value, (list, tuple)):
        return [plain_values(each) for each in value]
    if isinstance(value, dict):
        return {key: plain_values(each) for key, each in value.items()}
    return value.item() if hasattr(value, "item") else value


def marks(count: int) -> list[int]:
    """Numbers of records at which two journals can be compared: four to each doubling."""
    steps = (quarter << power for power in range(count.bit_length()) for quarter in (4, 5, 6, 7))
    return [1, 2, 3, *(step for step in steps if step <= count)]


def described(text: str, brief: bool) -> dict[str, Any]:
    """A journal in JSON lines as digests: of the whole, of each kind of record, and of its beginnings."""
    lines = renamed_lines(text, BACK)
    item: dict[str, Any] = {"sha256": digest("".join(f"{line}\n" for line in lines), 64), "records": len(lines)}
    if brief:
        return item
    item["end"] = time_of(lines[-1]) if lines else 0.0
    kinds: dict[str, list[str]] = {}
    for line in lines:
        kinds.setdefault(json.loads(line)["kind"], []).append(line)
    item["kinds"] = {kind: [len(some), digest("\n".join(some), 8)] for kind, some in sorted(kinds.items())}
    item["marks"] = [digest("\n".join(lines[:count]), 6) for count in marks(len(lines)) if count <= len(lines)]
    return item


def time_of(line: str) -> float:
    """The time of a record, in seconds."""
    return float(json.loads(line)["t"])


def summary_of(result: dict[str, Any], code: int) -> dict[str, Any]:
    """A JSON result by key: short values as they are, long ones as digests."""
    item: dict[str, Any] = {"exit code": code}
    for key, value in renamed_value(with_lines(result), BACK).items():
        if key in DROPPED:
            continue
        text = json.dumps(value, sort_keys=True)
        size = f"{len(value)} entries, " if isinstance(value, (list, dict)) else ""
        item[key] = value if len(text) <= 200 else f"{size}sha256 {digest(text)}"
    return item


def with_lines(value: Any) -> Any:
    """Replace line numbers with the text of the line, wherever a file and a line are named."""
    if isinstance(value, list):
        return [with_lines(each) for each in value]
    if not isinstance(value, dict):
        return value
    made = {key: with_lines(each) for key, each in value.items()}
    if isinstance(made.get("file"), str) and made["file"].startswith(f"{ROOT}/"):
        made["file"] = made["file"].removeprefix(f"{ROOT}/")
    if isinstance(made.get("file"), str) and isinstance(made.get("line"), int) and (ROOT / made["file"]).is_file():
        made["line"] = (ROOT / made["file"]).read_text(encoding="utf-8").splitlines()[made["line"] - 1].strip()
    return made


def kept(folder: Path, name: str) -> Path:
    """Where the journal of an item is kept."""
    return folder / (re.sub(r"[^\w.-]+", "_", name) + ".journal.gz")


# ---------------------------------------------------------------- Renames

BACK: Final = {new: old for old, new in RENAMED.items()}


def turned_back(name: str) -> str:
    """A name as it was before it was renamed; of ``signal eye``, the part after the first word."""
    head, _, rest = name.partition(" ")
    return BACK.get(name, f"{head} {BACK.get(rest, rest)}" if rest else name)


def renamed_value(value: Any, table: dict[str, str]) -> Any:
    """Replace all whole strings that are in a table, including keys."""
    if not table:
        return value
    if isinstance(value, str):
        return table.get(value, value)
    if isinstance(value, list):
        return [renamed_value(each, table) for each in value]
    if isinstance(value, dict):
        return {table.get(key, key): renamed_value(each, table) for key, each in value.items()}
    return value


_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def renamed_lines(text: str, table: dict[str, str]) -> list[str]:
    """The lines of a journal with all whole strings of a table replaced, everything else untouched."""
    if table:
        quoted = {json.dumps(word): json.dumps(other) for word, other in table.items()}
        text = _STRING.sub(lambda found: quoted.get(found[0], found[0]), text)
    return text.splitlines()


def words_of(text: str) -> set[str]:
    """The strings of a journal that a rename could be about: those without digits, of at most 40 characters."""
    found = {json.loads(each) for each in set(_STRING.findall(text))}
    return {word for word in found if len(word) <= 40 and not re.search(r"\d", word)}


def check_renames(words: Iterable[str], exact: bool) -> None:
    """End the program if a rename cannot be reverted."""
    if exact:
        return
    if len(BACK) < len(RENAMED):
        raise SystemExit("RENAMED makes one word of two: compare with kept journals (--against DIR)")
    taken = sorted(set(RENAMED.values()) & set(words) - set(RENAMED))
    if taken:
        raise SystemExit(
            f"RENAMED: {taken} were words of the journal before: compare with kept journals (--against DIR)"
        )


# ---------------------------------------------------------------- Comparing


def differences(group: str, old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """What differs between two items, in words."""
    if group == "journals" and "records" in old:
        return _journal_differences(old, new)
    said = []
    for key in [*old, *(each for each in new if each not in old)]:
        if key not in new:
            said.append(f"{key} is gone")
        elif key not in old:
            said.append(f"{key} is new")
        elif old[key] != new[key]:
            if group == "recordings" and key != "exit code":
                said.append(f"{key} differs")
            else:
                said.append(f"{key} was {_short(old[key])}, is {_short(new[key])}")
    return said


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 160 else f"{text[:150]} …"


def _journal_differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    if old["sha256"] == new["sha256"]:
        return []
    said = [f"the journal differs: {old['records']} records before, {new['records']} now"]
    if "marks" not in old or "marks" not in new:
        return said
    if old["end"] != new["end"]:
        said.append(f"it ended at {old['end']} s, now at {new['end']} s")
    counts = marks(min(old["records"], new["records"]))
    equal = [n for n, a, b in zip(counts, old["marks"], new["marks"], strict=False) if a == b]
    first = next((n for n, a, b in zip(counts, old["marks"], new["marks"], strict=False) if a != b), None)
    same = max((n for n in equal if first is None or n < first), default=0)
    said.append(
        f"the first {same} records are the same"
        + ("" if first is None else f", the first difference is by record {first}")
    )
    for kind in sorted(old["kinds"] | new["kinds"]):
        before, now = old["kinds"].get(kind, [0, ""]), new["kinds"].get(kind, [0, ""])
        if before != now:
            counted = f"{before[0]} before, {now[0]} now" if before[0] != now[0] else f"{now[0]}, with other content"
            said.append(f"records of kind '{kind}': {counted}")
    return said


def line_differences(name: str, old: Path, new: Path) -> list[str] | None:
    """What differs between two kept journals, the old one renamed; None if the old one was not kept."""
    if not kept(old, name).is_file():
        return None
    texts = [gzip.decompress(kept(folder, name).read_bytes()).decode() for folder in (old, new)]
    before, now = renamed_lines(texts[0], RENAMED), renamed_lines(texts[1], {})
    if before == now:
        return []
    place = next((k for k, (a, b) in enumerate(zip(before, now, strict=False)) if a != b), min(len(before), len(now)))
    gone, come = Counter(before) - Counter(now), Counter(now) - Counter(before)
    return [
        f"{len(before)} records before, {len(now)} now; {gone.total()} of the old are gone, {come.total()} are new",
        f"first difference at record {place + 1}:",
        f"  was {before[place] if place < len(before) else '(the end)'}",
        f"  is  {now[place] if place < len(now) else '(the end)'}",
    ]


def gather(
    options: argparse.Namespace, folder: Path, wanted: Callable[[Case], bool]
) -> tuple[Found, list[str], list[str]]:
    """Runs what the options ask for, in a few processes."""
    groups = tuple(options.only)
    seeds = (QUICK,) if options.quick else SEEDS
    chosen = [case for case in cases() if wanted(case)]
    jobs: list[Job] = []
    if set(groups) - {"errors"}:
        # The longest go first, so that no process waits for the last of them alone.
        ordered = sorted(
            chosen, key=lambda case: (case.name.split(" with ")[0] not in (*UNTIL, *EVERY_PAIR), case.name)
        )
        jobs += [Job(case, groups, seeds, str(folder), options.quick) for case in ordered]
    if "errors" in groups and not options.cells:
        jobs.append(Job(None, groups, seeds, str(folder), options.quick))
    found: Found = {group: {} for group in groups}
    words: set[str] = set()
    troubles: list[str] = []
    # Processes that are started anew share nothing with this one, and do not depend on its hash seed.
    with multiprocessing.get_context("spawn").Pool(min(options.jobs, max(len(jobs), 1))) as pool:
        for number, (items, more, said) in enumerate(pool.imap(work, jobs, chunksize=1), 1):
            for group in groups:
                found[group].update(items.get(group, {}))
            words.update(more)
            troubles += said
            if sys.stderr.isatty():
                print(f"\r{number} of {len(jobs)} examples", end="", file=sys.stderr, flush=True)
        pool.close()
        pool.join()
    if sys.stderr.isatty():
        print("\r\033[K", end="", file=sys.stderr)
    return {group: dict(sorted(items.items())) for group, items in found.items()}, sorted(words), troubles


def record(options: argparse.Namespace) -> int:
    """Writes the baseline."""
    if options.quick:
        raise SystemExit("a baseline has all seeds: leave --quick out")
    path = Path(options.baseline)
    kept_before: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    known = {name.partition(", ")[0] for group in options.only for name in kept_before.get(group, ())}
    with _journal_folder(options.keep) as folder:
        found, words, troubles = gather(options, folder, lambda case: _chosen(options, case, known))
    for each in troubles:
        print(f"not recorded, because {each}")
    if troubles:
        return 1
    merge = options.missing or options.cells
    baseline = {
        "made": {"commit": _commit(), "python": platform.python_version(), "machine": platform.machine()},
        "words": sorted(
            {
                *(BACK.get(word, word) for word in words),
                *(kept_before.get("words", ()) if merge or "journals" not in found else ()),
            }
        ),
    }
    for group in GROUPS:
        old: Items = kept_before.get(group, {})
        new = found.get(group, old)
        baseline[group] = dict(
            sorted(({**new, **old} if options.missing else {**old, **new} if merge else new).items())
        )
    path.write_text(_as_text(baseline), encoding="utf-8")
    counted = ", ".join(f"{len(baseline[group])} {group}" for group in GROUPS)
    print(f"recorded in {path}: {counted}; {path.stat().st_size / 1e6:.2f} MB")
    return 0


def compare(options: argparse.Namespace) -> int:
    """Compares with the baseline; 1 if anything differs."""
    path = Path(options.baseline)
    baseline = json.loads(path.read_text(encoding="utf-8"))
    check_renames(baseline["words"], exact=options.against is not None)
    with _journal_folder(options.keep) as folder:
        found, _, troubles = gather(options, folder, lambda case: _chosen(options, case, set()))
        said: dict[str, list[str]] = {"runs": troubles} if troubles else {}
        compared = 0
        unknown = []
        for group, items in found.items():
            expected = {name: item for name, item in baseline[group].items() if _expected(options, group, name)}
            for name in sorted({*expected, *items}):
                if name not in expected:
                    unknown.append(f"{group}: {name}")
                    continue
                compared += 1
                if name not in items:
                    said[f"{group}: {name}"] = ["is in the baseline, but was not run"]
                    continue
                lines = None
                if options.against is not None and group == "journals" and "records" in expected[name]:
                    lines = line_differences(name, Path(options.against), folder)
                differs = differences(group, expected[name], items[name]) if lines is None else lines
                if differs:
                    said[f"{group}: {name}"] = differs
    for heading, lines in said.items():
        print(heading)
        for line in lines[:12]:
            print(f"  {line}")
        if len(lines) > 12:
            print(f"  … and {len(lines) - 12} more")
    for name in unknown:
        print(f"{name}\n  is new and was not compared: 'oracle.py record --missing' adds it")
    made = baseline["made"]
    if said:
        print(f"{len(said)} of {compared} items differ from the baseline of {made['commit'][:9]}")
        if made["machine"] != platform.machine() or made["python"] != platform.python_version():
            print(f"note: the baseline is from Python {made['python']} on {made['machine']}")
        return 1
    if not compared:
        print("nothing was compared: no item of the baseline is among what was run")
        return 1
    print(f"nothing differs: {compared} items as in the baseline of {made['commit'][:9]}")
    return 0


def _chosen(options: argparse.Namespace, case: Case, known: set[str]) -> bool:
    if options.cells and not re.search(options.cells, case.name):
        return False
    return not (getattr(options, "missing", False) and case.name in known)


def _expected(options: argparse.Namespace, group: str, name: str) -> bool:
    if options.cells and (group == "errors" or not re.search(options.cells, name)):
        return False
    if not options.quick or group not in ("journals", "json"):
        return True
    return f", seed {QUICK}" in name and ", until " not in name and ", every pair" not in name


@contextlib.contextmanager
def _journal_folder(given: str | None) -> Iterator[Path]:
    """Where journals are kept: a folder that was asked for, or one that goes away."""
    if given is None:
        with tempfile.TemporaryDirectory(prefix="oracle-journals-") as folder:
            yield Path(folder)
    else:
        Path(given).mkdir(parents=True, exist_ok=True)
        yield Path(given)


def _as_text(baseline: dict[str, Any]) -> str:
    """JSON with an item on each line, so that a difference between two baselines can be read."""
    groups = []
    for group, items in baseline.items():
        if isinstance(items, dict) and group in GROUPS:
            lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(item)}" for name, item in items.items())
            groups.append(f"{json.dumps(group)}: {{\n{lines}\n}}")
        else:
            groups.append(f"{json.dumps(group)}: {json.dumps(items)}")
    return "{\n" + ",\n".join(groups) + "\n}\n"


def _commit() -> str:
    asked = ["git", "rev-parse", "HEAD"]
    return subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


# ---------------------------------------------------------------- Speed

WORSE: Final = 1.05
RETRIES: Final = 2
"""How many times a figure that looks worse is measured again, alternating the trees, before it counts as worse."""

IMPORT: Final = """
import time
begin = time.process_time()
import drycell
print(1e3 * (time.process_time() - begin))
"""

LOAD: Final = """
import sys, time
text = sys.stdin.read()
read(text)
times = []
for _ in range(5):
    begin = time.process_time()
    read(text)
    times.append(time.process_time() - begin)
print(1e3 * min(times))
"""

WHERE: Final = "import drycell; print(drycell.__file__)"


def yardstick() -> float:
    """Milliseconds of CPU time of a fixed loop, best of five: what a figure in ms on this machine is worth."""
    best = float("inf")
    for _ in range(5):
        begin = time.process_time()
        total = 0.0
        for k in range(300_000):
            total += (k * 7919 % 1013) * 0.5
        best = min(best, time.process_time() - begin)
    return 1e3 * best


def _python(tree: Path, *arguments: str, given: str = "", check: bool = True) -> str:
    """What Python prints, with the code of a tree."""
    # Compiled files are kept, as users keep them: without them a tree would be measured by its compilation.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment = {**inherited, "PYTHONPATH": str(tree / "src"), "PYTHONWARNINGS": "ignore"}
    ran = subprocess.run(
        [sys.executable, *arguments],
        cwd=tree,
        env=environment,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    if check and ran.returncode:
        raise SystemExit(
            f"{tree}: python {' '.join(arguments)[:80]} ended with {ran.returncode}:\n{ran.stderr[-2000:]}"
        )
    return ran.stdout


def _figure(tree: Path, name: str) -> float:
    """Measures a figure once. An exit code of 2 only means that it is past its limit."""
    if name == "import_ms":
        return float(_python(tree, "-c", IMPORT))
    if name == "load_60_ms":
        return float(_python(tree, "-c", READ_CELL_FILE + LOAD, given=sixty_things()))
    printed = _python(tree, "-c", BENCH_COMMAND, name, "--json", check=False).strip()
    if not printed:
        raise SystemExit(f"{tree}: the benchmark printed nothing for {name}")
    return float(json.loads(printed.splitlines()[-1])[name])


def bench(options: argparse.Namespace) -> int:
    """Measures two trees in turns, and prints a table; 1 if a figure is more than five per cent worse."""
    trees = [Path(each).resolve() for each in (options.old, options.new)]
    for tree in trees:
        found = Path(_python(tree, "-c", WHERE).strip())
        if tree / "src" not in found.parents:
            raise SystemExit(f"{tree}: Python finds drycell in {found} instead")
    limits: dict[str, list[Any]] = json.loads(_python(trees[0], "-c", BENCH_LIMITS))
    senses = {"import_ms": "at most", "load_60_ms": "at most", **{name: sense for name, (sense, _) in limits.items()}}
    names = options.figures.split(",") if options.figures else list(senses)
    unknown = [name for name in names if name not in senses]
    if unknown:
        raise SystemExit(f"there is no figure {unknown[0]!r}: known are {', '.join(senses)}")
    print(f"old {trees[0]}\nnew {trees[1]}\nbest of {options.rounds}, in turns; yardstick loop {yardstick():.1f} ms")
    load = os.getloadavg()[0]
    busy = " (other processes run: do not trust small differences)" if load > 0.5 else ""
    print(f"load of the machine {load:.1f}{busy}\n")
    print(f"{'figure':<20} {'old':>10} {'new':>10} {'ratio':>7}  better is")
    worse = 0
    for name in names:
        rounds = 10 if name == "import_ms" else options.rounds
        best = min if senses[name] == "at most" else max
        taken: list[list[float]] = [[], []]
        for _ in range(RETRIES + 1):
            for number in range(rounds):
                for side in (0, 1) if number % 2 == 0 else (1, 0):
                    taken[side].append(_figure(trees[side], name))
            old, new = best(taken[0]), best(taken[1])
            ratio = new / old if old else float("inf")
            is_worse = ratio > WORSE if best is min else ratio < 1 / WORSE
            if not is_worse:
                break
        worse += is_worse
        flag = "   MORE THAN 5 % WORSE" if is_worse else ""
        aside = f"   (yardstick {yardstick():.1f} ms)" if name.endswith("_ms") else ""
        direction = "less" if best is min else "more"
        print(f"{name:<20} {old:>10.3f} {new:>10.3f} {ratio:>7.3f}  {direction}{flag}{aside}", flush=True)
    print(f"\n{worse} of {len(names)} figures are more than 5 % worse")
    return 1 if worse else 0


# ---------------------------------------------------------------- The command line


def _groups(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in GROUPS:
            raise argparse.ArgumentTypeError(f"there is no group {name!r}: known are {', '.join(GROUPS)}")
    return names


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="record, compare or bench")
    for name, function in (("record", record), ("compare", compare)):
        command = commands.add_parser(name, help=function.__doc__)
        command.set_defaults(function=function)
        command.add_argument("--only", type=_groups, default=list(GROUPS), metavar="GROUPS", help=", ".join(GROUPS))
        command.add_argument("--cells", metavar="PATTERN", help="only examples whose name matches a regular expression")
        command.add_argument("--quick", action="store_true", help=f"seed {QUICK} only, and no 'every pair'")
        command.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
        command.add_argument("--keep", metavar="DIR", help="keep all journals in this folder, compressed")
        command.add_argument("--baseline", default=str(BASELINE), metavar="FILE", help="default: tools/oracle.json")
        if function is record:
            command.add_argument("--missing", action="store_true", help="only add examples that are not in it yet")
        else:
            command.add_argument("--against", metavar="DIR", help="journals of the old tree, kept with --keep")
    command = commands.add_parser("bench", help=bench.__doc__)
    command.set_defaults(function=bench)
    command.add_argument("old", metavar="OLD_TREE")
    command.add_argument("new", metavar="NEW_TREE")
    command.add_argument("--rounds", type=int, default=3, metavar="N", help="measurements of each (default: 3)")
    command.add_argument("--figures", metavar="NAMES", help="only these, such as cell_vs_wall,load_60_ms")
    options = parser.parse_args()
    begin = time.perf_counter()
    code: int = options.function(options)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    cpu = sum(each.ru_utime + each.ru_stime for each in used)
    print(f"took {time.perf_counter() - begin:.0f} s, {cpu:.0f} s of CPU time")
    return code


if __name__ == "__main__":
    sys.exit(main())
