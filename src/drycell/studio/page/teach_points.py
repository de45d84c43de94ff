"""Taught points: picked on surfaces, raised, shifted, turned, dragged. A lamp shows whether the robot reaches them."""

import math
from collections.abc import Callable
from typing import Any, Final

from nicegui import ui

from drycell.base import DrycellError, Naming, Pose
from drycell.studio.api.scene import Pick
from drycell.studio.api.teaching import PointCheck
from drycell.studio.lessons import Lessons
from drycell.studio.page.elements import button, lamp, named, number, titled, with_props
from drycell.studio.page.tab import BrowserTab
from drycell.studio.page.teach_pendant import Pendant
from drycell.studio.page.view import Drag, DragHandle
from drycell.teach import Lesson, PointSpec, TaughtPoint

_GRID: Final = 1e-3
_SNAP: Final = math.radians(5)


class Points:
    """The points of the lesson on one page, and the selected point."""

    def __init__(self, tab: BrowserTab, lessons: Lessons, pendant: Pendant) -> None:
        self._tab, self._lessons, self._pendant = tab, lessons, pendant
        self._host = tab.host.teaching
        self.chosen: str | None = None
        self._drag: DragHandle | None = None
        self._drag_wanted = False  # asked for before the check that places the point
        self._placed: object = None  # the check after which the dragger was moved last
        self._end_pick: Callable[[], None] | None = None
        self._listed: object = None  # the contents of the list
        self._detailed: str | None = None  # the point whose fields are shown
        with ui.column().classes("teach-section"):
            with ui.row().classes("teach-head"):
                ui.label("Points").classes("drycell-section teach-grow")
                self._pick = button("pick point", self._pick_point, "pick-point", "then click a surface", "ads_click")
                self._pick.classes("teach-main")
                button("here", self._here, "point-here", "add a point at the present TCP pose", "my_location")
            self._list = ui.column().classes("teach-list")
            self._detail = ui.column().classes("teach-list").style("gap:4px; padding-top:4px")

    # ---------------------------------------------------------------- showing

    def show(self) -> None:
        """Show the list and the selected point."""
        points, checked = self._lessons.lesson.points, self._lessons.checked.points
        if self.chosen not in points:
            self.chosen = None
            self._close_drag()
        if self._lessons.checked is not self._placed:  # after an undo, the dragger goes back with its point
            self._placed = self._lessons.checked
            found = checked.get(self.chosen or "")
            if self._drag is not None and found is not None and found.pose is not None:
                self._drag.move(found.pose)
            if self._drag_wanted:
                self._open_drag()
        checks = {name: checked.get(name) for name in points}
        listed = [
            (name, each.on, name == self.chosen, check and check.lamp, check and check.text)
            for (name, each), check in zip(points.items(), checks.values(), strict=True)
        ]
        if listed != self._listed:  # rebuilding the list under the mouse would lose a click
            self._listed = listed
            self._list.clear()
            with self._list:
                if not points:
                    ui.label("No points yet. Press “pick point”, then click the top of a part.").classes(
                        "drycell-quiet"
                    )
                for name in points:
                    self._item(name, points[name], checks[name])
        self._show_detail(checks.get(self.chosen or ""))
        self.overlay()

    def _item(self, name: str, point: TaughtPoint, found: PointCheck | None) -> None:
        with ui.row().classes("teach-item" + (" chosen" if name == self.chosen else "")) as row:
            lamp(found.lamp if found else "", found.text if found else "")
            ui.label(name).classes("text-weight-medium")
            ui.label(f"on {point.on}" if point.on else "in the world").classes("drycell-quiet teach-grow ellipsis")
            with ui.row().classes("teach-tools"):
                button("", lambda: self._go(name), f"go-{name}", "move the arm there", "north_east")
                button("", lambda: self._forget(name), f"forget-{name}", "delete", "delete_outline")
        row.on("click", lambda: self.choose(name))
        named(row, f"point-{name}")

    def choose(self, name: str | None) -> None:
        """Select a point."""
        if self.chosen != name:
            self.chosen = name
            self._close_drag()
            self.show()

    def _show_detail(self, found: PointCheck | None) -> None:
        """Show the verdict and the fields. The fields are rebuilt only for another point."""
        if self._detailed != self.chosen:
            self._detailed = self.chosen
            self._detail.clear()
            if self.chosen is not None:
                with self._detail:
                    self._build_detail(self.chosen)
        if self.chosen is not None:
            self._lamp.classes(replace=f"teach-lamp {found.lamp if found else ''}")
            self._verdict.set_text(_verdict_text(found))
            self._better.set_visibility(found is not None and found.better is not None)
            point = self._lessons.lesson.points[self.chosen]
            bodies = [each.name for each in self._tab.studio.tree.bodies]
            self._on.set_options({"": "the world"} | {name: name for name in bodies}, value=point.on or "")
            for field, value in zip(self._at, point.local.position, strict=True):
                field.set_value(_shown(value))

    async def _apply_better(self) -> None:
        found = self._lessons.checked.points.get(self.chosen or "")
        if found is not None and found.better is not None:
            await self._adjust(frame=found.better)

    def _build_detail(self, name: str) -> None:
        with ui.row().classes("teach-result"):
            self._lamp = lamp("").style("margin-top:4px")
            self._verdict = ui.label("").classes("teach-says")
            named(self._verdict, "point-says")
            self._better = button("apply", self._apply_better, "apply-better", "move the point there")
        with ui.row().classes("teach-row"):
            self._name = ui.input(value=name).props("dense outlined hide-bottom-space").style("width:108px")
            titled(self._name, "name of the point")
            self._name.on("blur", self._rename).on("keydown.enter", self._rename)
            named(self._name, "point-name")
            button("drag", self._toggle_drag, "drag-point", "drag it in the view", "open_with")
            button("middle", lambda: self._adjust(centre=True), "centre-point", "move it to the middle of the face")
            button(
                "grasp", self._grasp, "grasp-point", "make it a grasp: sink into the part, jaws across its narrow side"
            )
        with ui.row().classes("teach-row"):
            self._on = ui.select({"": "the world"}, value="", on_change=self._attach)
            self._on.props("dense borderless options-dense prefix=on").classes("teach-grow")
            titled(self._on, "the body it is attached to; the point keeps its position")
            named(self._on, "point-on")
            self._at = [
                number(0.0, "", f"point-{letter}", f"{letter} in mm, relative to the body it is on") for letter in "xyz"
            ]
            for letter, field in zip("xyz", self._at, strict=True):
                with_props(field, prefix=letter)
                field.on("blur", self._put).on("keydown.enter", self._put)
        with ui.row().classes("teach-row"):
            self._by = number(5.0, "mm", "shift-by", "distance of a shift")
            self._move("↑", "raise-point", "away from the surface", raised=1.0)
            self._move("↓", "lower-point", "into the surface", raised=-1.0)
            for axis in range(2):
                for sign, mark in ((-1.0, "−"), (1.0, "+")):
                    way = [sign * (k == axis) for k in range(3)]
                    self._move(f"{'xy'[axis]}{mark}", f"shift-{'xy'[axis]}{mark}", "along the surface", shift=way)
        with ui.row().classes("teach-row"):
            self._angle = number(90.0, "°", "turn-by", "angle of a rotation", step=5.0)
            self._axis = ui.select({"z": "about the normal", "x": "about x", "y": "about y"}, value="z")
            self._axis.props("dense borderless options-dense").style("width:118px")
            named(self._axis, "turn-axis")
            button("", lambda: self._turn(1.0), "turn-plus", "rotate it", "rotate_right")
            button("", lambda: self._turn(-1.0), "turn-minus", "rotate it back", "rotate_left")

    async def _attach(self) -> None:
        point, to = self._lessons.lesson.points.get(self.chosen or ""), str(self._on.value)
        if point is not None and to != (point.on or ""):
            await self._adjust(attach=to)
            self.show()  # restores the field if the change was refused

    async def _put(self) -> None:
        point = self._lessons.lesson.points.get(self.chosen or "")
        if point is None:
            return
        now = point.local.position
        typed = [
            value if _shown(value) == field.value else float(field.value or 0.0) * 1e-3
            for field, value in zip(self._at, now, strict=True)
        ]
        if tuple(typed) != tuple(now):
            await self._adjust(at=typed)
            self.show()

    def _move(self, text: str, name: str, tip: str, raised: float = 0.0, shift: list[float] | None = None) -> None:
        async def go() -> None:
            by = float(self._by.value or 0.0) * 1e-3
            await self._adjust(raised=raised * by, shift=None if shift is None else [by * each for each in shift])

        button(text, go, name, tip).style("min-width:26px")

    async def _turn(self, sign: float) -> None:
        await self._adjust(turn=sign * math.radians(float(self._angle.value or 0.0)), axis=self._axis.value)

    def turned(self) -> None:
        """Another panel may be in front now: show the points, or remove them and the dragger."""
        if not self._tab.in_front("Teach"):
            self._close_drag()
        self.overlay()

    def overlay(self) -> None:
        """Show the points in the view while they are taught; not in a run, because their bodies move."""
        ready = self._tab.studio.latest.mode == "ready" and self._tab.in_front("Teach")
        self._tab.view.overlay(
            "taught",
            [
                {"name": name, "pose": list(found.pose), "lamp": found.lamp, "chosen": name == self.chosen}
                for name, found in self._lessons.checked.points.items()
                if ready and found.pose is not None and name in self._lessons.lesson.points
            ],
        )

    # ---------------------------------------------------------------- teaching

    def _pick_point(self) -> None:
        if self._end_pick is not None:
            self._end_pick()
            return
        if not self._tab.may_act():
            return
        self._pick.set_text("click…")
        self._end_pick = self._tab.view.pick_mode(
            self._picked, "Click a surface to add a point (Esc: cancel)", self._pick_over
        )

    def _pick_over(self) -> None:
        self._end_pick = None
        self._pick.set_text("pick point")

    async def _picked(self, pick: Pick) -> None:
        if self._end_pick is not None:
            self._end_pick()
        name = self._free_name(pick.body)
        made = await self._tab.act(self._host.pick_to_workpoint(name, pick.body, pick.point, pick.normal))
        if made is not None:
            self._teach(made.point.point(name))

    async def _here(self) -> None:
        if self._pendant.state is not None and self._tab.may_act():
            self.teach_here()

    def teach_here(self) -> str:
        """Add a point in the world at the present TCP pose. Returns its name."""
        assert self._pendant.state is not None
        x, y, z, *wxyz = self._pendant.state.tcp
        name = self._free_name(self._pendant.robot)
        self._teach(TaughtPoint(name, None, Pose.of_quaternion(wxyz, (x, y, z))))
        return name

    def _free_name(self, of: str) -> str:
        """An unused name, derived from the body that the point is on."""
        tree = self._tab.studio.tree
        taken = {*self._lessons.lesson.points, *(each.name for each in tree.workpoints)}
        taken |= {each.name for each in tree.bodies}
        start, number = of.rpartition("/")[2], 1
        while f"{start}_p{number}" in taken:
            number += 1
        return f"{start}_p{number}"

    def _teach(self, point: TaughtPoint) -> None:
        self.chosen = point.name
        self._lessons.edit(lambda lesson: lesson.teach(point))

    def _spec(self, name: str) -> PointSpec:
        return PointSpec.of(self._lessons.lesson.points[name])

    async def _adjust(self, **how: Any) -> None:
        name = self.chosen
        if name is None:
            return
        given = {key: value for key, value in how.items() if value is not None}
        made = await self._tab.act(self._host.adjust_point(name, self._spec(name), **given))
        if made is not None:
            self._teach(made.point.point(name))
            if self._drag is not None:
                self._drag.move(made.pose)

    async def _grasp(self) -> None:
        made = await self.grasp()
        if made is not None:
            self._teach(made)

    async def grasp(self) -> TaughtPoint | None:
        """The selected point as a grasp of the part it is on."""
        name = self.chosen
        if name is None:
            return None
        made = await self._tab.act(self._host.grasp_point(name, self._pendant.robot, self._spec(name)))
        return None if made is None else made.point.point(name)

    async def place(self, grasp: str) -> TaughtPoint | None:
        """The target pose that sets the grasped part down at the selected point."""
        name = self.chosen
        if name is None:
            return None
        robot = self._pendant.robot
        made = await self._tab.act(self._host.set_down(name, robot, grasp=self._spec(grasp), onto=self._spec(name)))
        return None if made is None else made.point.point(name)

    async def _go(self, name: str) -> None:
        found = self._lessons.checked.points.get(name)
        if found is not None and found.pose is not None:
            await self._pendant.act(self._host.to_frame(self._pendant.robot, found.pose))

    def _forget(self, name: str) -> None:
        self._edit(lambda lesson: lesson.forget(name))

    def _rename(self) -> None:
        name, to = self.chosen, str(self._name.value or "").strip()
        if name is None or not to or to == name or name not in self._lessons.lesson.points:
            return
        try:
            Naming().check(to)
        except DrycellError as error:
            self._tab.show_error(error)
            self._name.set_value(name)
            return

        def rename(lesson: Lesson) -> None:
            lesson.rename(name, to)
            self.chosen = to

        self._edit(rename)
        if self.chosen == name:
            self._name.set_value(name)

    def _edit(self, action: Callable[[Lesson], object]) -> None:
        self._tab.edit(lambda: self._lessons.edit(action))

    # ---------------------------------------------------------------- dragging

    def _toggle_drag(self) -> None:
        if self._drag is not None and self._drag.open:
            self._close_drag()
        elif self._tab.may_act():
            self._open_drag()

    def _open_drag(self) -> None:
        """Open the dragger at the selected point: now, or when the point's place is known."""
        found = self._lessons.checked.points.get(self.chosen or "")
        self._drag_wanted = found is None or found.pose is None
        if found is not None and found.pose is not None:
            self._drag = self._tab.view.dragger(found.pose, self._dragged, grid=_GRID, angle=_SNAP)

    async def _dragged(self, drag: Drag) -> None:
        if drag.phase == "end":
            await self._adjust(frame=list(drag.pose))

    def _close_drag(self) -> None:
        self._drag_wanted = False
        if self._drag is not None:
            self._drag.close()
            self._drag = None


def _shown(metres: float) -> float:
    """A coordinate in mm, as its field shows it."""
    return round(metres * 1e3, 3)


def _verdict_text(found: PointCheck | None) -> str:
    """The verdict on a point, with what to try."""
    if found is None:
        return "not checked yet"
    text = found.text
    if found.suggestion:
        text += f"\ntry: {found.suggestion}"
    if found.lamp != "red" and not found.straight_possible:
        text += "\nnot reachable in a straight line from the current pose"
    return text
