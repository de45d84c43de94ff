"""How the view draws: every shader compiles, pictures are refined at rest, looks follow their channels, labels do not
overlap, and a lost graphics card comes back."""

import base64
import json
import struct
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page

from .conftest import Opener

CELL = "30_event_cell"
STANDS = "() => window.__drycell?.view?.framed && !window.__drycell.view.bodies.loading"
REFINED = "() => window.__drycell.view.pictures.refined"
VIEW = "window.__drycell.view"
# Draws now, and returns what the canvas shows at points of it, 0 to 1 from the left and from the top: red, green, blue.
SHOWN = """(points) => { const { view } = window.__drycell, { pictures, renderer } = view, card = renderer.getContext();
    if (pictures.refined) pictures.show(); else view.render();
    return points.map(([u, v]) => { const pixel = new Uint8Array(4), { width, height } = view.canvas;
        const [x, y] = [Math.floor(u * width), Math.floor((1 - v) * height)];
        card.readPixels(x, y, 1, 1, card.RGBA, card.UNSIGNED_BYTE, pixel);
        return [...pixel.slice(0, 3)]; }); }"""
# One body with a look, which is fetched from here.
DRESS = """([look, entry]) => { const { view } = window.__drycell, fetched = window.fetch;
    window.fetch = (url, ...rest) => String(url).endsWith(`/look/${entry.look}`)
        ? Promise.resolve(new Response(Uint8Array.from(atob(look), (c) => c.charCodeAt(0)))) : fetched(url, ...rest);
    view.frames.close();
    view.tree([entry], 10 ** 9, 1, "looks"); }"""


def standing(page: Page) -> Page:
    page.wait_for_function(STANDS)
    return page


def packed(groups: list[dict[str, Any]], channels: dict[str, Any]) -> str:
    """A look in the form of drycell.looks.packing, written here by hand from its description: squares of 100 mm at the
    places and with the finishes of ``groups``, facing up."""
    blob, rows = b"", []
    for group in groups:
        x, y, z = group["at"]
        corners = np.array([[0, 0, 0], [0.1, 0, 0], [0.1, 0.1, 0], [0, 0.1, 0]]) + np.array((x, y, z))
        arrays: dict[str, Any] = {
            "p": corners.astype("<f4"),
            "n": np.tile([0, 0, 127, 127], (4, 1)).astype("i1"),
            "c": np.tile([*group.get("colour", (200, 60, 40)), 255], (4, 1)).astype("u1"),
            "m": np.tile([128, 0, 0, 0], (4, 1)).astype("u1"),
            "uv": (corners[:, :2] - (x, y)).astype("<f4"),
            "f": np.array([0, 1, 2, 0, 2, 3], "<u4"),
            "e": np.concatenate([corners[[k, (k + 1) % 4]] for k in range(4)]).astype("<f4"),
            "ec": np.tile([200, 60, 40, 128], (8, 1)).astype("u1"),
        }
        row: dict[str, Any] = {"channel": group.get("channel"), "finish": group["finish"], "detail": [[6, 8]] * 4}
        for name, values in arrays.items():
            row[name] = [len(blob), values.size]
            blob += values.tobytes()
        rows.append(row)
    text = json.dumps({"channels": channels, "groups": rows, "bounds": None}).encode()
    text += b" " * (-len(text) % 4)
    return base64.b64encode(struct.pack("<I", len(text)) + text + blob).decode()


def dressed(page: Page, groups: list[dict[str, Any]], channels: dict[str, Any]) -> None:
    """Shows one body with that look, and nothing else."""
    standing(page)
    entry = {"number": 0, "name": "sample", "look": "sample", "mesh": "sample", "channels": list(channels)}
    page.evaluate(DRESS, [packed(groups, channels), {**entry, "colour": "#888888"}])
    framed(page, [0.0] * len(channels))
    page.wait_for_function(f"() => {VIEW}.sceneNumber === 10 ** 9 && {VIEW}.bodies.named.get('sample').solid")


