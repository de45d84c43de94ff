"""Benchmarks of the studio, measured from outside: they start the command and open its page in Chromium."""

import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from drycell.base import DrycellError

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, ViewportSize

_FLAGS: Final = [
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--disable-component-update", "--no-first-run",
]  # fmt: skip
_ARMS: Final = 17  # of six moving links each
_SECONDS: Final = 8.0
_STARTS: Final = 3
_MOVES: Final = 100  # of the hand
_STANDS: Final = "() => window.__drycell?.view?.framed"
_PATIENCE: Final = 60_000  # ms
_SETTLES: Final = 6000  # ms until a page that was opened is at rest: the spare host has started, too
_WINDOW: "Final[ViewportSize]" = {"width": 1440, "height": 900}
_STEPS_DOWN: Final = 6.0  # seconds in which the view finds the quality that the machine can keep up with
_TURN: Final = """() => { const { eye } = window.__drycell.view;
    const turn = () => { eye.camera.position.sub(eye.target).applyAxisAngle(eye.camera.up, 0.004).add(eye.target);
        eye.controls.update(); requestAnimationFrame(turn); };
    turn(); }"""
_REFINED: Final = """() => new Promise((done) => { const { pictures } = window.__drycell.view;
    const began = performance.now();
    pictures.changed();
    const look = () => (pictures.refined ? done((performance.now() - began) / 1000) : requestAnimationFrame(look));
    look(); })"""
_TIMED: Final = """() => { window.trips = []; window.moved = 0;
    document.addEventListener("pointermove", (event) => { window.moved = event.timeStamp; }, true); }"""

_MANY = f'''"""{_ARMS} arms that never rest: {6 * _ARMS} moving bodies."""

from drycell import Robot, deg, m


def build(cell):
    for number in range({_ARMS}):
        arm = cell.add(f"arm{{number}}", Robot("ur5-like", at=((number % 5) * 2.5 * m, (number // 5) * 2.5 * m, 0)))

        def sweep(arm=arm, number=number):
            while True:
                arm.move_joints([(60 + number) * deg, -60 * deg, 60 * deg, 30 * deg, 60 * deg, 90 * deg])
                arm.move_joints([-60 * deg, -100 * deg, 100 * deg, -30 * deg, -60 * deg, -90 * deg])

        cell.program(sweep, name=f"sweep{{number}}")
'''

_BENCH = """name: bench
bodies:
  table: {shape: {box: [900 mm, 600 mm, 20 mm]}, at: [0, 0, -10 mm]}
"""


def studio_first_picture_s() -> float:
    """Seconds from the command to the first picture of the demo cell: the best of several, as the first one reads from
    disk."""
    with _chromium() as browser, _folder() as folder:
        times = []
        for number in range(_STARTS):
            began = time.perf_counter()
            with _studio(folder / str(number), _example("30_event_cell")) as (_, url):
                page = browser.new_page()
                page.goto(url)
                page.wait_for_function(_STANDS, timeout=_PATIENCE)
                times.append(time.perf_counter() - began)
                page.close()
        return min(times)


def studio_idle_cpu() -> float:
    """The CPU load in per cent of a core of server, host and browser while a page shows the demo cell at rest."""
    cell = _example("30_event_cell")
    with _chromium() as browser, _folder() as folder, _studio(folder / "state", cell) as (_, url):
        page = browser.new_page()
        page.goto(url)
        page.wait_for_function(_STANDS, timeout=_PATIENCE)
        page.wait_for_timeout(_SETTLES)
        processes = _below(os.getpid())
        cpu, began = sum(map(_cpu, processes)), time.perf_counter()
        page.wait_for_timeout(1000 * _SECONDS)
        return 100.0 * (sum(map(_cpu, processes)) - cpu) / (time.perf_counter() - began)


def studio_cpu() -> float:
    """The CPU load of the server in per cent of a core, without the host, at 102 moving bodies and 30 frames/s."""
    with _chromium() as browser, _folder() as folder:
        (folder / "many.py").write_text(_MANY, encoding="utf-8")
        with _studio(folder / "state", folder / "many.py") as (pid, url):
            page = browser.new_page()
            page.goto(url)
            page.wait_for_function(_STANDS, timeout=_PATIENCE)
            # A second client receives every frame: drawing in software is too slow for 30 frames/s.
            listener = browser.new_context().new_page()
            listener.request.get(url)  # its cookie is needed for the frames
            listener.goto(f"{url.partition('?')[0]}favicon.ico")
            listener.evaluate("""() => { window.taken = 0;
                const line = new WebSocket(`ws://${location.host}/drycell/frames`);
                line.onmessage = () => { window.taken++; line.send("k"); }; }""")
            page.get_by_test_id("run").click()
            page.wait_for_function("() => window.__drycell.view.t > 1", timeout=_PATIENCE)
            frames, cpu, began = listener.evaluate("() => window.taken"), _cpu(pid), time.perf_counter()
            page.wait_for_timeout(1000 * _SECONDS)
            spent, used = time.perf_counter() - began, _cpu(pid) - cpu
            rate: float = (listener.evaluate("() => window.taken") - frames) / spent
            if rate < 10.0:
                raise DrycellError(f"only {rate:.1f} frames/s arrived: the machine is too busy to measure")
            return 100.0 * used / spent * max(1.0, 30.0 / rate)


