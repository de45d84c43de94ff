"""What holds parts at the end of an arm: the state that all grippers share, whatever force they hold with."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

from drycell.base import IDENTITY, Pose
from drycell.handling.resting_box import PlannedGrasp, part_meant, stated_grasp
from drycell.kernel import DeviceOutput, Kernel
from drycell.world import Gravity, LiveBody, World


class Holder(ABC):
    """A gripper of any kind: ``close`` takes the parts that it can hold, and ``open`` releases them.

    Parts that it holds are attached to its ``palm`` and move with it. The signal ``<name>.holding`` is true while it
    holds any.
    """

    def __init__(
        self,
        kernel: Kernel,
        world: World,
        gravity: Gravity,
        name: str,
        palm: LiveBody,
        tcp: Pose,
        parent: LiveBody | None,
        at: Pose = IDENTITY,
    ) -> None:
        self.name, self.tcp = name, tcp
        """``tcp`` is where it holds parts, relative to its palm; z points out."""
        self.mass: float | None = None
        """Its own mass in kg; None if it is not known."""
        self.payload: float | None = None
        """The greatest mass it may hold, in kg; None if it is not known."""
        self.palm = world.add(palm, parent, at)
        palm.grips = True
        self.load: tuple[LiveBody, ...] = ()
        """The parts it holds."""
        self.links: tuple[LiveBody, ...] = ()
        """Its moving bodies, if it has any: the jaws, and what moves them."""
        self._kernel, self._world, self._gravity = kernel, world, gravity
        self._watchers: list[Callable[[], object]] = []
        self.holding = DeviceOutput(kernel, name, f"{name}.holding", False)

    @property
    def bodies(self) -> tuple[LiveBody, ...]:
        """All its bodies, without the parts it holds."""
        return (self.palm, *self.links)

    @property
    def held(self) -> LiveBody | None:
        """The part it holds, or the first of several; None if it holds none."""
        return self.load[0] if self.load else None

    @abstractmethod
    def close(self) -> bool:
        """Take the parts that it can hold. Return whether it holds any. Blocks until then."""

    @abstractmethod
    def open(self) -> None:
        """Release held parts, which fall if nothing is below them. Blocks until then."""

    @abstractmethod
    def default_grasp(self, part: LiveBody) -> Pose:
        """The TCP pose that takes a part from above.

        Args:
            part: The part.

        Raises:
            MotionError: The part has no shape, or does not fit.
        """

    def planned_grasp(self, part: LiveBody) -> PlannedGrasp:
        """Where to grasp a part: as it says for the stable state that it is in, and by :meth:`default_grasp` otherwise.

        Args:
            part: The part.

        Raises:
            MotionError: The part has no shape, or does not fit.
            UnknownName: The part has a grasp for a state that its shape does not have.
        """
        stated = stated_grasp(self._world, part)
        if stated is None:
            return PlannedGrasp(self.default_grasp(part))
        grasp, frame = stated
        tcp = self.default_grasp(part) if grasp.pose is None else frame @ grasp.pose
        return PlannedGrasp(tcp, grasp.approach, grasp.depart)

    def watch(self, action: Callable[[], object]) -> None:
        """Call a function after each change of the parts it holds.

        Args:
            action: The function; it must not block.
        """
        self._watchers.append(action)

    # ---------------------------------------------------------------- for the kinds of grippers

    def _take(self, parts: Sequence[LiveBody], **details: float) -> None:
        """Hold these parts: they now move with the palm. If another part is meant, the journal says so."""
        loose = [each for each in self._world.bodies.values() if each.part and each not in parts and not each.hole]
        tcp = self.palm.pose @ self.tcp
        meant = part_meant(self._world, [*parts, *loose], tcp)
        if meant is not None and meant not in parts:
            self._kernel.journal.write("differs", self.name, meant=meant.name, holds=parts[0].name)
        self.load = tuple(parts)
        for part in self.load:
            self._align(part)
            self._kernel.journal.write("grasps", self.name, part=part.name, **details)
        self._load_changed()

    def _align(self, part: LiveBody) -> None:
        """Attach a part to the palm: as it is, or as it was taught to be in the gripper."""
        stated = stated_grasp(self._world, part)
        taught = None if stated is None else stated[0].held
        if stated is None or taught is None:
            self._world.attach(part, self.palm)
            return
        state = stated[1].inverse() @ part.pose  # the part in the frame of its state
        before = self._world.relative(self.palm, part)
        self._world.place(part, self.tcp @ taught @ state, self.palm)
        by, turned = before.distance_to(self._world.relative(self.palm, part))
        self._kernel.journal.write("aligns", self.name, part=part.name, by_mm=by * 1e3, turned_deg=math.degrees(turned))

    def _let_go(self) -> None:
        if not self.load:
            return
        load, self.load = self.load, ()
        self._load_changed()
        for part in load:
            self._kernel.journal.write("releases", self.name, part=part.name)
            # A part that another gripper now holds, or that has left the cell, must not fall.
            if self._has(part, self.palm):
                self._world.attach(part, None)
                self._gravity.release(part)

    def _lost(self, body: LiveBody) -> None:
        """Handle a changed motion: something else may have taken a held part, or it may have left the cell."""
        if body in self.load and not self._has(body, self.palm):
            self.load = tuple(part for part in self.load if part is not body)
            self._load_changed()

    def _has(self, part: LiveBody, carrier: LiveBody) -> bool:
        """Whether a part is still in the cell and still attached to a carrier."""
        return self._world.bodies.get(part.name) is part and part.parent is carrier

    def _load_changed(self) -> None:
        self.holding.publish(bool(self.load))
        for action in self._watchers:
            action()