def framed(page: Page, values: list[float], t: float = 0.0) -> None:
    """A frame with these values of channels."""
    page.evaluate(
        f"""([t, values]) => {VIEW}.frame(t, 10 ** 9, 1, new Float32Array([0, 0, 0, 1, 0, 0, 0]),
                                          new Float32Array(values))""",
        [t, values],
    )


FINISHES = [
    {"finish": finish, "at": (0.2 * number, 0.0, 0.0)}
    for number, finish in enumerate(("plain", "belt", "wood", "glass", "mesh", "lamp", "screen"))
]


def test_every_shader_compiles_at_every_level_live_and_at_rest(page: Page) -> None:
    """The test fails at errors of the console, too: three reports shaders there."""
    dressed(page, FINISHES, {})
    broken = page.evaluate(
        """async () => { const { view } = window.__drycell, { pictures, bodies } = view, broken = [];
            view.choose([0]);
            bodies.highlight([0], "near");
            bodies.showGhosts([[0, [0, 0, 0.2, 1, 0, 0, 0], 0.5]]);
            for (let level = 0; level < 5; level++) for (const mode of ["edges", "wireframe"]) {
                bodies.show(mode);
                pictures.setLevel(level);
                view.render();
                pictures.refine();
            }
            const { programs } = view.renderer.info;
            for (const each of programs) if (each.diagnostics && !each.diagnostics.runnable) broken.push(each.name);
            return [programs.length, broken, view.renderer.getContext().getError()]; }"""
    )
    assert broken[0] > 30
    assert broken[1:] == [[], 0]


def test_a_shader_that_does_not_compile_is_an_error(open_page: Opener) -> None:
    page = open_page()
    dressed(page, FINISHES[:1], {})
    page.evaluate(
        f"""() => {{ const {{ material }} = {VIEW}.bodies.named.get("sample").solid.drawn[0].mesh;
            material.fragmentShader = "precision highp float; out vec4 colour; void main() {{ colour = nothing; }}";
            material.needsUpdate = true;
            {VIEW}.render(); }}"""
    )
    page.wait_for_timeout(200)
    errors: list[str] = open_page.errors  # type: ignore[attr-defined]
    assert any("Shader Error" in each for each in errors)
    errors.clear()


@pytest.mark.parametrize("parallel", [False, True])
def test_the_picture_is_refined_at_rest_and_then_nothing_is_drawn(page: Page, parallel: bool) -> None:
    standing(page)
    if parallel:
        page.keyboard.press("p")
        page.wait_for_function(f"() => {VIEW}.eye.isParallel")
    page.mouse.move(2, 2)
    page.wait_for_function(REFINED)
    count = f"() => [{VIEW}.stats.renders, {VIEW}.pictures.stats.samples]"
    before = page.evaluate(count)
    page.wait_for_timeout(700)
    assert page.evaluate(count) == before
    assert page.evaluate(f"() => {VIEW}.pictures.sample") == 24


def test_a_change_gives_up_the_refined_picture(page: Page) -> None:
    standing(page)
    page.wait_for_function(REFINED)
    page.mouse.move(500, 300)
    page.mouse.wheel(0, -200)
    page.wait_for_function(f"() => !{VIEW}.pictures.refined")
    page.wait_for_function(REFINED)


def test_live_and_refined_pictures_have_the_same_colours(open_page: Opener) -> None:
    """Of a plate in the sun, and of the floor: samples are averaged in another space than the live picture's."""
    for dark in (False, True):
        page = open_page(dark=dark)
        dressed(page, [{"finish": "plain", "at": (0.0, 0.0, 0.1), "colour": (60, 130, 190)}], {})
        page.evaluate(f"() => {{ {VIEW}.overlays.show({{ axes: false, grid: false }}); {VIEW}.fit('top', true); }}")
        page.evaluate(f"() => {{ {VIEW}.eye.camera.position.z *= 3; {VIEW}.pictures.setLevel(3); }}")
        points = [[0.5, 0.5], [0.05, 0.9]]  # the plate, and the floor far from its shadow
        live = page.evaluate(SHOWN, points)
        page.wait_for_function(REFINED)
        rest = page.evaluate(SHOWN, points)
        assert np.abs(np.array(live[0]) - rest[0]).max() <= 14, (dark, live, rest)
        assert np.abs(np.array(live[1]) - rest[1]).max() <= 14, (dark, live, rest)