def studio_drag_p95_ms() -> float:
    """The time in ms from the pointer event that drags a body to the arrival of the answer, 95th percentile."""
    with _chromium() as browser, _folder() as folder:
        (folder / "cell.yaml").write_text(_BENCH, encoding="utf-8")
        with _studio(folder / "state", folder / "cell.yaml") as (_, url):
            page = browser.new_page()
            page.goto(url)
            page.wait_for_function(_STANDS, timeout=_PATIENCE)
            page.get_by_test_id("tab-build").click()
            page.get_by_test_id("add-box").click()
            page.wait_for_function("() => window.__drycell.view.pointer.dragger?.position.z > 0.04", timeout=_PATIENCE)
            page.wait_for_timeout(1500)  # until the camera, which moves to show the new body, is at rest
            return _p95(_dragged(page))


def studio_scrub_p95_ms() -> float:
    """The time in ms from the pointer event that moves the scrubber to the arrival of its frame, 95th percentile."""
    with _chromium() as browser, _folder() as folder:
        recording = folder / "first.dry"
        _drycell("run", str(_example("00_first_cell")), "--record", str(recording))
        with _studio(folder / "state", recording) as (_, url):
            page = browser.new_page()
            page.goto(url)
            page.wait_for_function(_STANDS, timeout=_PATIENCE)
            return _p95(_scrubbed(page))


def studio_fps() -> float:
    """Frames/s of the demo cell in a window of 1440×900, drawn in software: the slower of two, as the eye turns at
    rest, and as a recording plays."""
    with _chromium() as browser, _folder() as folder:
        recording = folder / "demo.dry"
        _drycell("run", str(_example("30_event_cell")), "--until", "3min", "--record", str(recording))
        with _studio(folder / "state", recording) as (_, url):
            page = _opened(browser, url)
            page.get_by_test_id("run").click()
            page.wait_for_function("() => window.__drycell.view.t > 1", timeout=_PATIENCE)
            playing = _rate(page)
            page.get_by_test_id("run").click()
            page.evaluate(_TURN)
            return min(playing, _rate(page))


def studio_paced_fps() -> float:
    """Frames/s of the demo cell in a window of 1440×900, drawn in software, as it runs in real time."""
    cell = _example("30_event_cell")
    with _chromium() as browser, _folder() as folder, _studio(folder / "state", cell) as (_, url):
        page = _opened(browser, url)
        page.get_by_test_id("run").click()
        page.wait_for_function("() => window.__drycell.view.t > 1", timeout=_PATIENCE)
        return _rate(page)


def studio_refined_s() -> float:
    """Seconds from the last change in the demo cell to its refined picture, in a window of 1440×900, in software."""
    cell = _example("30_event_cell")
    with _chromium() as browser, _folder() as folder, _studio(folder / "state", cell) as (_, url):
        page = _opened(browser, url)
        page.wait_for_timeout(_SETTLES)
        return min(float(page.evaluate(_REFINED)) for _ in range(2))


def _opened(browser: "Browser", url: str) -> "Page":
    page = browser.new_page(viewport=_WINDOW)
    page.goto(url)
    page.wait_for_function(_STANDS, timeout=_PATIENCE)
    return page


def _rate(page: "Page") -> float:
    """The images of the view per second, once its quality has settled."""
    page.wait_for_timeout(1000 * _STEPS_DOWN)
    count = "() => [window.__drycell.view.stats.renders, performance.now()]"
    first, began = page.evaluate(count)
    page.wait_for_timeout(1000 * _SECONDS)
    last, ended = page.evaluate(count)
    return 1000.0 * float(last - first) / float(ended - began)


