"""The paper's workstation with a session, and a way to give it commands."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest

from drycell.base import deg, inch
from drycell.cell import Cell, Result
from drycell.languages.emula import Emulation, UserFunction, build_workstation
from drycell.world import LiveBody


class Session:
    """A workstation; ``run`` gives a program to it, which calls the emulation's commands."""

    def __init__(
        self,
        folder: Path,
        model: str = "stylised",
        seed: int = 0,
        answers: Iterable[str] | None = None,
        ask: Callable[[str], str] | None = None,
        functions: Mapping[str, UserFunction] | None = None,
        look_every_cycle: bool = False,
        clearance: float | None = None,
    ) -> None:
        self.cell = Cell("workstation", seed=seed)
        self.robot = build_workstation(self.cell, model)
        self.lines: list[str] = []
        self.emulation = Emulation(
            self.cell,
            self.robot,
            echo=self.lines.append,
            answers=None if answers is None else iter(answers),
            ask=ask,
            functions=functions,
            out=folder,
            look_every_cycle=look_every_cycle,
        )
        if clearance is not None:
            self.emulation.set_clearance(clearance)

    def run(self, program: Callable[[], object]) -> Result:
        self.cell.program(program, name="session")
        return self.cell.run()

    def body(self, name: str) -> LiveBody:
        return self.cell.world.body(name)

    @property
    def inches(self) -> dict[str, float]:
        """The motors in inches and degrees, to a millionth."""
        turns = ("roll", "pitch", "yaw")
        motors = self.emulation.motors.items()
        return {name: round(value / (deg if name in turns else inch), 6) + 0.0 for name, value in motors}

    def place(self, name: str) -> tuple[float, ...]:
        """Where a body's middle is, in inches, to a millionth."""
        return tuple(round(value / inch, 6) + 0.0 for value in self.body(name).pose.position)


Start = Callable[..., Session]


@pytest.fixture
def start(tmp_path: Path) -> Start:
    """Sets up a session: ``start(model="hand", seed=3)``."""

    def made(**given: object) -> Session:
        return Session(tmp_path, **given)  # type: ignore[arg-type]

    return made


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)