def test_channels_turn_slide_scroll_and_light_the_groups_of_a_look(page: Page) -> None:
    channels = {
        "spindle": {"kind": "turn", "axis": [0, 0, 1], "pivot": [0.2, 0, 0], "scale": 2.0},
        "door": {"kind": "slide", "vector": [0.0, 0.5, 0.0]},
        "travel": {"kind": "scroll"},
        "red": {"kind": "glow", "off": "#401010", "on": "#ff4030"},
    }
    groups = [
        {"finish": "plain", "at": (0.2, 0, 0), "channel": "spindle"},
        {"finish": "plain", "at": (0.4, 0, 0), "channel": "door"},
        {"finish": "belt", "at": (0.6, 0, 0), "channel": "travel"},
        {"finish": "lamp", "at": (0.8, 0, 0), "channel": "red"},
        {"finish": "plain", "at": (0.0, 0, 0)},
    ]
    dressed(page, groups, channels)
    corner = f"""() => {{ {VIEW}.scene.updateMatrixWorld();
        const at = (place) => {VIEW}.eye.target.clone().fromBufferAttribute(place, 1);
        return {VIEW}.bodies.named.get("sample").solid.drawn.map(
            ({{ mesh }}) => mesh.localToWorld(at(mesh.geometry.attributes.position)).toArray()); }}"""
    framed(page, [np.pi / 4, 0.5, 0.03, 1.0], 1.0)

    turned, slid, belt, lamp, still = page.evaluate(corner)
    assert turned == pytest.approx([0.2, 0.1, 0.0], abs=1e-6)  # a quarter turn about its own corner
    assert slid == pytest.approx([0.5, 0.25, 0.0], abs=1e-6)
    assert belt == pytest.approx([0.7, 0.0, 0.0], abs=1e-6)
    assert lamp == pytest.approx([0.9, 0.0, 0.0], abs=1e-6)
    assert still == pytest.approx([0.1, 0.0, 0.0], abs=1e-6)
    uniforms = f"""() => {{ const of = (name) => {VIEW}.bodies.named.get("sample").solid.lamps.get(name)[0].uniforms;
        return [of("travel").travel.value, of("red").glow.value.r]; }}"""
    travel, bright = page.evaluate(uniforms)
    assert travel == pytest.approx(0.03)
    framed(page, [0.0, 0.0, 0.0, 0.0], 2.0)
    turned, slid, *_ = page.evaluate(corner)
    assert turned == pytest.approx([0.3, 0.0, 0.0], abs=1e-6)
    assert slid == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)
    assert page.evaluate(uniforms)[1] < 0.2 * bright


def test_the_selected_body_is_outlined_and_not_painted_over(page: Page) -> None:
    standing(page)
    plain = "{ axes: false, grid: false, frames: false }"
    page.evaluate(f"() => {{ {VIEW}.eye.project(true); {VIEW}.overlays.show({plain}); {VIEW}.fit('top', true); }}")
    # A point one pixel beside the middle of a side of the box, and its middle.
    number, points = page.evaluate(
        f"""() => {{ const view = {VIEW}, {{ number }} = view.bodies.named.get("store").entry;
            const rim = view.canvas.getBoundingClientRect(), corners = view.bodies.corners([number]);
            const range = (most) => ["x", "y", "z"].map((axis) => most(...corners.map((corner) => corner[axis])));
            const [low, high] = [range(Math.min), range(Math.max)];
            const on = (x, right) => {{ const at = {VIEW}.screen([x, (low[1] + high[1]) / 2, high[2]]);
                return [(at[0] - rim.left + right) / rim.width, (at[1] - rim.top) / rim.height]; }};
            return [number, [on(high[0], 1), on(low[0] + 0.4 * (high[0] - low[0]), 0)]]; }}"""
    )
    for at_rest in (False, True):
        page.evaluate(f"() => {{ {VIEW}.choose([]); {VIEW}.pictures.setLevel(3); }}")
        if at_rest:
            page.wait_for_function(REFINED)
        before = page.evaluate(SHOWN, points)
        page.evaluate(f"(number) => {VIEW}.choose([number])", number)
        if at_rest:
            page.wait_for_function(REFINED)
        after = page.evaluate(SHOWN, points)
        (red, _, blue), middle = after
        assert blue > red + 60, f"beside the box it is blue: {after}, at rest: {at_rest}"
        assert before[0][2] < before[0][0] + 60
        assert np.abs(np.array(middle) - before[1]).max() <= 2, "the box itself keeps its colour"


