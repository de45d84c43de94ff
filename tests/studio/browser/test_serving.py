"""Serving: a wrong token, an immediate end even while paused, and no process left behind."""

import os
import re
import signal
import time
import urllib.error
import urllib.request
from pathlib import Path

from playwright.sync_api import expect

from .conftest import ROOT, Opener, Server, Starter

CELL = "00_first_cell"


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pids: list[int], limit: float = 60.0) -> None:
    end = time.monotonic() + limit
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < end, f"still there: {[pid for pid in pids if alive(pid)]}"
        time.sleep(0.05)


def test_a_wrong_token_is_reported_what_to_do_and_the_right_one_is_kept(start: Starter, open_page: Opener) -> None:
    served = start(str(ROOT / "examples" / CELL), "--host", "0.0.0.0")
    found = re.fullmatch(r"http://[^:]+:(\d+)/\?token=(\S+)", served.url)
    assert found is not None
    base = f"http://127.0.0.1:{found[1]}/"
    page = open_page(base + "?token=not-the-right-one")
    expect(page.get_by_role("heading")).to_have_text("Wrong token")
    page.goto(base)
    expect(page.get_by_role("heading")).to_have_text("Token required")
    page.goto(base + f"?token={found[2]}")
    page.wait_for_function("() => window.__drycell?.view?.framed")
    assert page.url == base
    assert page.evaluate("() => document.cookie") == ""
    page.reload()
    page.wait_for_function("() => window.__drycell?.view?.framed")
    errors: list[str] = open_page.errors  # type: ignore[attr-defined]
    errors[:] = [each for each in errors if "401 (Unauthorized)" not in each]  # the browser logs them


def test_another_host_or_origin_gets_nothing_from_socket_io_either(server: Server) -> None:
    base = server.url.partition("?")[0]
    for headers in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
        for path in ("", "_nicegui_ws/socket.io/?EIO=4&transport=polling", "drycell/mesh/x"):
            request = urllib.request.Request(base + path, headers=headers)
            try:
                status = urllib.request.urlopen(request).status
            except urllib.error.HTTPError as error:
                status = error.code
            assert status == 403, (headers, path)


def test_the_studio_ends_at_once_while_paused_and_watched(start: Starter, open_page: Opener) -> None:
    served = start(str(ROOT / "examples" / CELL))
    page = open_page(served.url)
    page.wait_for_function("() => window.__drycell?.view?.framed")
    page.get_by_test_id("run").click()
    page.wait_for_function("() => window.__drycell.view.t > 0.2")
    page.get_by_test_id("run").click()
    children = served.children()
    assert children
    served.process.send_signal(signal.SIGTERM)
    served.process.wait(60)
    wait_until_gone(children)
    page.close()
    open_page.errors.clear()  # type: ignore[attr-defined]  # it lost its server, and looked for it


def test_no_host_is_left_when_the_server_is_killed(start: Starter) -> None:
    served = start(str(ROOT / "examples" / CELL))
    end = time.monotonic() + 60
    while len(served.children()) < 2:  # the host and its spare
        assert time.monotonic() < end
        time.sleep(0.05)
    children = served.children()
    os.kill(served.process.pid, signal.SIGKILL)
    wait_until_gone(children)
