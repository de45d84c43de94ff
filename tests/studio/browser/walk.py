"""A random walk through the studio: what a user who does anything in any order must never see.

After each action the walk looks for errors that the action cannot explain, and compares what is on the screen with the
record. While images are drawn, the page itself checks that each shows the poses of one frame on the bodies of the same
scene. The walk is repeated by its seed, except for what depends on when things arrive.
"""

import contextlib
import os
import random
import re
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import Error, Locator, Page, expect

from .conftest import Server

SERVER: Final = Path(__file__).parent / "walk_server.py"
PROBE: Final = """() => {
    const kept = (window.__walk = { notes: [], wrong: [], drawn: [] });
    new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((node) => {
        if (node.querySelector) for (const each of [node, ...node.querySelectorAll(".q-notification")])
            // One that is gone already was a probe of the animation, and never drawn.
            if (each.isConnected && /q-notification .*bg-(negative|warning)/.test(each.className))
                kept.notes.push({ note: each, begun: each.textContent });
    }))).observe(document, { childList: true, subtree: true });
    let view;
    window.__drycell = {};
    Object.defineProperty(window.__drycell, "view", { get: () => view, set: (made) => { view = made; watch(made); } });
    function watch(view) {
        const names = new Map(), frames = new Map();
        const tree = view.tree.bind(view), frame = view.frame.bind(view);
        const draw = view.renderer.render.bind(view.renderer);
        view.tree = (entries, scene, ...rest) => {
            if (!names.has(scene)) names.set(scene, []);
            for (const entry of entries) names.get(scene)[entry.number] = entry.name;
            tree(entries, scene, ...rest);
        };
        view.frame = (t, scene, version, poses, ...channels) => {
            if (!frames.has(scene)) frames.set(scene, []);
            frames.get(scene).push({ t, poses: poses.slice() });
            if (frames.get(scene).length > 150) frames.get(scene).shift();
            frame(t, scene, version, poses, ...channels);
        };
        view.renderer.render = (...what) => { look(); draw(...what); };
        function look() {
            const scene = view.sceneNumber, known = names.get(scene);
            const there = view.bodies.list.filter((body) => body.there);
            // A frame waits until the tree with all of its bodies is there: any of those of this instant may be shown.
            const sent = (frames.get(scene) ?? []).filter((each) => each.t === view.t);
            const place = ({ node: { position: p, quaternion: q } }) => [p.x, p.y, p.z, q.w, q.x, q.y, q.z];
            const differs = (body, poses) => place(body).some((value, k) => value !== poses[7 * body.entry.number + k]);
            const first = (poses) => there.find((body) => differs(body, poses));
            for (const { entry } of there)
                if (known?.[entry.number] !== entry.name) {
                    kept.wrong.push(`${entry.name} is drawn as number ${entry.number}: ${known?.[entry.number]}`);
                    return;
                }
            if (there.length && !sent.some(({ poses }) => !first(poses))) {
                const body = sent.length ? first(sent.at(-1).poses) : there[0];
                kept.wrong.push(`${body.entry.name} at ${place(body)}: in no frame of ${view.t} s`);
                return;
            }
            const poses = {};
            for (const body of there) if (body.entry.mesh) poses[body.entry.name] = place(body);
            const last = kept.drawn.at(-1);
            if (last && last.scene === scene && last.t === view.t) kept.drawn.pop();
            kept.drawn.push({ scene, t: view.t, poses });
            if (kept.drawn.length > 12) kept.drawn.splice(Math.floor(11 * Math.random()), 1);
        }
        kept.look = look;
    }
}"""
_STANDS: Final = """() => { const view = window.__drycell?.view;
    return !view || !view.next || (view.sceneNumber === view.next.scene && !view.bodies.loading); }"""
_TAKE: Final = """() => { const kept = window.__walk; if (window.__drycell.view?.next) kept.look();
    const notes = kept.notes.splice(0).map(({ note, begun }) => note.textContent.trim() || begun.trim() || "(blank)");
    return { notes, wrong: kept.wrong.splice(0), drawn: kept.drawn.splice(0) }; }"""
_CLOSE: Final = 2e-5  # metres, and units of a quaternion: frames have single precision
_SPEEDS: Final = ("0.1", "1", "10", "100", "max")


