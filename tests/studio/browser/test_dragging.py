"""The dragger in a real browser: it follows the mouse, snaps, and moves to the pose that the page returns."""

import os
import re
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Without pytest's variables, by which NiceGUI would take the page for one under its own test.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}
    script = str(Path(__file__).with_name("dragging_page.py"))
    server = subprocess.Popen([sys.executable, script, str(port)], env=environment)
    url, until = f"http://127.0.0.1:{port}/", time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(url).close()
            break
        except (urllib.error.URLError, ConnectionError):
            assert server.poll() is None
            assert time.monotonic() < until
            time.sleep(0.1)
    opened = chromium.new_page()
    opened.goto(url)
    opened.wait_for_function("() => window.__drycell?.view?.pointer.dragger")
    # Straight from the front, so that the size of a pixel is known.
    opened.evaluate("""() => { const { eye } = window.__drycell.view;
        eye.camera.position.set(0, -2, 0.2); eye.target.set(0, 0, 0.2); eye.controls.update(); }""")
    opened.wait_for_timeout(200)
    yield opened
    opened.close()
    server.terminate()
    server.wait(60)


def reported(page: Page) -> tuple[str, list[float]]:
    phase, *numbers = page.get_by_test_id("dragged").inner_text().split()
    return phase, [float(v) for v in numbers]


def pull(page: Page, grip: list[float], to: list[float], steps: int = 12) -> None:
    """Drags from one point of the world to another."""
    x, y = page.evaluate("(p) => window.__drycell.view.screen(p)", grip)
    u, v = page.evaluate("(p) => window.__drycell.view.screen(p)", to)
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(u, v, steps=steps)
    page.mouse.up()
    expect(page.get_by_test_id("dragged")).to_have_text(re.compile("^end"))


def arm(page: Page) -> float:
    """The length of the arrows, in metres."""
    return float(page.evaluate("() => window.__drycell.view.pointer.dragger.scale.x"))


def test_an_arrow_shifts_along_itself_and_the_answer_counts(page: Page) -> None:
    tip = 0.95 * arm(page)
    pull(page, [tip, 0, 0.2], [tip + 0.15, 0, 0.25])
    _, (x, y, z, w) = reported(page)
    assert x == pytest.approx(0.15, abs=0.01)
    assert (y, z, w) == (0.0, 0.2, 1.0)

    pull(page, [x, 0, 0.2 + tip], [x, 0, 0.2 + tip - 0.4])
    assert reported(page)[1][2] == pytest.approx(-0.2, abs=0.02)
    page.wait_for_function(
        "() => window.__drycell.view.pointer.dragger.position.z === 0"
    )  # it has stopped at the floor


def test_steps_are_kept_to(page: Page) -> None:
    page.get_by_test_id("snap").click()
    tip = 0.95 * arm(page)
    pull(page, [tip, 0, 0.2], [tip + 0.1234, 0, 0.2])
    _, (x, *_) = reported(page)
    assert x == pytest.approx(0.12, abs=1e-6)


def test_every_movement_is_answered_and_no_more_than_two_are_under_way(page: Page) -> None:
    tip = 0.95 * arm(page)
    x, y = page.evaluate("(p) => window.__drycell.view.screen(p)", [tip, 0, 0.2])
    page.mouse.move(x, y)
    page.mouse.down()
    for k in range(120):
        page.mouse.move(x + 80 * ((k % 40) / 40), y)
        page.wait_for_timeout(8)
        assert page.evaluate("() => window.__drycell.view.pointer.answered.size") <= 2
    page.mouse.up()
    page.wait_for_function("() => window.__drycell.view.pointer.answered.size === 0")
    assert len(page.evaluate("() => window.__drycell.view.stats.round_trips")) > 20


def test_a_closed_dragger_is_gone(page: Page) -> None:
    page.get_by_test_id("close").click()
    page.wait_for_function("() => window.__drycell.view.pointer.dragger === null")
