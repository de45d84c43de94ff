"""The picture of a device in a real browser: it follows the device, or shows moves by subdivisions."""

import pytest
from playwright.sync_api import Browser, expect

from drycell.base import mm
from drycell.effector.link import connect, start_device

# Every frame that the page draws, however seldom the test looks: the gap of the device, and the gap drawn in mm.
_FRAMES = """() => {
    window.__frames = [];
    new MutationObserver(() => window.__frames.push([
        document.querySelector("[data-value=gap]").textContent,
        Number(/gap ([0-9.]+)/.exec(document.querySelector("svg text").textContent)[1]),
    ])).observe(document.getElementById("picture"), { childList: true });
}"""
_REST_BEFORE_REPLY = """() => {
    const seen = (gap, ended) => shownGap({ gap, moving: false, ended, ends: [0.06, 0.04, 0.05].slice(0, 1 + ended) });
    const before = counted;
    counted = 0;
    seen(0.04, 0); seen(0.04, 1); seen(0.05, 1); seen(0.05, 2);
    const found = ends.map((gap) => Math.round(gap * 1000));
    ends = []; stood = null; counted = before;
    return found;
}"""
_AT_REST = "ends.length === 0 && way.length === 0"


def _turns(gaps: list[float]) -> list[float]:
    """Where the drawn fingers change direction, and where they end."""
    steps = [gap for k, gap in enumerate(gaps) if k == 0 or gap != gaps[k - 1]]
    turned = [b for a, b, c in zip(steps, steps[1:], steps[2:], strict=False) if (b > a) != (c > b)]
    return [*turned, steps[-1]]


def test_the_picture_follows_the_device_and_reports_when_it_has_ended(chromium: Browser) -> None:
    errors: list[str] = []
    with start_device(picture=True) as device, connect(device.address) as gripper:
        assert device.picture is not None
        page = chromium.new_page(viewport={"width": 760, "height": 600})
        page.on("console", lambda message: errors.append(message.text))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto(device.picture)
        value = page.locator("[data-value=gap]")
        expect(value).to_have_text("65.00 mm")
        gripper.initialise()
        gripper.squeeze(15).wait()
        expect(value).to_have_text("24.00 mm")
        expect(page.locator("[data-value=force]")).to_have_text("15.0 N")
        expect(page.locator("[data-value=beam]")).to_have_text("broken")

        # With many subdivisions the fingers are drawn where they were long after the device has opened them.
        page.evaluate(_FRAMES)
        page.locator("#slider").fill("90")
        expect(page.locator("#chosen")).to_contain_text("501 subdivisions: 20.04 s per move")
        gripper.move_to(60 * mm).wait()
        page.wait_for_function("() => window.__frames.some(([gap, drawn]) => gap === '60.00 mm' && drawn < 50)")

        # With fewer, the drawing catches up: each queued move is drawn, one after the other.
        page.locator("#slider").fill("30")
        expect(page.locator("#chosen")).to_contain_text("8 subdivisions: 0.32 s per move")
        page.wait_for_function(f"() => Math.abs(drawn - 0.06) < 1e-4 && {_AT_REST}")
        ended = page.evaluate("() => { window.__frames = []; return counted; }")
        moves = [gripper.move_to(gap * mm) for gap in (40, 50, 30, 60)]
        for move in moves:
            move.wait()
        page.wait_for_function(f"(all) => counted === all && {_AT_REST}", arg=ended + len(moves))
        gaps = [drawn for _, drawn in page.evaluate("window.__frames")]
        assert _turns(gaps) == pytest.approx([40, 50, 30, 60], abs=0.1)  # a move counts as ended 0.05 mm before its gap
        # A device that is seen at rest before its reply arrives has made one move, not two.
        assert page.evaluate(_REST_BEFORE_REPLY) == [40, 50]
        page.locator("#slider").fill("0")
        expect(page.locator("svg text")).to_contain_text("gap 60.00 mm")

        gripper.quit()
        expect(page.locator("#over")).to_have_text("the device has ended")
        page.close()
    assert errors == []