def test_quality_steps_down_when_pictures_are_slow_and_not_up_again(page: Page) -> None:
    standing(page)
    levels = page.evaluate(
        f"""() => {{ const {{ pictures }} = {VIEW}, levels = [];
            pictures.highest = 4;
            pictures.setLevel(4);
            for (let k = 0; k < 200; k++) {{ pictures.pace(k < 12 ? 60 : 15); levels.push(pictures.level); }}
            for (let k = 0; k < 4; k++) pictures.pace(3000);
            return [levels, pictures.level]; }}"""
    )
    assert levels[0][0] == 4
    assert levels[0][11] == 3, "ten pictures of 60 ms"
    assert max(levels[0][12:]) == 3, "it does not try again what was too slow"
    assert levels[1] == 3, "a pause is not a slow picture"


def test_labels_do_not_overlap_and_stay_where_they_are(page: Page) -> None:
    standing(page)
    page.evaluate(f"() => {VIEW}.overlays.show({{ names: true, workpoints: true }})")
    boxes = """() => [...document.querySelectorAll(".cellview-label")].filter((each) => each.style.display !== "none")
        .map((each) => [each.innerText, ...Object.values(each.getBoundingClientRect().toJSON()).slice(0, 4)])"""
    page.wait_for_function(f"() => ({boxes})().length > 4")
    page.wait_for_function(REFINED)
    shown = page.evaluate(boxes)
    for k, (name, x, y, width, height) in enumerate(shown):
        for other, u, v, wide, high in shown[:k]:
            apart = x >= u + wide or u >= x + width or y >= v + high or v >= y + height
            assert apart, f"{name} overlaps {other}"
    page.evaluate(f"() => {VIEW}.render()")
    assert page.evaluate(boxes) == shown


def test_a_lost_graphics_context_is_restored(page: Page) -> None:
    standing(page)
    page.wait_for_function(REFINED)
    page.evaluate(
        f"""() => {{ window.__loses = {VIEW}.renderer.getContext().getExtension("WEBGL_lose_context");
            window.__loses.loseContext(); }}"""
    )
    page.wait_for_selector(".cellview-dead", state="attached")
    page.evaluate("() => window.__loses.restoreContext()")
    page.wait_for_selector(".cellview-dead", state="detached")
    page.wait_for_function(REFINED)
    shown = np.array(page.evaluate(SHOWN, [[0.1 * k, 0.5] for k in range(1, 10)]))
    assert shown.std(axis=0).max() > 5, "it shows the cell again, not one colour"


