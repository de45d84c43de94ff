"""An engine that only records its commands, so that the language is tested without geometry."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

from drycell.base import IDENTITY, Pose, deg, inch
from drycell.kernel import Kernel
from drycell.languages.emula import Interpreter, MoveReport, SensorGuard
from drycell.robots import Joint

SLIDES = {"x": (-9, 9), "y": (-29, 29), "z": (0, 17)}


class Display:
    def __init__(self, commands: list[tuple[object, ...]]) -> None:
        self._commands = commands

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given, **named: self._commands.append((f"display.{name}", *given, *named.values()))


class FakeEmulation:
    """Moves at once; the sensors in ``script`` trip the next guarded move that watches them."""

    def __init__(self, out: Path) -> None:
        joints = [Joint(name, "prismatic", a * inch, b * inch, 1, 1, 1) for name, (a, b) in SLIDES.items()]
        joints += [Joint(name, "revolute", -135 * deg, 135 * deg, 1, 1, 1) for name in ("roll", "pitch", "yaw")]
        joints += [Joint("gripper", "prismatic", 0, 3.25 * inch, 1, 1, 1)]
        self.robot = SimpleNamespace(mechanism=SimpleNamespace(joints=joints))
        self.motors = {joint.name: 0.0 for joint in joints}
        self.sensors: dict[int, float] = {}
        self.attached: dict[int, str] = {}
        self.held: dict[str, str] = {}
        self.cell = SimpleNamespace(kernel=Kernel())
        self.commands: list[tuple[object, ...]] = []
        self.notes: list[tuple[str, str]] = []
        self.said: list[str] = []
        self.echo = self.said.append
        self.display = Display(self.commands)
        self.out = out
        self.script: list[int] = []
        self._started: MoveReport | None = None

    def move_by(
        self, deltas: Mapping[str, float], guard: SensorGuard | None = None, *, wait: bool = True
    ) -> MoveReport:
        return self.move_to({name: self.motors[name] + by for name, by in deltas.items()}, guard, wait=wait)

    def move_to(
        self, targets: Mapping[str, float], guard: SensorGuard | None = None, *, wait: bool = True
    ) -> MoveReport:
        self.commands.append(("move_to", dict(targets), guard, wait))
        self.motors.update(targets)
        tripped = None
        if guard is not None and self.script and self.script[0] in guard.sensors:
            tripped = self.script.pop(0)
            self.sensors[tripped] = guard.limit
        report = MoveReport(
            len(targets), 1.5, 41, tripped, guard.limit if guard and tripped else 0.0, "finger1 touches parta"
        )
        if not wait:
            self._started = report
        return report

    def wait_move(self) -> MoveReport:
        self.commands.append(("wait_move",))
        assert self._started is not None
        return self._started

    def poll(self, sensor: int) -> float:
        return self.sensors.get(sensor, 0.0)

    def label(self, sensor: int) -> str:
        return str(sensor)

    def note(self, line: str, kind: str = "command") -> None:
        self.notes.append((kind, line))

    def grasp(self, body: str, at: Sequence[float] | None = None, from_: str | None = None) -> bool:
        self.commands.append(("grasp", body, at, from_))
        return True

    def translate(self, body: str, *shift: float, frame: str | None = None) -> None:
        self.commands.append(("translate", body, *shift, *([] if frame is None else [frame])))

    def place(self, body: str, frame: str | None = None) -> tuple[str, str | None, Pose]:
        return body, None, IDENTITY

    def __getattr__(self, name: str) -> Callable[..., None]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *arguments: self.commands.append((name, *arguments))


@pytest.fixture
def engine(tmp_path: Path) -> FakeEmulation:
    return FakeEmulation(tmp_path)


@pytest.fixture
def session(engine: FakeEmulation) -> Interpreter:
    return Interpreter(engine, echo=engine.echo)  # type: ignore[arg-type]


@pytest.fixture
def shown(engine: FakeEmulation, session: Interpreter) -> Callable[[str], str]:
    """What a program prints."""

    def run(text: str) -> str:
        engine.said.clear()
        session.execute(text)
        return "\n".join(engine.said)

    return run


@pytest.fixture
def tables() -> dict[int, str]:
    """Tables 1 to 4 as printed, with the misprint of table 2 corrected and the missing line of table 3 restored."""
    return {
        1: TABLE_1,
        2: TABLE_2,
        3: TABLE_3,
        4: TABLE_4,
    }


TABLE_1 = """\
attach (1,contact,finger1,parta)
attach (2,contact,finger2,parta)

/* separate contact check for each finger and parta */

move (-2,10,8) /* moves over and above part */
movedown (10) until sensors (1,2) exceed (10) /* guarded move */
open /* open fingers */
rotate (90)
movedown (1)
close until sensors (1,2) exceed (10) /* close fingers around part */
grasp (parta)
moveup (10)
move (2,-10, 0)
attach (3,contact,gripper,table)
movedown (10) until sensors (1,2,3) exceed (10) /* guarded
move */
"""
TABLE_2 = """\
attach (1,random,6, .1, .8)
/* probabilistic test, starting with probability .1 and reaching
.8 in 6 cycles */

move (-2,10,8) /* moves over and above part */
movedown (10) until sensors (1,2) exceed (10) /* guarded move */
open /* open fingers */
rotate (90)
movedown (1)
close until sensors (1,2) exceed (10) /* close fingers around
part */
grasp(parta) at (1,0,0) from (finger1)
/* the position of block adjusted; it will move with finger1 */
"""
TABLE_3 = """\
draw
  /* draw manipulator in current position */
setdisplaytk(5)
  /* set drawing to 1 time per 5 basic cycles
    incremental mode is default */
attach (1,contact,finger1,parta)
attach (2,contact,finger2,parta)
  /* separate contact check for each finger and parta */
move (-2,10,8)
                    /* moves over and above part */
erase
  /* erase display */
setdrawall(1)
  /* set display to redraw whole model each time */
seterase(1)
  /* set display to erase between drawings */
movedown (10) until sensors (1,2) exceed (10) /* guarded move */
draw
setdisplay(0)
  /* set display off */
open /* open fingers */
rotate (90)
movedown (1)
close until sensors (1,2) exceed (10) /* close fingers around part */
grasp (parta)
  /* inform system that parta is to move with manipulator */
setdisplay(1)
  /* reset display to on */
setincrement(0)
  /* set for complete moves */
moveup (10)
move (2,-10, 0)
attach (3,contact,gripper,table)
setincrement(1)
  /* reset for incremental motion */
movedown (10) until sensors (1,2,3) exceed (10) /* guarded
move */
draw
"""
TABLE_4 = """\
setdisplay (0);
startupmotors;
open (1); /* open fingers */
setcrashchk (1, 'FINGER1', 'FINGER2');
close (0); /* close fingers */
setjournal (0);
"""
