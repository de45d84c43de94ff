"""The page shows nothing false: everything belongs to the open cell, its version, and the displayed time."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from drycell.cell import CellSource, Model
from drycell.verify import verify

from .conftest import ROOT, Opener, Server, Starter, keep_notes, notes

EXAMPLES = ROOT / "examples"
ARM = """\
name: small cell
bodies:
  table: {shape: {box: [700 mm, 700 mm, 40 mm]}, material: aluminium, at: [200 mm, 0 mm, -20 mm]}
  block: {shape: {box: [60 mm, 40 mm, 50 mm]}, material: beech, on: table, at: [60 mm, -150 mm]}
robots:
  arm: {model: scorbot-er3, gripper: two-finger, on: table, at: [-200 mm, 0 mm]}
"""
WAITS = """\
name: two that wait
signals: {left_done: false, right_done: false}
bodies:
  table: {shape: {box: [500 mm, 500 mm, 40 mm]}, material: aluminium}
programs:
  left: {file: left.py}
  right: {file: right.py}
"""
PROGRAM = """\
from drycell import delay, wait


def {me}({other}_done):
    parts = {number}
    delay(1)
    wait({other}_done)
"""
COUNTS = "name: counting\nbodies: {post: {shape: {box: [40 mm, 40 mm, 90 mm]}}}\nprograms: {count: {file: count.py}}\n"
COUNT = """\
from drycell import delay


def count():
    seconds = 0
    while seconds < 40:
        delay(1)
        seconds += 1
        print("second", seconds)
"""
SIGNALS = """\
name: blinking
signals: {lamp: false}
bodies: {post: {shape: {box: [40 mm, 40 mm, 90 mm]}}}
programs: {count: {file: count.py}}
"""
BLINK = """\
from drycell import delay


def count(lamp):
    while True:
        delay(0.5)
        lamp.set(not lamp.value)