def studio_open_8h_s() -> float:
    """Seconds from opening a recording of eight hours to its first picture."""
    with _chromium() as browser, _folder() as folder:
        recording = folder / "shift.dry"
        _drycell("run", str(_example("30_event_cell")), "--until", "8h", "--record", str(recording))
        with _studio(folder / "state") as (_, url):
            page = browser.new_page()
            page.goto(f"{url}?open={recording}")
            page.get_by_test_id("open-path").wait_for()
            page.wait_for_timeout(4000)  # the spare host is ready, as it usually is when a user opens a file
            began = time.perf_counter()
            page.get_by_test_id("open-path").click()
            page.wait_for_function(_STANDS, timeout=_PATIENCE)
            return time.perf_counter() - began


def _dragged(page: "Page") -> list[float]:
    """Drag a body by its x arrow back and forth. Returns the time until each movement was answered."""
    page.evaluate(_TIMED)
    page.evaluate("""() => { const { pointer } = window.__drycell.view, began = new Map();
        const send = pointer.send.bind(pointer), dragged = pointer.dragged.bind(pointer);
        pointer.send = (phase) => { send(phase); if (phase === "move") began.set(pointer.number, window.moved); };
        pointer.dragged = (number, ...rest) => { const at = began.get(number);
            if (at !== undefined) window.trips.push(performance.now() - at); dragged(number, ...rest); }; }""")
    x, y = (
        page.evaluate("""() => { const { dragger } = window.__drycell.view.pointer, grip = dragger.position.toArray();
        grip[0] += 0.95 * dragger.scale.x; return window.__drycell.view.screen(grip); }""")
    )
    page.mouse.move(x, y)
    page.mouse.down()
    for number in range(_MOVES):
        page.mouse.move(x + 2 * (number % 40), y)
        page.wait_for_timeout(8)
    page.mouse.up()
    trips: list[float] = page.evaluate("() => window.trips")
    return trips


def _scrubbed(page: "Page") -> list[float]:
    """Drag the scrubber with pauses, so that each frame belongs to one movement."""
    page.evaluate(_TIMED)
    page.evaluate("""() => { const view = window.__drycell.view, frame = view.frame.bind(view);
        view.frames.take = (...arrived) => { if (window.moved) window.trips.push(performance.now() - window.moved);
            window.moved = 0; frame(...arrived); }; }""")
    box = page.get_by_test_id("scrubber").locator(".q-slider__track-container").bounding_box()
    if box is None:
        raise DrycellError("the page has no scrubber")
    x, y, width = box["x"], box["y"] + box["height"] / 2, box["width"]
    page.mouse.move(x, y)
    page.mouse.down()
    for number in range(_MOVES):
        page.mouse.move(x + width * ((number * 37) % _MOVES) / _MOVES, y)
        page.wait_for_timeout(120)
    page.mouse.up()
    trips: list[float] = page.evaluate("() => window.trips")
    return trips


def _p95(trips: list[float]) -> float:
    if len(trips) < _MOVES / 2:
        raise DrycellError(f"only {len(trips)} of {_MOVES} movements were answered: the machine is too busy to measure")
    return sorted(trips)[int(0.95 * len(trips))]


# ---------------------------------------------------------------- helpers


@contextlib.contextmanager
def _chromium() -> "Iterator[Browser]":
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        raise DrycellError("Chromium is not installed, which the studio benchmarks need", hint="apt install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_FLAGS)
        try:
            yield browser
        finally:
            browser.close()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="drycell-bench-") as folder:
        yield Path(folder)


@contextlib.contextmanager
def _studio(state: Path, *opened: Path) -> Iterator[tuple[int, str]]:
    """A studio in its own process: its process number and its address."""
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "drycell.cli.main",
            "studio",
            "--trust",
            "--no-browser",
            "--port",
            "0",
            *map(str, opened),
        ],
        env={**os.environ, "XDG_STATE_HOME": str(state), "XDG_CONFIG_HOME": str(state), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        found = re.search(r"http://\S+", process.stdout.readline())
        if found is None:
            raise DrycellError("the studio did not start")
        yield process.pid, found[0]
    finally:
        process.terminate()
        process.wait(10)


def _drycell(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "drycell.cli.main", *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 2):
        raise DrycellError(f"drycell {arguments[0]} failed: {done.stderr.strip()[-500:]}")


def _example(name: str) -> Path:
    return Path(__file__).parents[1] / "examples" / name


def _below(pid: int) -> list[int]:
    """All processes below a process."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    children = [int(each) for task in tasks for each in (task / "children").read_text().split()]
    return [*children, *(each for child in children for each in _below(child))]


def _cpu(pid: int) -> float:
    """The processor time of one process in seconds, without its children."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
