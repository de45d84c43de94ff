"""The picture of a device in a real browser: it follows the device, or shows moves by subdivisions."""

import re

from playwright.sync_api import Browser, expect

from drycell.base import mm
from drycell.effector.link import connect, start_device


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
        page.locator("#slider").fill("90")
        expect(page.locator("#chosen")).to_contain_text("501 subdivisions: 20.04 s per move")
        drawn = page.locator("svg text")
        gripper.move_to(60 * mm).wait()
        expect(value).to_have_text("60.00 mm")
        expect(drawn).to_contain_text(re.compile(r"gap (2[4-9]|[34]\d)\."))
        moves = [gripper.move_to(gap * mm) for gap in (40, 50, 30, 60)]
        for move in moves:
            move.wait()
        expect(value).to_have_text("60.00 mm")
        waiting = page.evaluate("ends.map((gap) => Math.round(gap * 1000))")
        assert waiting == [40, 50, 30, 60]  # each is drawn, one after the other
        page.locator("#slider").fill("0")
        expect(drawn).to_contain_text("gap 60.00 mm")

        gripper.quit()
        expect(page.locator("#over")).to_have_text("the device has ended")
        page.close()
    assert errors == []
