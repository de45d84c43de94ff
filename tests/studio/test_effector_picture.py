"""The picture of a device that runs as a process: access control, and the states it sends."""

import asyncio
import json
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from drycell.base import DrycellError, mm
from drycell.effector import LiveMessageDevice
from drycell.effector.link import DeviceAddress, GripperClient, PadClient, ServedDevice, WristClient, bench, connect
from drycell.studio.api.scene import TreeDevice
from drycell.studio.api.transport import HostStatus
from drycell.studio.effector import DeviceCamera, Json, PicturePage, view_of
from drycell.studio.server.studio import Studio

EXAMPLES = Path(__file__).parents[2] / "examples"


@contextmanager
def shown(kind: str, folder: Path) -> Iterator[tuple[PicturePage, str]]:
    """A device that runs, its page, and its address."""
    cell = bench(kind)
    device = cell.devices[kind]
    assert isinstance(device, LiveMessageDevice)
    pairs = [device.pair, *(each.pair for each in cell.devices.values() if isinstance(each, LiveMessageDevice))]
    attended = ServedDevice(cell, list(dict.fromkeys(pairs)), DeviceAddress(path=str(folder / "device")))
    page = PicturePage(kind, DeviceCamera(cell.kernel, view_of(device)), subdivisions=10)
    thread = Thread(target=attended.run)
    thread.start()
    try:
        page.start()
        yield page, str(attended.address)
    finally:
        attended.stop()
        thread.join()
        page.close()


def browser_at(url: str) -> urllib.request.OpenerDirector:
    """A browser that has opened the address of the page: it has the cookie."""
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    browser.open(url, timeout=60).close()
    return browser


def frames(url: str) -> Iterator[Json]:
    """The states that the page receives."""
    with browser_at(url).open(url.partition("?")[0] + "frames", timeout=60) as stream:
        for line in stream:
            if line.startswith(b"data: {") and line.strip() != b"data: {}":
                yield json.loads(line.removeprefix(b"data: "))


@pytest.fixture
def gripper_page(tmp_path: Path) -> Iterator[tuple[PicturePage, str]]:
    with shown("gripper", tmp_path) as made:
        yield made


def test_the_page_is_reported_what_the_device_does(gripper_page: tuple[PicturePage, str]) -> None:
    page, address = gripper_page
    reported = frames(page.url)
    first = next(reported)
    assert first["gap"] == pytest.approx(65 * mm)
    assert first["part"] == pytest.approx(24 * mm, abs=0.2 * mm)
    with connect(address) as gripper:
        gripper.initialise()
        gripper.squeeze(15).wait()
        held = next(frame for frame in reported if frame["gap"] < 25 * mm and frame["force"] > 14)
    assert held["gap"] == pytest.approx(24 * mm, abs=0.1 * mm)
    assert held["beam"] is True
    reported.close()  # type: ignore[attr-defined]


def test_the_picture_moves_between_the_events_of_a_move(gripper_page: tuple[PicturePage, str]) -> None:
    page, address = gripper_page
    reported = frames(page.url)
    with connect(address) as gripper:
        gripper.initialise()
        move = gripper.move_to(30 * mm, speed=40 * mm)
        gaps = {frame["gap"] for frame, _ in zip(reported, range(10), strict=False)}
        move.wait()
    assert len(gaps) > 5
    reported.close()  # type: ignore[attr-defined]


def test_the_page_gets_the_end_of_every_queued_move(gripper_page: tuple[PicturePage, str]) -> None:
    page, address = gripper_page
    reported = frames(page.url)
    with connect(address) as gripper:
        before = next(reported)["ended"]
        moves = [gripper.begin("INI"), gripper.move_to(30 * mm), gripper.move_to(60 * mm), gripper.squeeze(15)]
        for move in moves:
            move.wait()
        last = next(frame for frame in reported if frame["ended"] == before + 4)
    assert [round(gap / mm) for gap in last["ends"][-4:]] == [65, 30, 60, 24]
    reported.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Origin": "http://evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"},
    ],
)
@pytest.mark.parametrize("path", ["", "frames"])
def test_other_sites_are_not_let_in(gripper_page: tuple[PicturePage, str], headers: dict[str, str], path: str) -> None:
    url = gripper_page[0].url
    request = urllib.request.Request(url.partition("?")[0] + path, headers=headers)
    with pytest.raises(urllib.error.HTTPError) as refused:
        browser_at(url).open(request, timeout=60)
    assert refused.value.code == 403
    refused.value.close()


@pytest.mark.parametrize("path", ["", "frames", "?token=not-the-right-one", "frames?token="])
def test_a_client_without_the_token_is_refused(gripper_page: tuple[PicturePage, str], path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(gripper_page[0].url.partition("?")[0] + path, timeout=60)
    assert refused.value.code == 401
    refused.value.close()


def test_the_page_is_self_contained(gripper_page: tuple[PicturePage, str]) -> None:
    url = gripper_page[0].url
    with browser_at(url).open(url.partition("?")[0], timeout=60) as answer:
        text = answer.read().decode()
        policy = answer.headers["content-security-policy"]
    nonce = text.partition('<script nonce="')[2].partition('"')[0]
    assert f"script-src 'self' 'nonce-{nonce}';" in policy
    assert 'const kind = "gripper", most = 1000' in text
    assert "let subdivisions = 10" in text
    assert "/*" not in text.partition("<script ")[2]
    assert "http://" not in text.replace("http://www.w3.org/2000/svg", "")


def test_the_picture_of_a_wrist_shows_what_is_attached_to_it(tmp_path: Path) -> None:
    with shown("wrist", tmp_path) as (page, address), connect(address, WristClient) as wrist:
        load = wrist.status()
        reported = frames(page.url)
        assert next(reported)["load"] == pytest.approx([*load.force, *load.torque])
        reported.close()  # type: ignore[attr-defined]


def test_the_picture_of_a_pad_shows_where_it_is_touched(tmp_path: Path) -> None:
    with (
        shown("tactile", tmp_path) as (page, address),
        connect(address, PadClient) as pad,
        connect(address, GripperClient) as hand,
    ):
        hand.initialise()
        hand.squeeze(10).wait()
        reported = frames(page.url)
        cells = next(reported)["cells"]
        assert isinstance(cells, list)
        assert sum(cell > 0 for cell in cells) == pad.status().cells > 0
        reported.close()  # type: ignore[attr-defined]


def test_an_excessive_number_of_subdivisions_is_refused() -> None:
    cell = bench("gripper")
    device = cell.devices["gripper"]
    assert isinstance(device, LiveMessageDevice)
    with pytest.raises(DrycellError, match="1001 subdivisions are not possible: 1001 is not between 0 and 1000"):
        PicturePage("gripper", DeviceCamera(cell.kernel, view_of(device)), subdivisions=1001)


async def test_a_device_of_a_cell_is_seen_and_run_in_the_studio(studio: Studio) -> None:
    await studio.open(EXAMPLES / "60_end_effector")
    assert TreeDevice("hand", "effector") in studio.tree.devices
    assert {"hand/palm", "hand/finger1", "hand/finger2"} <= {body.name for body in studio.tree.bodies}
    ended = asyncio.Event()
    studio.listen(HostStatus, lambda status: ended.set() if status.state == "ended" else None)
    await studio.host.transport.set_speed(factor=None)
    await studio.host.transport.run()
    async with asyncio.timeout(60):
        await ended.wait()
    assert studio.latest.error is None
    assert studio.latest.t == pytest.approx(4.088e6, abs=0.01e6)
