"""Real-browser tests: a separate studio process for each module, with Debian's Chromium.

A module names what is open in its studio: ``CELL = "00_first_cell"`` is an example; without it the start page is shown.
A test fails when its page has an error, even one nobody asked for. Chromium that is not there is a failure, not a skip:
``make test`` installs it.
"""

import os
import re
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

ROOT = Path(__file__).parents[3]
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--disable-component-update", "--no-first-run",
]  # fmt: skip
expect.set_options(timeout=60_000)  # a busy machine is slow, not wrong
_SAME_TAB = """sessionStorage.__nicegui_tab_id ||
    (sessionStorage.__nicegui_tab_closed = "true", sessionStorage.__nicegui_tab_id = "first")"""
_EVIDENCE = """() => {
    const d = window.__drycell || {}, e = d.editor;
    return JSON.stringify({
        words: document.body.innerText.replace(/\\s+/g, " ").slice(0, 1500), t: d.view?.t, timing: d.timing?.state,
        editor: e && { shown: e.shown, watching: e.watching, restarts: e.restarts, files: [...e.files.keys()] },
    });
}"""
_HARMLESS = re.compile(r"GPU stall due to ReadPixels|Automatic fallback to software WebGL")
# Chromium only warns of some of these.
_WRONG_DRAWING = re.compile(r"GL_INVALID|GL ERROR|Shader Error|Program Info Log")
_NOTES = """() => {
    window.__notes = [];
    new MutationObserver((changes) => changes.forEach((change) => change.addedNodes.forEach((node) => {
        if (node.querySelector) for (const each of [node, ...node.querySelectorAll(".q-notification")])
            if (each.isConnected && each.classList.contains("q-notification")) window.__notes.push(each.innerText);
    }))).observe(document.body, { childList: true, subtree: true });
}"""


class Server:
    """A studio in a process of its own, as the command starts it; with ``program``, as that script starts it."""

    def __init__(self, *arguments: str, state: Path, program: Path | None = None) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}
        command = ["-m", "drycell.cli.main", "studio"] if program is None else [str(program)]
        self.process = subprocess.Popen(
            [sys.executable, *command, "--no-browser", *arguments],
            cwd=ROOT,
            env={**environment, "XDG_STATE_HOME": str(state), "PYTHONUNBUFFERED": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started = time.monotonic()
        self.said = ""
        self.url = self._address()

    def _address(self) -> str:
        assert self.process.stdout is not None
        while time.monotonic() - self.started < 60:
            if select.select([self.process.stdout], [], [], 1.0)[0]:
                line = self.process.stdout.readline()
                self.said += line
                found = re.search(r"http://\S+", line)
                if found:
                    return found[0]
                if not line:
                    break
        self.process.kill()
        raise AssertionError(f"the studio did not start:\n{self.said}")

    def children(self) -> list[int]:
        """The process ids of the hosts."""
        listed = subprocess.run(
            ["ps", "-o", "pid=", "--ppid", str(self.process.pid)], capture_output=True, text=True, check=False
        )
        return [int(word) for word in listed.stdout.split()]

    def end(self) -> None:
        """Ends it, and says what went wrong in it."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            rest, _ = self.process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        assert "Traceback" not in rest, rest


Starter = Callable[..., Server]


@pytest.fixture(scope="module")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Starter]:
    """Starts studios with custom arguments. They end with the module."""
    servers: list[Server] = []

    def started(*arguments: str, program: Path | None = None) -> Server:
        servers.append(Server("--port", "0", *arguments, state=tmp_path_factory.mktemp("state"), program=program))
        return servers[-1]

    yield started
    for server in servers:
        server.end()


@pytest.fixture(scope="module")
def server(request: pytest.FixtureRequest, start: Starter) -> Server:
    """The studio of this module."""
    cell = getattr(request.module, "CELL", None)
    return start(*([] if cell is None else [str(ROOT / "examples" / cell)]))


def launched(playwright: Playwright) -> Browser:
    """The Chromium of the system."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    assert path, "Chromium is not installed: apt install chromium (make test does it)"
    return playwright.chromium.launch(executable_path=path, args=FLAGS)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """A browser for the module, and no longer: Playwright's loop would be in the way of tests that are asynchronous."""
    with sync_playwright() as playwright:
        browser = launched(playwright)
        yield browser
        browser.close()


Opener = Callable[..., Page]


@pytest.fixture
def open_page(chromium: Browser, request: pytest.FixtureRequest, tmp_path: Path, server: Server) -> Iterator[Opener]:
    """Opens pages, each in a browser of its own (cookies apart): ``open_page(dark=True, width=1920)``.

    The function ``prepare``, in JavaScript, is called in each page before its own scripts.
    """
    contexts: list[tuple[BrowserContext, Page]] = []
    errors: list[str] = []

    def opened(
        url: str | None = None, *, width: int = 1280, height: int = 800, dark: bool = False, prepare: str = ""
    ) -> Page:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme="dark" if dark else "light"
        )
        context.set_default_timeout(60_000)
        if not contexts:  # the same browser and tab as in the test before, whose end the server may not know of yet
            context.add_cookies(
                [{"name": "drycell-browser", "value": "0123456789abcdef" * 2, "url": server.url, "httpOnly": True}]
            )
            context.add_init_script(_SAME_TAB)
        if prepare:
            context.add_init_script(f"({prepare})()")
        page = context.new_page()
        contexts.append((context, page))

        def received(message: ConsoleMessage) -> None:
            wrong = message.type == "error" or _WRONG_DRAWING.search(message.text)
            if wrong and not _HARMLESS.search(message.text):
                errors.append(f"console: {message.text}")

        page.on("console", received)
        page.on("pageerror", lambda error: errors.append(f"page: {error}"))
        answer = page.goto(server.url if url is None else url)
        if answer is not None and answer.ok:
            page.wait_for_url(lambda address: "token=" not in address)
        return page

    opened.errors = errors  # type: ignore[attr-defined]  # a test that expects one takes it out
    yield opened
    if request.node.stash.get(_FAILED, False):
        for number, (_, page) in enumerate(each for each in contexts if not each[1].is_closed()):
            print(f"page {number}: {page.evaluate(_EVIDENCE)}")
            page.screenshot(path=tmp_path / f"page-{number}.png")
        print(f"screenshots in {tmp_path}")
    for context, _ in contexts:
        context.close()
    assert errors == []


@pytest.fixture
def page(open_page: Opener) -> Page:
    """The page of this module's studio."""
    return open_page()


def keep_notes(page: Page) -> None:
    """Keep every note that the page shows from now on: a note is shown for seconds, and a busy machine looks seldom."""
    page.evaluate(_NOTES)


def notes(page: Page) -> list[str]:
    """The notes shown since ``keep_notes``."""
    found: list[str] = page.evaluate("() => window.__notes")
    return found


_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    if call.when == "call":
        item.stash[_FAILED] = report.failed
    return report
