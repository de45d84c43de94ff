"""The verbs that add what controls a cell: machine tools, logic blocks, controllers."""

from collections.abc import Mapping
from typing import Any

from drycell.cell.devices.verbs import DeviceVerbs
from drycell.cell.placing import Place
from drycell.devices import Device
from drycell.devices.controller import PULSE, Controller, Key
from drycell.devices.logic import SCAN, Logic, RuleError
from drycell.devices.machine import MachineTool, Times
from drycell.devices.scorbot_controller import ScorbotController
from drycell.errors import KernelError, UnknownName
from drycell.kernel import Signal
from drycell.robots import HandlingRobot, Mechanism, load_robot
from drycell.spatial import IDENTITY
from drycell.world import Body, Who


class ControlVerbs(DeviceVerbs):
    """What a cell can do about machines, logic and controllers."""

    robots: dict[str, HandlingRobot]
    controllers: dict[str, Controller]
    _scorbots: dict[str, ScorbotController]

    def add_machine(
        self,
        name: str,
        *,
        duration: Times,
        model: str | Mechanism = "machine-tool",
        door: bool = False,
        needs_part: bool = False,
        breaks: float | None = None,
        repair: Times | None = None,
        at: Place = IDENTITY,
        on: Who | Device | None = None,
        parent: Who | Device | None = None,
    ) -> MachineTool:
        """Sets up a machine that works on what lies on its fixture, for a time or for one of a declared interval.

        See :class:`~drycell.devices.machine.MachineTool` for its signals, its ``door`` and how it ``breaks``.
        """
        self._new(name)
        mechanism = load_robot(model) if isinstance(model, str) else model
        carrier, pose = self._stand(Body(name, mechanism.base), at, on, parent)
        made = MachineTool(
            self.kernel,
            self.world,
            self.ledger,
            name,
            mechanism,
            duration=duration,
            door=door,
            needs_part=needs_part,
            breaks=breaks,
            repair=0.0 if repair is None else repair,
            parent=carrier,
            at=pose,
        )
        self.devices[name] = made
        return made

    def add_logic(
        self, name: str, rules: Mapping[str, str], *, scan: float = SCAN, skip: bool = True, connect: bool = True
    ) -> Logic:
        """Adds a block of rules ``{output: expression}`` over signals, as a programmable controller has.

        The signals that rules name must be there; with ``connect=False`` they may come later, before its ``connect()``.
        """
        self._new(name)
        driven = self._driven()
        made = Logic(self.kernel, name, rules, scan=scan, skip=skip)
        for rule, signal in made.outputs.items():
            try:
                _check_output(f"the rule of {name!r}", signal, driven)
            except KernelError as error:
                raise RuleError(rule, error) from None
        if connect:
            made.connect()
        self.devices[name] = made
        return made

    def add_controller(
        self,
        name: str,
        *,
        robot: str | HandlingRobot | None = None,
        inputs: Mapping[Key, str | Signal[Any]] | None = None,
        outputs: Mapping[Key, str | Signal[Any]] | None = None,
        pulse: float = PULSE,
    ) -> Controller:
        """Wires numbered and named lines to signals: ``inputs={1: "prox1", "part_at_pick": "prox2"}``.

        Programs that are started with ``controller=name`` have this one's lines and robot, and no others.
        """
        if name in self.controllers:
            raise KernelError(f"there is already a controller {name!r}", hint="give each a name of its own")
        moved = robot if isinstance(robot, HandlingRobot) or robot is None else self._robot_named(robot)
        wired = [{key: self._signal(each) for key, each in (lines or {}).items()} for lines in (inputs, outputs)]
        driven = self._driven()
        for key, signal in wired[1].items():
            _check_output(f"output {key} of {name!r}", signal, driven)
        made = Controller(self.kernel, name, moved, *wired, pulse=pulse, known=self.controllers)
        self.controllers[name] = made
        return made

    def controller(self, name: str) -> Controller:
        """A controller by its name."""
        if name not in self.controllers:
            raise UnknownName("controller", name, self.controllers)
        return self.controllers[name]

    def scorbot(self, name: str) -> ScorbotController:
        """A controller, as a SCORBOT's is commanded."""
        lines = self.controller(name)
        if name not in self._scorbots:
            self._scorbots[name] = ScorbotController(self.kernel, self.world, lines)
        return self._scorbots[name]

    def _robot_named(self, name: str) -> HandlingRobot:
        if name not in self.robots:
            raise UnknownName("robot", name, self.robots)
        return self.robots[name]

    def _driven(self) -> dict[str, str]:
        """Which signals outputs and rules drive, with what each of them is called."""
        driven = {
            signal.name: f"the rule of {each.name!r}"
            for each in self.devices.values()
            if isinstance(each, Logic)
            for signal in each.outputs.values()
        }
        for other in self.controllers.values():
            driven |= {signal.name: f"output {key} of {other.name!r}" for key, signal in other.outputs.items()}
        return driven

    def _signal(self, given: str | Signal[Any]) -> Signal[Any]:
        return self.kernel.signal_named(given) if isinstance(given, str) else given


def _check_output(line: str, signal: Signal[Any], driven: dict[str, str]) -> None:
    """An output or a rule drives a signal alone, and none that a sensor drives; ``driven`` says who drives others."""
    from drycell.sensors.sensor import Sensor

    if isinstance(signal, Sensor):
        raise KernelError(
            f"{line} is wired to the sensor '{signal.name}', which sets its signal itself", hint="wire it as an input"
        )
    if signal.name in driven:
        raise KernelError(
            f"{line} and {driven[signal.name]} both drive '{signal.name}'",
            hint="give each a signal of its own, and join them in a logic block",
        )
    driven[signal.name] = line