"""
NEVER = """(text) => {
    window.__seen = [];
    new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((node) => {
        if (node.textContent === text) window.__seen.push(text);
    }))).observe(document.body, { childList: true, subtree: true });
}"""
DRAWN = """(path) => {
    const view = window.__drycell?.view;
    if (!view?.framed || view.bodies.loading) return false;
    return view.sceneNumber === view.next.scene && view.cell.endsWith(path); }"""
LOOKS = """() => { const { eye } = window.__drycell.view;
    return [...eye.camera.position.toArray(), ...eye.target.toArray()]; }"""


@pytest.fixture(scope="module")
def server(start: Starter) -> Server:
    return start(str(EXAMPLES / "00_first_cell"))


def at(page: Page, name: str) -> Locator:
    return page.get_by_test_id(name)


def written(folder: Path, files: dict[str, str]) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


def waiting(folder: Path) -> Path:
    """A cell of two programs, each of which waits for the other."""
    left, right = (PROGRAM.format(me=me, other=other, number=number) for me, other, number in
                   (("left", "right", 3), ("right", "left", 4)))  # fmt: skip
    return written(folder, {"cell.yaml": WAITS, "left.py": left, "right.py": right})


def open_cell(page: Page, path: Path) -> None:
    """Opens a cell or recording by its path, and waits until its scene is drawn."""
    at(page, "open").click()
    at(page, "path").fill(str(path))
    at(page, "open-path").click()
    expect(at(page, "open-dialog")).to_be_hidden()
    page.wait_for_function("(path) => window.__drycell?.view?.cell?.endsWith(path)", arg=str(path))


def drawn(page: Page, path: Path | str = "") -> None:
    page.wait_for_function(DRAWN, arg=str(path))


def looks(page: Page) -> list[float]:
    """The camera and its target, when it stands still."""
    page.wait_for_function(
        "() => window.__drycell.view.eye.goal === null || window.__drycell.view.eye.goal === undefined"
    )
    found: list[float] = page.evaluate(LOOKS)
    return found


def orbit(page: Page) -> None:
    box = page.locator("canvas").first.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + 20
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 130, y + 40, steps=5)
    page.mouse.up()


# ---------------------------------------------------------------- scenes


def test_opening_other_cells_with_signals_shown_raises_no_note(page: Page) -> None:
    drawn(page)
    keep_notes(page)
    for _ in range(3):
        for name, signal in (("30_event_cell", "sensor1"), ("34_search", "")):
            open_cell(page, EXAMPLES / name)
            drawn(page, name)
            if signal:
                page.wait_for_function("(signal) => window.__drycell.timing.state.rows.includes(signal)", arg=signal)
        page.keyboard.press("r")
    drawn(page)
    assert notes(page) == []


def test_a_body_that_is_added_moves_no_other(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "arm", {"cell.yaml": ARM})
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "tab-build").click()
    expect(at(page, "add-table")).to_be_visible()
    page.evaluate(
        """() => {
            const view = window.__drycell.view, draw = view.renderer.render.bind(view.renderer);
            const places = () => Object.fromEntries(view.bodies.list.filter((body) => body.there)
                .map((body) => [body.entry.name, body.node.position.toArray().map((v) => v.toFixed(5)).join()]));
            const before = places();
            window.__moved = [];
            view.renderer.render = (...what) => {
                for (const [name, place] of Object.entries(places()))
                    if (name in before && before[name] !== place) window.__moved.push(name);
                const names = new Set(view.bodies.list.filter((body) => body.there).map((body) => body.entry.name));
                for (const name of Object.keys(before)) if (!names.has(name)) window.__moved.push(`${name} is gone`);
                draw(...what);
            };
        }"""
    )
    for name in ("table2", "table3", "table4"):
        at(page, "add-table").click()
        page.wait_for_function("(name) => window.__drycell.view.bodies.named.get(name)?.solid", arg=name)
    assert page.evaluate("() => window.__moved") == []


def test_a_frame_waits_for_the_tree_with_all_of_its_bodies(page: Page) -> None:
    """A new part comes with a frame; its name and shape come with the tree, which may be later."""
    drawn(page)
    shown = page.evaluate(
        """() => { const { view } = window.__drycell, { sceneNumber: scene, version, cell, latest } = view;
            const number = view.bodies.list.length, later = new Float32Array(7 * (number + 2)), shown = [];
            later.set(latest.poses);
            later.set([1, 2, 3, 1, 0, 0, 0], 7 * number);
            later.set([4, 5, 6, 1, 0, 0, 0], 7 * number + 7);
            const look = () => shown.push([view.t, view.bodies.list.filter((body) => body.there).length - number]);
            const add = (place, name) => view.tree([{ number: place, name, mesh: null, colour: "#888888" }], scene,
                version + 1 + place - number, cell);
            view.frame(98, scene, version + 1, later.subarray(0, 7 * (number + 1)));
            view.frame(99, scene, version + 2, later);
            look();
            add(number, "part1");
            look();
            add(number + 1, "part2");
            look();
            return shown; }"""
    )
    assert shown == [[0, 0], [98, 1], [99, 2]]


def test_a_cell_is_replaced_without_errors_about_its_meshes(page: Page, tmp_path: Path) -> None:
    slow = written(tmp_path / "slow", {"cell.yaml": ARM.replace("60 mm, 40 mm, 50 mm", "61 mm, 43 mm, 57 mm")})
    drawn(page)
    held: list[Route] = []
    holding = True
    page.route("**/drycell/look/*", lambda route: held.append(route) if holding else route.continue_())
    open_cell(page, slow)
    page.wait_for_function("() => window.__drycell.view.bodies.loading > 0")
    while not held:
        page.wait_for_timeout(20)
    holding = False
    open_cell(page, EXAMPLES / "34_search")
    answers = set()
    for each in held:
        with page.expect_response(each.request.url) as answer:
            each.continue_()
        answers.add(answer.value.status)
    assert 204 in answers
    assert answers <= {200, 204}  # 200: a mesh that was fetched before
    drawn(page, "34_search")


def test_each_cell_keeps_its_own_camera(page: Page) -> None:
    open_cell(page, EXAMPLES / "00_first_cell")
    drawn(page, "00_first_cell")
    fitted = looks(page)
    orbit(page)
    chosen = looks(page)
    assert chosen != pytest.approx(fitted)

    open_cell(page, EXAMPLES / "34_search")
    drawn(page, "34_search")
    assert page.evaluate(
        "() => window.__drycell.view.bodies.corners().every((point) => window.__drycell.view.sees(point))"
    )
    other = looks(page)

    page.keyboard.press("r")
    before = page.evaluate("() => window.__drycell.view.sceneNumber")
    page.wait_for_function("(scene) => window.__drycell.view.sceneNumber !== scene", arg=before)
    drawn(page, "34_search")
    assert looks(page) == pytest.approx(other)

    open_cell(page, EXAMPLES / "00_first_cell")
    drawn(page, "00_first_cell")
    assert looks(page) == pytest.approx(chosen, abs=1e-6)
    page.reload()
    drawn(page, "00_first_cell")
    assert looks(page) == pytest.approx(chosen, abs=1e-6)


def test_an_empty_scene_shows_nothing_of_the_one_before(page: Page) -> None:
    """A host that died while its cell was built never sends a frame."""
    drawn(page)
    assert page.evaluate("() => window.__drycell.view.bodies.list.length") > 0
    left = page.evaluate(
        """() => { const { view } = window.__drycell;
            view.tree([], 2 ** 50, 1, 'gone');
            return view.bodies.list.length; }"""
    )
    assert left == 0


def test_a_trace_is_stored_with_its_recording(page: Page, tmp_path: Path) -> None:
    verdict = verify(CellSource.find(EXAMPLES / "31_verify" / "exact_tie"), out=tmp_path / "found")
    assert verdict.finding is not None
    assert isinstance(verdict.finding.recording, Path)
    open_cell(page, verdict.finding.recording)
    expect(at(page, "story-3")).to_be_visible()
    open_cell(page, EXAMPLES / "00_first_cell")
    expect(at(page, "tab-story")).to_be_hidden()
    expect(at(page, "story-3")).to_be_hidden()
    expect(at(page, "timing")).to_be_visible()

    open_cell(page, verdict.finding.recording)
    expect(at(page, "story-3")).to_be_visible()
    at(page, "open").click()
    at(page, "example-emula").click()
    expect(at(page, "story-3")).to_be_hidden()
    expect(page.get_by_text(verdict.finding.recording.name)).to_be_hidden()


# ---------------------------------------------------------------- teaching and building


def test_the_dragger_goes_back_with_its_point(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "taught", {"cell.yaml": ARM})
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "tab-teach").click()
    expect(at(page, "joint-0-value")).to_be_visible()
    at(page, "point-here").click()
    at(page, "drag-point").click()
    page.wait_for_function("() => window.__drycell.view.pointer.dragger")
    place = "() => window.__drycell.view.pointer.dragger?.position.z"
    before = page.evaluate(place)
    at(page, "point-z").fill("400")
    at(page, "point-z").press("Enter")
    page.wait_for_function(f"() => Math.abs(({place})() - 0.4) < 1e-6")
    at(page, "lesson-undo").click()
    page.wait_for_function(f"(before) => Math.abs(({place})() - before) < 1e-6", arg=before)
    at(page, "lesson-undo").click()  # the point itself
    page.wait_for_function("() => !window.__drycell.view.pointer.dragger")


def test_taught_points_are_shown_only_while_they_are_taught(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "leaks", {"cell.yaml": ARM})
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "tab-teach").click()
    expect(at(page, "joint-0-value")).to_be_visible()
    at(page, "point-here").click()
    at(page, "drag-point").click()
    page.wait_for_function("() => window.__drycell.view.pointer.dragger")
    labels = page.locator(".cellview-label", has_text="arm_p1")
    expect(labels).to_be_visible()
    at(page, "tab-build").click()
    page.wait_for_function("() => !window.__drycell.view.pointer.dragger")
    expect(labels).to_be_hidden()
    at(page, "tab-teach").click()
    expect(labels).to_be_visible()


def test_properties_follow_the_arm_that_is_jogged(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "jogged", {"cell.yaml": ARM})
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "tab-teach").click()
    expect(at(page, "joint-0-value")).to_have_text("0.0°")
    page.evaluate(
        "() => { const { view } = window.__drycell; view.emit('press', { body: 'arm/forearm', number: null }); }"
    )
    shown = at(page, "fact-yaw").first
    expect(shown).to_be_visible()
    before = shown.inner_text()
    at(page, "joint-0-plus").click()
    expect(at(page, "joint-0-value")).to_have_text("5.0°")
    turned = float(before.removesuffix("°")) + 5.0
    expect(shown).to_have_text(f"{turned:.2f}°")


def test_a_new_cell_shows_its_signals(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "new", {"cell.yaml": "name: new\n"})
    open_cell(page, cell)
    at(page, "tab-build").click()
    at(page, "palette-search").fill("conveyor")
    at(page, "add-conveyor").click()
    page.wait_for_function("() => window.__drycell.timing.state.rows.some((name) => name.startsWith('conveyor.'))")


def test_an_added_thing_can_always_be_loaded(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "source", {"cell.yaml": "name: source\n"})
    open_cell(page, cell)
    at(page, "tab-build").click()
    for kind in ("conveyor", "source", "generic sensor"):
        at(page, "palette-search").fill(kind)
        at(page, f"add-{kind.replace(' ', '-')}").click()
        expect(at(page, "entry-name")).to_have_value(kind.split()[-1])
    expect(at(page, "build-mistake")).to_have_count(0)
    at(page, "build-save").click()
    expect(at(page, "build-state")).to_have_text("cell.yaml")
    assert "on: source" not in (cell / "cell.yaml").read_text()
    built = CellSource.find(cell).build()
    assert set(Model.load(cell).things) >= {"conveyor", "source", "sensor"}
    assert built.body("sensor").parent is built.body("conveyor")


# ---------------------------------------------------------------- mistakes and notes


def test_a_typo_keeps_the_last_cell_until_it_is_corrected(page: Page, tmp_path: Path) -> None:
    cell = waiting(tmp_path / "typo")
    open_cell(page, cell)
    drawn(page, cell)
    keep_notes(page)
    good = (cell / "left.py").read_text()
    at(page, "tab-program").click()
    at(page, "file-left.py").click()
    page.wait_for_function("() => window.__drycell.editor.shown === 'left.py' && !window.__drycell.editor.watching")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("if")
    at(page, "save-restart").click()

    expect(at(page, "error")).to_be_visible()
    page.wait_for_function("() => window.__drycell.view.element.classList.contains('cellview-grey')")
    assert page.evaluate("() => window.__drycell.view.bodies.named.get('table').node.visible")
    expect(at(page, "run")).to_be_disabled()
    page.keyboard.press("Space")
    page.keyboard.press("F10")
    assert notes(page) == []

    (cell / "left.py").write_text(good)  # corrected, here by another program
    expect(at(page, "error")).to_be_hidden()
    page.wait_for_function("() => !window.__drycell.view.element.classList.contains('cellview-grey')")
    expect(at(page, "run")).to_be_enabled()
    assert notes(page) == []


def test_a_mistake_in_a_program_is_shown_in_that_program(page: Page, tmp_path: Path) -> None:
    cell = waiting(tmp_path / "mistake")
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "tab-program").click()
    at(page, "file-right.py").click()
    page.wait_for_function("() => window.__drycell.editor.shown === 'right.py' && !window.__drycell.editor.watching")
    page.locator(".cm-content").click()
    page.keyboard.press("Control+End")
    page.keyboard.type("if")
    at(page, "save-restart").click()
    expect(at(page, "error")).to_contain_text("right.py:8")
    expect(at(page, "error")).not_to_contain_text("cell.yaml")
    expect(at(page, "problem")).to_have_count(1)
    expect(at(page, "problem")).to_contain_text("right.py:8")
    assert page.evaluate("() => window.__drycell.editor.shown") == "right.py"


def test_keys_before_any_cell_is_open_raise_no_note(open_page: Opener, start: Starter, tmp_path: Path) -> None:
    broken = written(tmp_path / "broken", {"cell.yaml": "name: broken\nbodies: {table: {shape: {bix: 1}}}\n"})
    page = open_page(start(str(broken)).url)
    expect(at(page, "error")).to_contain_text("bix")
    keep_notes(page)
    for shows in ("run", "step", "before", "after"):
        expect(at(page, shows)).to_be_disabled()
    for key in ("Space", ".", ",", "F10", "l"):
        page.keyboard.press(key)
    at(page, "tab-teach").click()
    expect(page.get_by_text("No cell is open.")).to_be_visible()
    expect(at(page, "to-bench")).to_be_hidden()
    assert notes(page) == []


def test_a_mistyped_path_can_be_corrected(page: Page) -> None:
    drawn(page)
    at(page, "open").click()
    at(page, "path").fill("examples/00_first_sell")
    at(page, "open-path").click()
    expect(page.locator(".q-notification")).to_contain_text("00_first_sell")
    expect(at(page, "path")).to_have_value("examples/00_first_sell")


def test_notes_are_short_at_the_bottom_right_and_not_repeated(page: Page) -> None:
    drawn(page)
    page.keyboard.press("Escape")
    for _ in range(3):
        at(page, "follow").click()
    note = page.locator(".q-notification")
    expect(note).to_have_count(1)
    expect(note).to_contain_text("Select a body first")
    box = note.bounding_box()
    assert box is not None
    assert box["x"] > 640
    assert box["y"] > 400


# ---------------------------------------------------------------- the end of a run


def test_after_a_deadlock_the_programs_show_where_they_wait(page: Page, tmp_path: Path) -> None:
    cell = waiting(tmp_path / "deadlock")
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "run").click()
    expect(at(page, "state")).to_have_text("deadlock")
    at(page, "tab-program").click()
    at(page, "tab-variables").click()
    expect(at(page, "variables-state")).to_have_text(re.compile("waiting for right_done"))
    expect(at(page, "call-0")).to_contain_text("left.py:7")
    expect(at(page, "variables")).to_contain_text("parts")


# ---------------------------------------------------------------- past instants


def counting(page: Page, folder: Path, seconds: int = 40) -> Path:
    """Open a cell whose program counts seconds, enough of them for the run not to end before the test looks."""
    cell = written(folder, {"cell.yaml": COUNTS, "count.py": COUNT.replace("40", str(seconds))})
    open_cell(page, cell)
    drawn(page, cell)
    at(page, "tab-program").click()
    at(page, "tab-variables").click()
    return cell


def scrub(page: Page, share: float) -> float:
    """Clicks into the track of the scrubber. Returns the time that is shown then, in seconds."""
    before = page.evaluate("() => window.__drycell.view.t")
    track = at(page, "scrubber").locator(".q-slider__track-container").bounding_box()
    assert track is not None
    page.mouse.click(track["x"] + share * track["width"], track["y"] + track["height"] / 2)
    page.wait_for_function("(before) => window.__drycell.view.t !== before", arg=before)
    return float(page.evaluate("() => window.__drycell.view.t"))


def as_then(page: Page, seconds: float) -> None:
    """The page shows the program as it was at a time: its variable, its line, its output."""
    expect(at(page, "program-past")).to_contain_text("as they were then")
    expect(at(page, "variables")).to_contain_text(re.compile(rf"seconds\s*=\s*{int(seconds)}(?!\d)"))
    expect(at(page, "call-0")).to_contain_text("count.py:7")
    at(page, "tab-output").click()
    expect(at(page, "output")).to_have_text(re.compile(rf"second {int(seconds)}\s*$"))
    at(page, "tab-variables").click()


def test_a_past_instant_shows_lines_variables_and_output_of_then(page: Page, tmp_path: Path) -> None:
    counting(page, tmp_path / "past")
    expect(at(page, "stack")).to_have_text("not running")
    page.evaluate(NEVER, "not running")  # while the lines of then are computed, nobody knows
    at(page, "speed").click()
    page.get_by_role("option").last.click()
    at(page, "run").click()
    expect(at(page, "state")).to_have_text("finished")
    expect(at(page, "program-past")).to_be_hidden()
    for share in (0.4, 0.71, 0.22):  # forwards, and back
        as_then(page, scrub(page, share))
    assert page.evaluate("() => window.__seen") == []


def test_the_timing_diagram_follows_the_scrubber_of_a_paused_run(page: Page, tmp_path: Path) -> None:
    cell = written(tmp_path / "cursor", {"cell.yaml": SIGNALS, "count.py": BLINK})
    open_cell(page, cell)
    drawn(page, cell)
    page.wait_for_function("() => window.__drycell.timing.state.rows.includes('lamp')")
    page.keyboard.press("Space")
    page.wait_for_function("() => window.__drycell.view.t > 2.1")
    page.keyboard.press("Space")
    expect(at(page, "state")).to_have_text("paused")
    for share in (0.2, 0.6, 0.4):
        t = scrub(page, share)
        page.wait_for_function(
            "(t) => Math.abs(window.__drycell.timing.state.shown - t * 1e6) < 2", arg=t, timeout=10_000
        )


def test_the_question_about_a_step_ends_with_the_run(page: Page, tmp_path: Path) -> None:
    counting(page, tmp_path / "ends")
    page.keyboard.press("Space")
    page.wait_for_function("() => window.__drycell.view.t > 2.1")
    scrub(page, 0.1)
    page.wait_for_function("() => window.__drycell.view.t < 2")  # the live view also changes its time, but not back
    page.keyboard.press("F10")
    asked = at(page, "step-dialog")
    expect(asked).to_contain_text("the run is at")
    before = asked.inner_text()
    expect(asked).not_to_have_text(before)  # the run continues
    expect(asked).to_be_hidden()
    expect(at(page, "state")).to_have_text("finished")


def test_a_step_in_the_past_asks_first(page: Page, tmp_path: Path) -> None:
    counting(page, tmp_path / "asks", 10_000_000)  # no machine gets there before the pause, even at speed "max"
    page.keyboard.press("Space")
    page.wait_for_function("() => window.__drycell.view.t > 2.1")
    page.keyboard.press("Space")
    expect(at(page, "run")).to_contain_text("play_arrow")
    now = page.evaluate("() => window.__drycell.view.t")
    then = scrub(page, 0.3)
    page.keyboard.press("F10")
    expect(at(page, "step-dialog")).to_contain_text("the run is at")
    at(page, "step-stay").click()
    assert page.evaluate("() => window.__drycell.view.t") == then
    page.keyboard.press("F10")
    at(page, "step-go").last.click()  # the first dialog may still fade out
    page.wait_for_function("(now) => window.__drycell.view.t >= now", arg=now)


def test_the_programs_of_a_recording_without_trust_are_not_available(
    open_page: Opener, start: Starter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = written(tmp_path / "counted", {"cell.yaml": COUNTS, "count.py": COUNT})
    source = CellSource.find(folder)
    source.build().run(10.0, record=folder / "run.dry", source=source)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nobody"))
    page = open_page(start(str(folder / "run.dry")).url)
    drawn(page, "run.dry")
    at(page, "tab-program").click()
    scrub(page, 0.5)
    expect(at(page, "program-past")).to_contain_text("not available")
    expect(at(page, "program-past")).to_contain_text("trust")
    expect(at(page, "trust-dialog")).to_be_hidden()  # nobody asked for code to run
    assert page.evaluate("() => window.__drycell.view.t") == pytest.approx(5.0, abs=0.3)
