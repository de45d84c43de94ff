"""Payload checks: the mass that a robot and its grippers carry, compared with the most that they may carry."""

from functools import partial
from typing import TYPE_CHECKING

from drycell.handling import Holder
from drycell.kernel import Kernel
from drycell.world import CarriedLoad, LiveBody, mass_of

if TYPE_CHECKING:
    from drycell.robots.tool import MountedTool


class PayloadCheck:
    """The loads of one robot. They are recorded as tables ``loads``, and warned of when they exceed a payload.

    Loads whose limit is not known are not recorded. A mass that is not known is not counted, and named.
    """

    def __init__(self, kernel: Kernel, robot: str, payload: float | None) -> None:
        self._kernel, self._robot, self._payload = kernel, robot, payload
        self._tools: dict[str, Holder | MountedTool] = {}

    def add(self, called: str, tool: "Holder | MountedTool") -> None:
        """Count a tool that is mounted on the flange, and whatever it will hold."""
        self._tools[called] = tool
        if isinstance(tool, Holder):
            tool.watch(partial(self._changed, tool))
        self._weigh_all()

    def remove(self, called: str) -> None:
        """Do not count a tool any more."""
        del self._tools[called]
        self._weigh_all()

    def _changed(self, holder: Holder) -> None:
        if holder.payload is not None:
            mass, unknown = _parts(holder)
            load = CarriedLoad(mass, holder.payload, unknown)
            self._record(holder.name, load)
            if load.exceeded:
                self._warn(holder.name, f"holds {_least(unknown)}{mass:.2f} kg", holder.payload)
        self._weigh_all()

    def _weigh_all(self) -> None:
        if self._payload is None:
            return
        tools, parts, unknown = 0.0, 0.0, []
        for called, tool in self._tools.items():
            if tool.mass is None:
                unknown.append(called)
            else:
                tools += tool.mass
            if isinstance(tool, Holder):
                mass, unweighed = _parts(tool)
                parts += mass
                unknown += unweighed
        load = CarriedLoad(tools + parts, self._payload, tuple(unknown))
        self._record(self._robot, load)
        if load.exceeded:
            what = f"carries {_least(load.unknown)}{load.mass:.2f} kg (tools {tools:.2f} kg, parts {parts:.2f} kg)"
            self._warn(self._robot, what, self._payload)

    def _record(self, name: str, load: CarriedLoad) -> None:
        track = self._kernel.tracks.track("loads", name)
        if not track or track.values[-1] != load:
            track.append(self._kernel.now, load)

    def _warn(self, name: str, what: str, limit: float) -> None:
        self._kernel.warn(name, f"{what}, but its payload is {limit:.2f} kg")


def _parts(holder: Holder) -> tuple[float, tuple[str, ...]]:
    """The mass of what a gripper holds, including what stands on it, and the names of parts of unknown mass."""
    total, unknown = 0.0, []
    waiting: list[LiveBody] = list(holder.load)
    while waiting:
        body = waiting.pop(0)
        waiting += body.children
        if body.shape is None and body.mass is None:
            continue  # only a frame
        mass = mass_of(body)
        if mass is None:
            unknown.append(body.name)
        else:
            total += mass
    return total, tuple(unknown)


def _least(unknown: tuple[str, ...]) -> str:
    return "at least " if unknown else ""