def test_beams_end_at_what_they_hit_and_light_up_when_they_trip(page: Page) -> None:
    standing(page)
    drawn = page.evaluate(
        f"""() => {{ const {{ overlays, bodies }} = {VIEW}, body = bodies.named.get("table").entry.number;
            overlays.show({{ sensors: true }});
            const lines = [[0, 0, 0.1, 0, 0, 1, 0.5], [0.1, 0, 0.1, 0, 0, 1, 0.5]];
            overlays.set("sensors", [{{ name: "eye", body, volumes: [], lines }}]);
            const ends = (found) => {{
                overlays.detect([{{ name: "eye", on: true, spans: [], seen: [], ...found }}]);
                const {{ first, last, tint }} = overlays.fields.beams.geometry.attributes;
                const long = (k) => Math.hypot(...[0, 1, 2].map((a) => last.array[3 * k + a] - first.array[3 * k + a]));
                return [0, 1].map((k) => [long(k), ...tint.array.slice(4 * k, 4 * k + 4)]); }};
            const hit = ends({{ lines: [0.2, 0.3], tripped: [true, false] }});
            return [hit, ends({{ lines: [null, null], tripped: [false, false] }})]; }}"""
    )
    (lit, hit), (free, other) = drawn
    assert [each[0] for each in (lit, hit, free, other)] == pytest.approx([0.2, 0.3, 0.5, 0.5], abs=1e-6)
    assert lit[2] > lit[1] + 0.3, "green"
    assert lit[4] == 1.0
    for each in (hit, free, other):
        assert each[3] > each[1] + 0.3, "blue"
        assert each[4] == pytest.approx(0.62)


def test_waves_end_where_something_is(page: Page) -> None:
    standing(page)
    page.evaluate(
        f"""() => {{ const {{ overlays, bodies }} = {VIEW}, body = bodies.named.get("table").entry.number;
            overlays.show({{ sensors: true }});
            const volume = {{ form: "waves", pose: [0, 0, 0.1, 1, 0, 0, 0], reach: 0.4, edges: [], faces: [0, 1, 2],
                vertices: [0, 0, 0, 0.1, 0, 0.4, -0.1, 0, 0.4], normals: [0, 1, 0, 0, 1, 0, 0, 1, 0] }};
            overlays.set("sensors", [{{ name: "sonar", body, volumes: [volume], lines: [] }}]); }}"""
    )
    far = f"""(span) => {{ const {{ overlays }} = {VIEW};
        overlays.detect([{{ name: "sonar", on: span !== null, lines: [], tripped: [], spans: [span], seen: [] }}]);
        {VIEW}.render();
        return overlays.fields.volumes.children[0].children[0].children[0].material.uniforms.far.value; }}"""
    assert page.evaluate(far, 0.25) == pytest.approx(0.25)
    assert page.evaluate(far, None) == pytest.approx(0.4)


def test_hovering_outlines_a_body_and_keeps_the_refined_picture(page: Page) -> None:
    standing(page)
    page.mouse.move(2, 2)
    page.wait_for_function(REFINED)
    samples = page.evaluate(f"() => {VIEW}.pictures.stats.samples")
    x, y = page.evaluate(
        f"() => {VIEW}.screen({VIEW}.bodies.named.get('store').node.position.clone().setZ(0.06).toArray())"
    )
    page.mouse.move(x, y)
    page.wait_for_function(f"() => {VIEW}.hovered === 'store' && {VIEW}.pictures.hovered")
    assert page.locator(".cellview-hover").inner_text() == "store"
    assert page.evaluate(f"() => [{VIEW}.pictures.refined, {VIEW}.pictures.stats.samples]") == [True, samples]


def test_a_slow_run_is_not_refined_between_its_frames(page: Page) -> None:
    """With a clock of its own: frames come every 400 ms, and after 250 ms without change a picture is refined."""
    standing(page)
    page.wait_for_function(REFINED)
    samples = page.evaluate(
        f"""() => {{ const {{ pictures }} = {VIEW}, real = performance.now;
            let t = real.call(performance);
            performance.now = () => t;
            const tick = () => {{ pictures.fence = null; pictures.tick(false); return pictures.sample; }};
            for (let k = 0; k < 3; k++) {{ t += 400; pictures.beat(); pictures.moved(); tick(); }}
            t += 300;
            const between = tick();
            t += 2000;
            const after = tick();
            performance.now = real;
            pictures.changed();
            return [between, after]; }}"""
    )
    assert samples == [0, 1]
    page.wait_for_function(REFINED)