@dataclass
class Walk:
    """A walk of one page, and what it has found."""

    page: Page
    server: Server
    folder: Path
    cells: list[Path]
    seed: int
    errors: list[str]
    """The errors of the pages, as the console shows them."""
    faults: list[str] = field(default_factory=list)
    trail: list[str] = field(default_factory=list)
    explained: list[str] = field(default_factory=list)
    """Patterns of the errors that the user of this walk has caused."""
    compared: int = 0
    """Images whose poses were compared with the record."""
    shown_error: str = ""

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)
        self._unopened: list[Path] = []
        self._lasting: list[str] = []  # patterns that also explain errors of the next action
        self.actions: list[Callable[[], None]] = [
            *[self.open] * 4, *[self.run_or_pause] * 4, *[self.scrub] * 4, *[self.step] * 2, *[self.build] * 4,
            *[self.teach] * 3, *[self.turn_to_tab] * 4, *[self.select] * 2, *[self.look_around] * 2, self.drag_scrubber,
            self.stop, self.restart, self.change_speed, self.type_text, self.breakpoint, self.save_picture,
            self.go_to_problem, self.reload, self.second_tab, self.kill, self.emula, self.verify,
        ]  # fmt: skip

    def go(self, steps: int) -> None:
        """Take a number of steps, and look after each."""
        for number in range(steps):
            action = self.random.choice(self.actions)
            self.explained[:], self._lasting = self._lasting, []
            began = time.monotonic()
            self.trail.append(f"{number} {action.__name__}")
            try:
                action()
                self.close_dialogs()
                self.check()
            except (Error, AssertionError) as error:
                self.fault(f"{type(error).__name__}: {str(error)[:1200]}")
                self.page.screenshot(path=self.folder / f"fault-{self.seed}-{number}.png")
                self.page.reload()
            if os.environ.get("DRYCELL_WALK"):
                print(f"{self.trail[-1]}  {time.monotonic() - began:.1f} s", file=sys.stderr, flush=True)

    def fault(self, what: str) -> None:
        """Note a fault, with the way to it."""
        self.faults.append(f"seed {self.seed}, after {', '.join(self.trail[-6:])}:\n{what}")
        if os.environ.get("DRYCELL_WALK"):
            print(f"FAULT {what}", file=sys.stderr, flush=True)

    def add(self, detail: str) -> None:
        """Note a detail of the last action."""
        self.trail[-1:] = [f"{self.trail[-1]} {detail}" if self.trail else detail]

    # ---------------------------------------------------------------- looking

    def check(self) -> None:
        """Look for errors, and compare the screen with the record."""
        self.page.wait_for_function(_STANDS)
        taken = self.page.evaluate(_TAKE)
        for wrong in taken["wrong"]:
            self.fault(f"scrambled: {wrong}")
        for note in taken["notes"]:
            if not self.is_explained(note):
                self.fault(f"note: {note}")
        for error in self.errors:
            if not self.is_explained(error):
                self.fault(error)
        self.errors.clear()
        line = self.at("error")
        shown_error = line.inner_text() if line.is_visible() else ""
        if shown_error and shown_error != self.shown_error and not self.is_explained(shown_error):
            self.fault(f"error line: {shown_error}")
        self.shown_error = shown_error
        self._compare([each for each in taken["drawn"] if each["t"] is not None])

    def is_explained(self, text: str) -> bool:
        """Whether the user of this walk has caused an error."""
        return any(re.search(pattern, text) for pattern in self.explained)

    def _compare(self, drawn: list[dict[str, object]]) -> None:
        for each in drawn[:-1]:
            record = self.record(each["t"])
            # Before a run, things are moved at one instant: only the last image must show them where they are now.
            if record is not None and record["scene"] == each["scene"] and record["mode"] not in ("ready", "empty"):
                self.compared += 1
                wrong = differences(each["poses"], record["poses"])
                # An image from the middle of an instant, such as one at which a run is paused: not all has happened.
                before = self.record(float(str(each["t"])) - 1e-6) if wrong and each["t"] else None
                if each["t"] == 0:
                    wrong = [each for each in wrong if not each.endswith("is missing")]
                if wrong and (before is None or differences(each["poses"], before["poses"])):
                    self.fault(f"not as recorded at {each['t']} s: {wrong}")
        until = time.monotonic() + 20.0
        while drawn:
            shown = self.page.evaluate(_TAKE)["drawn"]
            if not shown or shown[-1]["t"] is None:
                return
            record = self.record(shown[-1]["t"])
            if record is None or record["scene"] is None:
                return
            wrong = ["another scene"]
            if record["scene"] == shown[-1]["scene"]:
                wrong = differences(shown[-1]["poses"], record["poses"])
            if not wrong:
                self.compared += 1
                return
            if time.monotonic() > until:
                self.fault(f"the screen shows at {shown[-1]['t']} s: {wrong}")
                return
            self.page.wait_for_timeout(100)

    def record(self, t: object) -> "dict[str, object] | None":
        """The poses of a time as the record has them; None without a host."""
        found: dict[str, object] | None = self.asked("record", t=round(float(str(t)) * 1e6))
        return found

    def asked(self, what: str, **parameters: int) -> Any:
        """What the studio of the walk answers beyond the pages; None if it cannot."""
        base = self.server.url.partition("?")[0]
        answer = self.page.request.get(f"{base}walk/{what}", params=dict(parameters))
        return answer.json() if answer.ok else None

    # ---------------------------------------------------------------- helpers

    def at(self, name: str) -> Locator:
        return self.page.get_by_test_id(name).first

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def click(self, name: str) -> bool:
        """Click an element, if it is there and can be clicked."""
        element = self.at(name)
        if not (element.is_visible() and element.is_enabled()):
            return False
        element.click()
        return True

    def one_of(self, selector: str) -> Locator | None:
        """A random visible element."""
        found = [each for each in self.page.locator(selector).all() if each.is_visible() and each.is_enabled()]
        return self.random.choice(found) if found else None

    def close_dialogs(self) -> None:
        for _ in range(4):
            if not self.page.locator(".q-dialog__inner:visible, .q-menu:visible").count():
                return
            self.page.keyboard.press("Escape")
            self.page.wait_for_timeout(250)

    @property
    def starting(self) -> bool:
        """Whether the start page is shown."""
        return self.at("start").is_visible()

    # ---------------------------------------------------------------- actions

    def open(self) -> None:
        if not self._unopened:
            self._unopened = self.random.sample(self.cells, len(self.cells))
        path = self._unopened.pop()
        self.add(f"{path.name}")
        self.explained.append(r"loading .*failed|part lost")
        if not self.starting:
            self.at("open").click()
        self.at("path").fill(str(path))
        self.at("open-path").click()
        self.page.wait_for_function(
            "(path) => window.__drycell?.view?.next?.cell?.startsWith(path)", arg=str(path.resolve())
        )
        expect(self.at("open-dialog")).to_be_hidden()

    def run_or_pause(self) -> None:
        if not self.click("run"):
            self.page.keyboard.press("Space")
        self.page.wait_for_timeout(self.random.choice((0, 100, 600)))

    def change_speed(self) -> None:
        if self.click("speed"):
            options = self.page.get_by_role("option")
            options.nth(self.random.randrange(options.count())).click()

    def scrub(self) -> None:
        track = self.at("scrubber").locator(".q-slider__track-container")
        box = track.bounding_box() if track.count() else None
        if box is not None:
            self.page.mouse.click(box["x"] + self.random.random() * box["width"], box["y"] + box["height"] / 2)
        if self.chance(0.3):
            self.click(self.random.choice(("before", "after", "live")))

    def drag_scrubber(self) -> None:
        track = self.at("scrubber").locator(".q-slider__track-container")
        box = track.bounding_box() if track.count() else None
        if box is None:
            return
        self.page.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + box["height"] / 2)
        self.page.mouse.down()
        for _ in range(8):
            self.page.mouse.move(box["x"] + self.random.random() * box["width"], box["y"] + box["height"] / 2)
        self.page.mouse.up()

    def step(self) -> None:
        by = self.random.choice(("event", "line", "cycle"))
        self.add(f"by {by}")
        self.explained += [r"cannot be stepped by program lines", r"the cell has no cycle"]
        if by == "event":
            self.click("step")
        elif by == "line":
            self.page.keyboard.press("F10")
        elif self.click("step-menu"):
            self.at("step-cycle").click()
        if self.at("step-dialog").is_visible():
            self.at(self.random.choice(("step-stay", "step-go"))).click()

    def stop(self) -> None:
        self.click("stop")

    def restart(self) -> None:
        if self.starting:
            return
        if self.chance(0.3) and self.at("seed").is_visible():
            self.at("seed").fill(str(self.random.randrange(9)))
        self.click("restart")

    def turn_to_tab(self) -> None:
        name = self.random.choice(("program", "teach", "build", "emula", "signals", "journal", "tables", "variables",
                                   "output", "problems", "story"))  # fmt: skip
        self.add(f"{name}")
        self.click(f"tab-{name}")

    def select(self) -> None:
        if self.chance(0.5):
            node = self.one_of(".drycell-tree .q-tree__node-header")
            if node is not None:
                node.click()
            return
        box = self.page.locator("canvas").first.bounding_box() if not self.starting else None
        if box is not None:
            x, y = (self.random.uniform(0.1, 0.9) * box[side] for side in ("width", "height"))
            self.page.mouse.click(box["x"] + x, box["y"] + y)

    def look_around(self) -> None:
        if self.starting:
            return
        which = self.random.randrange(4)
        if which == 0:
            self.page.keyboard.press(self.random.choice("f137pw"))
        elif which == 1 and self.click("overlays"):
            box = self.one_of("[data-testid^=overlay-]")
            if box is not None:
                box.click()
        elif which == 2 and self.click("modes"):
            self.at(self.random.choice(("mode-edges", "mode-shaded", "mode-wireframe"))).click()
        else:
            self.click("follow")

    def build(self) -> None:
        # A file that is refused is the user's mistake: a sensor on nothing, a second program for one robot.
        self.explained += [r"nothing was changed, because", r"has changed on disk", r"loaded"]
        if not self.click("tab-build"):
            return
        self.page.wait_for_timeout(100)
        which = self.random.randrange(6)
        self.add(f"{which}")
        if which <= 1:
            box = self.at("palette-search")
            if box.is_visible():
                box.fill(self.random.choice(("", "", "conveyor", "sensor", "robot", "source", "sink", "machine")))
                self.page.wait_for_timeout(200)
            tile = self.one_of("[data-testid^=add-]")
            if tile is not None:
                self.add(f"{tile.get_attribute('data-testid')}")
                tile.click()
        elif which == 2:
            self.click("build-undo")
        elif which == 3:
            self.click("build-redo")
        elif which == 4 and self.at("place-x").is_visible():
            self.at("place-x").fill(f"{self.random.randrange(-300, 300)} mm")
            self.at("place-x").press("Enter")
        elif self.click("entry-copy"):
            self.click("build-undo")

    def teach(self) -> None:
        if not self.click("tab-teach"):
            return
        name = self.random.choice((
            "joint-0-plus", "joint-1-minus", "joint-2-plus", "point-here", "point-here", "drag-point", "move-here",
            "to-point", "step-open", "step-close", "lesson-undo", "lesson-undo", "lesson-redo", "back-to-start",
            "jog-z-minus", "to-bench",
        ))  # fmt: skip
        self.add(f"{name}")
        # An arm cannot be moved beyond its limits, or to a pose that is out of reach.
        self.explained += [
            r"limit",
            r"reach",
            r"no .* solution",
            r"out of range",
            r"moved no further",
            r"Select a point first",
        ]
        self.page.wait_for_timeout(100)
        with contextlib.suppress(Error):  # the controls are not usable during a run
            element = self.at(name)
            if element.is_visible() and element.is_enabled():
                element.click(timeout=2000)

    def type_text(self) -> None:
        """Types into the editor, and takes it back."""
        if not self.click("tab-program"):
            return
        shown = self.one_of(".drycell-file")
        if shown is not None:
            shown.click()
        text = self.page.locator(".cm-content").first
        if text.count() and text.is_visible():
            text.click()
            self.page.keyboard.type("x y")
            for _ in range(3):
                self.page.keyboard.press("Control+z")
            self.page.keyboard.press("Escape")
            self.at("tab-program").click()

    def breakpoint(self) -> None:
        if not self.click("tab-program"):
            return
        line = self.one_of(".cm-line")
        if line is not None:
            line.click()
            self.page.keyboard.press("F9")
            self.at("tab-program").click()

    def save_picture(self) -> None:
        if not self.click("save-run"):
            return
        field = self.at("save-path")
        expect(field).to_have_value(re.compile("."))
        path = self.folder / "picture.svg"
        field.fill(str(path))
        self.at("save-run-go").click()
        refused = self.page.get_by_text(re.compile("nothing to draw|nothing is open"))  # no body is there at that time
        self.page.wait_for_function(
            "() => !document.querySelector('[data-testid=save-run-dialog]')"
            " || document.querySelector('.q-field--error')"
        )
        if self.at("save-run-dialog").is_visible():
            expect(refused.first).to_be_visible()

    def go_to_problem(self) -> None:
        if self.click("state"):
            row = self.one_of("[data-testid=run-problem]")
            if row is not None:
                row.click()

    def reload(self) -> None:
        self.page.reload()

    def second_tab(self) -> None:
        """A second tab of the browser takes control, does something, and is closed."""
        with self.other() as second:
            second.wait_for_function("() => window.__walk && document.readyState === 'complete'")
            here, self.page = self.page, second
            try:
                taking = self.at("take-control")
                if taking.is_visible():
                    taking.click()
                    hand_over = here.get_by_test_id("hand-over")
                    expect(hand_over.or_(here.get_by_test_id("watching")).first).to_be_visible()
                    if hand_over.is_visible():
                        hand_over.click()
                    expect(self.at("watching")).to_be_hidden()
                self.random.choice((self.run_or_pause, self.scrub, self.look_around))()
                self.check()
            finally:
                self.page = here
        taking = self.at("take-control")
        self.page.wait_for_timeout(200)
        if taking.is_visible():
            taking.click()
        expect(self.at("watching")).to_be_hidden()

    @contextlib.contextmanager
    def other(self) -> Iterator[Page]:
        """A second page of the same browser."""
        page = self.page.context.new_page()
        try:
            page.goto(self.server.url)
            yield page
        finally:
            page.close()

    def kill(self) -> None:
        """Kill one of the processes behind the page, and restart if that was the one of the cell."""
        found = self.server.children()
        if not found:
            return
        # A mesh that was being fetched is not found any more.
        # The process may be one that is about to open a cell: that is reported when it should have been open.
        self._lasting = [r"the host process has ended", r"status of 404"]
        self.explained += self._lasting
        killed, host = self.random.choice(found), self.asked("host")
        with contextlib.suppress(ProcessLookupError):
            os.kill(killed, signal.SIGKILL)
        if killed == host and not self.starting:
            self.add("the host")
            expect(self.at("error")).to_contain_text("the host process has ended")
            self.click("restart")
            expect(self.at("error")).to_be_hidden()

    def emula(self) -> None:
        """Opens EMULA's console, or types into it."""
        if self.at("emula-line").is_visible() and self.at("emula-line").is_enabled():
            self.at("emula-line").fill(self.random.choice(("home", "move (-2,10,8)", "movedown (2)", "draw", "show")))
            self.at("emula-line").press("Enter")
        elif self.chance(0.4):
            if not self.starting:
                self.click("open")
            self.at("example-emula").click()
            self.page.wait_for_function("() => window.__drycell?.view?.next?.cell === 'emula'")

    def verify(self) -> None:
        if not self.click("verify"):
            return
        self.explained.append("there is no cell to verify")
        self.at("verify-start").click()
        cancel = self.at("verify-cancel")
        self.page.wait_for_timeout(300)
        if cancel.is_visible():
            cancel.click()
            expect(cancel).to_be_hidden()
        self.at("verify-close").click()


def differences(shown: object, recorded: object) -> list[str]:
    """What is on the screen and not, or not so, in the record; at most three."""
    assert isinstance(shown, dict)
    assert isinstance(recorded, dict)
    found = [f"{name} is missing" for name in recorded if name not in shown]
    for name, pose in shown.items():
        if name not in recorded:
            found.append(f"{name} is not there")
            continue
        place, turn = recorded[name][:3], recorded[name][3:]
        sign = 1.0 if sum(a * b for a, b in zip(pose[3:], turn, strict=True)) >= 0.0 else -1.0
        wanted = [*place, *(sign * value for value in turn)]
        if any(abs(a - b) > _CLOSE * max(1.0, abs(b)) for a, b in zip(pose, wanted, strict=True)):
            found.append(f"{name} at {pose}, not {wanted}")
    return found[:3]
