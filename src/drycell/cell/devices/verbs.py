"""The verbs that add devices to a cell: conveyors, and where parts come from and go to."""

from collections.abc import Mapping, Sequence

from drycell.cell.placing import Place, laid_on, place_of
from drycell.devices import Conveyor, Device, Every, Ledger, PartKind, Sink, Source, Stop, Store
from drycell.devices.conveyor import HEIGHT, End
from drycell.devices.interval import Law
from drycell.errors import UnknownName, WorldError
from drycell.geometry import Box, Shape
from drycell.kernel import Kernel
from drycell.spatial import IDENTITY, Pose
from drycell.world import Body, Gravity, Scene, Who, World


class DeviceVerbs:
    """What a cell can do about devices."""

    kernel: Kernel
    world: World
    scene: Scene
    gravity: Gravity
    ledger: Ledger
    devices: dict[str, Device]

    def body(self, who: Who | Device) -> Body:
        """A body by its name, of a device, or itself."""
        if isinstance(who, Body):
            return who
        if isinstance(who, str):
            return self.world.body(who)
        if who.body is None:
            raise WorldError(f"{who.name!r} is no thing in the world", hint="name a body")
        return who.body

    def device(self, name: str) -> Device:
        """A device by its name."""
        if name not in self.devices:
            raise UnknownName("device", name, self.devices)
        return self.devices[name]

    def add_conveyor(
        self,
        name: str,
        *,
        length: float,
        width: float,
        speed: float,
        height: float = HEIGHT,
        acceleration: float = 0.0,
        run: bool = True,
        end: End = "stop",
        stops: Mapping[str, float | Stop] | None = None,
        material: str = "rubber",
        at: Place = IDENTITY,
        on: Who | Device | None = None,
        parent: Who | Device | None = None,
    ) -> Conveyor:
        """Sets up a belt that runs along its own x axis; what is set down on it rides.

        It is as large as a box, about its middle. Parts queue against its end, or fall off it (``end="fall"``), and
        against ``stops``: places from its start on, each with a signal that opens it. It starts and stops at once, or
        with an ``acceleration``.
        """
        self._new(name)
        carrier, pose = self._stand(Body(name, Box(length, width, height)), at, on, parent)
        made = Conveyor(
            self.kernel,
            self.scene,
            self.gravity,
            self.ledger,
            name,
            length=length,
            width=width,
            height=height,
            speed=speed,
            acceleration=acceleration,
            run=run,
            end=end,
            stops={each: stop if isinstance(stop, Stop) else Stop(stop) for each, stop in (stops or {}).items()},
            material=material,
            parent=carrier,
            at=pose,
        )
        self.devices[name] = made
        return made

    def add_source(
        self,
        name: str,
        kinds: Shape | PartKind | Mapping[str, Shape | PartKind],
        *,
        on: Who | Device,
        every: float | Sequence[float] | Every,
        law: Law = "interval",
        sigma: float = 0.0,
        least: float = 0.0,
        first: float = 0.0,
        limit: int | None = None,
        at: Place = IDENTITY,
    ) -> Source:
        """Brings parts onto a belt's entry, or onto a place on a body, and waits where there is no room.

        ``every`` is a fixed time; two are a declared interval, or what the ``law`` says:
        :class:`~drycell.devices.interval.Every`. ``kinds`` are shapes by name, with weights and materials as
        ``PartKind``; one shape alone is called ``part``. ``at`` is seen from the belt's entry, or from the middle of
        the body's top.
        """
        self._new(name)
        onto = self.devices[on] if isinstance(on, str) and on in self.devices else on
        given = kinds if isinstance(kinds, Mapping) else {"part": kinds}
        times = tuple(every) if isinstance(every, Sequence) else every
        made = Source(
            self.kernel,
            self.scene,
            self.ledger,
            name,
            {each: kind if isinstance(kind, PartKind) else PartKind(kind) for each, kind in given.items()},
            onto if isinstance(onto, Conveyor) else self.body(onto),
            times
            if isinstance(times, Every)
            else Every(times if isinstance(times, tuple) else (times,), law, sigma, least),
            first=first,
            limit=limit,
            at=place_of(at),
        )
        self.devices[name] = made
        return made

    def add_sink(
        self,
        body: Body,
        *,
        at: Place = IDENTITY,
        on: Who | Device | None = None,
        parent: Who | Device | None = None,
    ) -> Sink:
        """Makes a body one that takes whatever comes to rest on it out of the cell."""
        self._new(body.name)
        self.world.add(body, *self._stand(body, at, on, parent))
        made = Sink(self.kernel, self.world, self.ledger, body.name, body)
        self.devices[body.name] = made
        return made

    def add_store(
        self,
        body: Body,
        *,
        grid: tuple[int, int],
        pitch: tuple[float, float],
        at: Place = IDENTITY,
        on: Who | Device | None = None,
        parent: Who | Device | None = None,
    ) -> Store:
        """Makes a body one that keeps parts in slots: so many along x and y, so far apart."""
        self._new(body.name)
        self.world.add(body, *self._stand(body, at, on, parent))
        made = Store(self.kernel, self.world, self.ledger, body.name, body, grid, pitch)
        self.devices[body.name] = made
        return made

    def _new(self, name: str) -> None:
        if name in self.devices:
            raise WorldError(f"there is already a device {name!r}", hint="give each a name of its own")

    def _stand(
        self, body: Body, at: Place, on: Who | Device | None, parent: Who | Device | None
    ) -> tuple[Body | None, Pose]:
        """What carries a device, and where on it: lying on the top of a body, or seen from its origin."""
        pose = place_of(at)
        if on is not None:
            carrier = self.body(on)
            return carrier, laid_on(body, carrier, pose)
        return None if parent is None else self.body(parent), pose
