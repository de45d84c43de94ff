"""The view in a real browser: frames arrive, clicks select and pick exactly, standard views and themes work."""

import math
import re

from playwright.sync_api import Locator, Page, expect

CELL = "00_first_cell"
STANDS = "() => window.__drycell?.view?.framed && !window.__drycell.view.bodies.loading"


def standing(page: Page) -> Page:
    page.wait_for_function(STANDS)
    return page


def marked(page: Page, name: str) -> Locator:
    return page.locator(f"[data-testid={name}]")


def click_at(page: Page, point: tuple[float, float, float]) -> None:
    """Clicks on a point of the world."""
    x, y = page.evaluate("(point) => window.__drycell.view.screen(point)", list(point))
    page.mouse.click(x, y)


def settled(page: Page) -> None:
    """Waits until the camera stands still."""
    page.wait_for_function(
        """() => { const at = window.__drycell.view.eye.camera.position.toArray().join();
                   const same = window.__at === at; window.__at = at; return same; }""",
        polling=150,
    )


def test_frames_arrive_and_all_bodies_have_shapes(page: Page) -> None:
    standing(page)

    assert page.evaluate("() => window.__drycell.view.stats.frames") >= 1
    names = page.evaluate("() => window.__drycell.view.bodies.list.filter((b) => b.solid).map((b) => b.entry.name)")
    assert {"table", "block", "post", "arm/base"} <= set(names)


def test_nothing_is_drawn_while_nothing_changes(page: Page) -> None:
    standing(page)
    settled(page)
    page.mouse.move(2, 2)
    drawn, before = page.evaluate("() => window.__drycell.view.stats.renders"), -1
    for _ in range(30):  # wait until the effects of the mouse move and of the page's start are over
        if drawn == before:
            break
        page.wait_for_timeout(700)
        drawn, before = page.evaluate("() => window.__drycell.view.stats.renders"), drawn

    assert drawn == before


def test_a_click_selects_in_view_tree_and_properties(page: Page) -> None:
    standing(page)

    click_at(page, (0.498, -0.0, 0.11))  # the top of the post

    expect(page.get_by_text("Pose relative to table")).to_be_visible()
    post = "() => window.__drycell.view.bodies.chosen.has(window.__drycell.view.bodies.named.get('post').entry.number)"
    page.wait_for_function(post)
    expect(page.locator(".q-tree__node--selected")).to_have_text(re.compile("post"))


def test_a_pick_is_exact_to_a_micrometre_on_a_box_and_on_a_cylinder(page: Page) -> None:
    standing(page)
    marked(page, "probe").click()
    expect(page.locator(".cellview-hint")).to_be_visible()

    click_at(page, (0.6, 0.2, 0.0))  # on the table's top
    reported = marked(page, "view-selected")
    expect(reported).to_have_text(re.compile("table .* normal 0.000, 0.000, 1.000"))
    x, y, z = (float(v) for v in re.findall(r"-?\d+\.\d+", reported.inner_text())[:3])
    assert z == 0.0  # mm, three digits
    assert math.hypot(x - 600, y - 200) < 3.0, "within the pixel that was clicked"

    click_at(page, (0.4852, -0.0075, 0.06))  # on the post's mantle
    expect(reported).to_have_text(re.compile("post"))
    x, y, z, u, v, w = (float(v) for v in re.findall(r"-?\d+\.\d+", reported.inner_text()))
    assert abs(math.hypot(x - 498, y) - 15.0) < 1.5e-3, "on the cylinder, not on a facet: 15 mm to a micrometre"
    assert abs(u - (x - 498) / 15) < 1e-3
    assert abs(v - y / 15) < 1e-3
    assert w == 0.0

    page.keyboard.press("Escape")
    expect(page.locator(".cellview-hint")).to_be_hidden()


def test_keys_show_standard_sides_and_projections(page: Page) -> None:
    standing(page)
    eye = "window.__drycell.view.eye"
    looks = f"() => {eye}.camera.position.clone().sub({eye}.target).normalize().toArray()"
    for key, side in (("1", (0, -1, 0)), ("3", (1, 0, 0)), ("7", (0, 0, 1))):
        page.keyboard.press(key)
        page.wait_for_function(f"(side) => ({looks})().every((v, k) => Math.abs(v - side[k]) < 1e-3)", arg=list(side))
    page.keyboard.press("p")
    page.wait_for_function("() => window.__drycell.view.eye.isParallel")
    page.keyboard.press("w")
    page.wait_for_function("() => window.__drycell.view.bodies.mode === 'wireframe'")
    page.keyboard.press("w")
    page.keyboard.press("p")
    page.wait_for_function(
        "() => !window.__drycell.view.eye.isParallel && window.__drycell.view.bodies.mode === 'edges'"
    )


def test_everything_is_in_the_picture_after_fit(page: Page) -> None:
    standing(page)
    page.mouse.move(500, 300)
    page.mouse.wheel(0, -800)
    page.keyboard.press("f")
    settled(page)

    outside = page.evaluate(
        """() => { const v = window.__drycell.view; v.eye.camera.updateMatrixWorld();
                   return v.bodies.corners().map((p) => p.clone().project(v.eye.camera))
                     .filter((p) => Math.abs(p.x) > 1 || Math.abs(p.y) > 1).length; }"""
    )
    assert outside == 0


def test_the_background_follows_the_theme(open_page: "object") -> None:
    for dark in (False, True):
        page = open_page(dark=dark)  # type: ignore[operator]
        standing(page)
        assert page.evaluate("() => window.__drycell.view.dark") is dark


def test_the_eye_icon_in_the_tree_hides_a_body(page: Page) -> None:
    standing(page)
    row = page.locator(".drycell-node", has_text="post")
    row.hover()
    row.locator(".drycell-eye").click()

    page.wait_for_function("() => !window.__drycell.view.bodies.named.get('post').node.visible")
    row.hover()
    row.locator(".drycell-eye").click()
    page.wait_for_function("() => window.__drycell.view.bodies.named.get('post').node.visible")


def test_the_line_is_taken_up_again_when_it_was_lost(page: Page) -> None:
    standing(page)
    before = page.evaluate("() => { const v = window.__drycell.view; v.frames.line.close(); return v.stats.frames; }")

    page.wait_for_function("(n) => window.__drycell.view.stats.frames > n", arg=before)
    page.wait_for_function("() => !window.__drycell.view.element.classList.contains('cellview-lost')")
