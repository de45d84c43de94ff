"""The host as a process: its runs equal those of ``drycell run``, errors are reported, nothing is left behind."""

import asyncio
import os
import signal
import struct
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from drycell.cell import CellSource
from drycell.recording import Recording
from drycell.studio.api.events import ConsoleText, HostEnded, ShowingFailed
from drycell.studio.api.transport import HostStatus
from drycell.studio.host.client import HostClient, HostError, HostGone
from drycell.studio.host.process import HostProcess
from drycell.studio.host.wire import WireMessage

EXAMPLES = Path(__file__).parents[2] / "examples"
LIMIT = 60.0
"""Seconds after which a test that hangs is given up; nothing waits for them to pass."""

TALKER = """
from drycell import Body, Box, Cell, delay, mm


def build(cell: Cell) -> None:
    cell.add("table", Body(Box(100 * mm, 100 * mm, 10 * mm)))
    lamp = cell.signal("lamp", False)

    @cell.program
    def talk() -> None:
        for number in range(5):
            delay(1)
            print("number", number)
            lamp.set(not lamp.value)
"""


@pytest.fixture
async def client() -> AsyncIterator[HostClient]:
    made = await HostClient.start()
    trouble: list[ShowingFailed] = []
    made.listen(ShowingFailed, trouble.append)
    yield made
    await made.close()
    assert trouble == []


class Watcher:
    """Waits for a status, from the moment it is made."""

    def __init__(self, client: HostClient) -> None:
        self.last: HostStatus | None = None
        self._fresh = asyncio.Event()
        client.listen(HostStatus, self._take)

    def _take(self, status: HostStatus) -> None:
        self.last = status
        self._fresh.set()

    async def until(self, reached: Callable[[HostStatus], bool]) -> HostStatus:
        async with asyncio.timeout(LIMIT):
            while self.last is None or not reached(self.last):
                self._fresh.clear()
                await self._fresh.wait()
        return self.last


def ended(status: HostStatus) -> bool:
    return bool(status.mode == "ended")


def paused(status: HostStatus) -> bool:
    return bool(status.state == "paused")


async def test_a_run_on_host_is_the_run_of_the_command_line(client: HostClient, tmp_path: Path) -> None:
    (tmp_path / "saved").mkdir()
    for name, until in (("00_first_cell", None), ("30_event_cell", 200.0)):
        source = CellSource.find(EXAMPLES / name)
        direct = source.build().run(until, record=tmp_path / "saved" / f"{name}-direct.dry", source=source)
        watcher = Watcher(client)
        await client.host.files.open(path=str(EXAMPLES / name), **({} if until is None else {"until": until}))
        await client.host.transport.set_speed(factor=200.0)
        await client.host.transport.run()
        number = 0
        while watcher.last is None or not ended(watcher.last):  # looked at as a page does it, and more
            client.want_frame()
            await client.host.scene.tree()
            if client.frame_number > number:
                number = client.frame_number
                await client.host.transport.seek(t=(watcher.last.t if watcher.last else 0) // 2)
                await client.host.transport.follow()
            await asyncio.sleep(0.005)
            if (watcher.last.t if watcher.last else 0) > 20_000_000:
                await client.host.transport.set_speed(factor=None)
        status = await watcher.until(ended)
        assert status.summary.journal_hash == direct.journal_hash
        assert status.summary.text == direct.summary()
        saved = await client.host.files.save_recording(path=str(tmp_path / "saved" / f"{name}.dry"))
        assert saved > 0
        one, other = (tmp_path / "saved" / f"{name}{end}.dry" for end in ("", "-direct"))
        assert one.read_bytes() == other.read_bytes()


async def test_a_run_is_paused_sought_stepped_and_stopped(client: HostClient, tmp_path: Path) -> None:
    (tmp_path / "talker.py").write_text(TALKER)
    printed: list[str] = []
    client.listen(ConsoleText, lambda reported: printed.append(reported.text))
    watcher = Watcher(client)
    await client.host.files.open(path=str(tmp_path / "talker.py"))
    await client.host.transport.set_breakpoints(file="talker.py", lines=[13])
    await client.host.transport.set_speed(factor=None)
    await client.host.transport.run()
    status = await watcher.until(lambda status: status.stopped_at is not None)
    assert (status.stopped_at.process, status.stopped_at.line, status.t) == ("talk", 13, 1_000_000)
    assert status.processes[0].line == 13
    await client.host.transport.step(by="line")
    status = await watcher.until(lambda status: status.stopped_at and status.stopped_at.line == 14)
    await client.host.transport.set_breakpoints(file=str(tmp_path / "talker.py"), lines=[])
    await client.host.transport.run_to(t=3_500_000)
    status = await watcher.until(lambda status: paused(status) and status.t == 3_500_000)
    assert "".join(printed) == "number 0\nnumber 1\nnumber 2\n"
    sought = await client.host.transport.seek(t=1_500_000)
    assert (sought.shown, sought.t, sought.following) == (1_500_000, 3_500_000, False)
    client.want_frame()
    async with asyncio.timeout(LIMIT):
        number, frame = await client.next_frame(client.frame_number)
    assert number >= 1
    assert struct.unpack_from("<d", frame)[0] == 1.5
    assert (await client.host.transport.follow()).shown == 3_500_000
    await client.host.transport.step(by="event")
    await watcher.until(lambda status: paused(status) and status.t == 4_000_000)
    with pytest.raises(HostError, match="the run has not ended"):
        await client.host.files.open(path=str(tmp_path / "talker.py"))
    await client.host.transport.stop()
    status = await watcher.until(ended)
    assert status.summary.ending == "stopped"
    # A finished run is stepped by the times in its journal, in both directions.
    back = await client.host.transport.step(by="event", back=True)
    assert back.shown < 4_000_000
    with pytest.raises(HostError, match="cannot be stepped by program lines"):
        await client.host.transport.step(by="line")


async def test_errors_are_reported_with_file_and_line_and_the_host_continues(
    client: HostClient, tmp_path: Path
) -> None:
    watcher = Watcher(client)
    broken = tmp_path / "broken.py"
    broken.write_text("def build(cell):\n    cell.add(nothing)\n")
    with pytest.raises(HostError, match="NameError") as caught:
        await client.host.files.open(path=str(broken))
    reported = caught.value.report
    assert (reported.kind, reported.file, reported.line) == ("ProgramError", str(broken), 2)
    broken.write_text("def build(cell):\n    x = = 1\n")
    with pytest.raises(HostError) as caught:
        await client.host.files.open(path=str(broken))
    assert (caught.value.report.file, caught.value.report.line) == (str(broken), 2)
    broken.write_text("def build(cell):\n    raise SystemExit(3)\n")
    with pytest.raises(HostError, match="SystemExit"):
        await client.host.files.open(path=str(broken))
    bent = tmp_path / "cell.yaml"
    bent.write_text("name: bent\nbodies:\n  table:\n    shape: {box: [1, 2]}\n")
    with pytest.raises(HostError) as caught:
        await client.host.files.open(path=str(bent))
    assert (caught.value.report.file, caught.value.report.line) == (str(bent), 4)
    (tmp_path / "pascal").mkdir()
    for file in (EXAMPLES / "30_event_cell").iterdir():
        (tmp_path / "pascal" / file.name).write_bytes(file.read_bytes())
    slip = tmp_path / "pascal" / "robot.pas"
    lines = slip.read_text().splitlines(keepends=True)
    slip.write_text("".join([*lines[:19], "  bogus := ;\n", *lines[19:]]))
    with pytest.raises(HostError) as caught:
        await client.host.files.open(path=str(tmp_path / "pascal"))
    reported = caught.value.report
    assert (reported.kind, reported.file, reported.line, reported.column) == ("CellFileError", str(slip), 20, 12)
    fails = tmp_path / "fails.py"
    fails.write_text(TALKER.replace('print("number", number)', "1 / 0"))
    await client.host.files.open(path=str(fails))
    await client.host.transport.set_speed(factor=None)
    await client.host.transport.run()
    status = await watcher.until(ended)
    assert status.summary.ending == "error"
    assert (status.error.file, status.error.line) == (str(fails), 13)
    assert "ZeroDivisionError" in status.error.what
    with pytest.raises(HostError, match="there is no request 'dance'"):
        await client.call("dance", {})


async def test_a_host_that_is_killed_is_gone_and_another_takes_its_place(client: HostClient) -> None:
    reported: list[HostEnded] = []
    client.listen(HostEnded, reported.append)
    await client.host.files.open(path=str(EXAMPLES / "00_first_cell"))
    folder = client.folder
    asked = asyncio.create_task(client.next_frame(client.frame_number))
    os.kill(client.pid, signal.SIGKILL)
    async with asyncio.timeout(LIMIT):
        with pytest.raises(HostGone, match="has ended"):
            await asked
    with pytest.raises(HostGone):
        await client.host.transport.status()
    assert reported
    assert not folder.exists()
    other = await HostClient.start()
    try:
        opened = await other.host.files.open(path=str(EXAMPLES / "00_first_cell"))
        assert opened.mode == "ready"
    finally:
        await other.close()


async def test_a_program_that_never_blocks_does_not_keep_the_host_from_being_closed(tmp_path: Path) -> None:
    (tmp_path / "stuck.py").write_text(TALKER.replace("delay(1)\n", "\n            while True: sum(range(100))\n"))
    client = await HostClient.start()
    await client.host.files.open(path=str(tmp_path / "stuck.py"))
    await client.host.transport.run()
    async with asyncio.timeout(LIMIT):
        await client.close()
    assert client.gone is not None


_SERVER = """
import asyncio, sys
from drycell.studio.host.client import HostClient

async def main():
    client = await HostClient.start()
    await client.host.files.open(path=sys.argv[1])
    await client.host.transport.run()
    print(client.pid, client.folder, flush=True)
    await asyncio.sleep(600)

asyncio.run(main())
"""


async def test_no_host_outlives_its_server() -> None:
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, str(EXAMPLES / "30_event_cell")], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    pid, folder = server.stdout.readline().split()
    server.kill()
    server.wait()
    server.stdout.close()
    async with asyncio.timeout(LIMIT):
        while _alive(int(pid)) or Path(folder).exists():
            await asyncio.sleep(0.01)


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_host_that_receives_nonsense_ends_with_a_reason(tmp_path: Path) -> None:
    for nonsense in (b"hello\n", b'{"bytes": 99999999999}\n'):
        ended = subprocess.run(
            [sys.executable, "-m", "drycell.studio.host", str(tmp_path / "own")],
            input=nonsense, capture_output=True, timeout=LIMIT, check=False,
        )  # fmt: skip
        assert ended.returncode == 2
        assert b"received a line" in ended.stderr or b"claims to have" in ended.stderr


def test_the_server_s_end_loads_nothing_heavy() -> None:
    code = "import sys, drycell.studio.host.client; print(*sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"pinocchio", "coal", "mujoco", "numpy", "pydantic"} & set(found.stdout.split())


async def test_a_recording_can_be_sought_played_and_paused(client: HostClient, tmp_path: Path) -> None:
    source = CellSource.find(EXAMPLES / "30_event_cell")
    source.build().run(150.0, record=tmp_path / "run.dry", source=source)
    opened = await client.host.files.open(path=str(tmp_path / "run.dry"))
    assert (opened.mode, opened.state, opened.t, opened.shown) == ("recorded", "paused", 150_000_000, 0)
    assert opened.summary.ending == "until"
    tree = await client.host.scene.tree()
    with Recording.open(tmp_path / "run.dry") as recording:
        for t in (0, 33_333_333, 119_000_000):
            await client.host.transport.seek(t=t)
            client.want_frame()
            seconds, frame = -1.0, b""
            async with asyncio.timeout(LIMIT):
                while seconds != t / 1e6:
                    _, frame = await client.next_frame(client.frame_number if frame else 0)
                    seconds = struct.unpack_from("<d", frame)[0]
                    client.want_frame()
            arm = next(each for each in tree.bodies if each.name == "arm/flange")
            x, y, z = struct.unpack_from("<3f", frame, 24 + 28 * arm.number)
            assert (x, y, z) == pytest.approx(recording.pose("arm/flange", t).position, abs=1e-6)
    await client.host.transport.seek(t=0)
    await client.host.transport.play(factor=1000.0)
    watcher = Watcher(client)
    await watcher.until(lambda status: status.shown == 150_000_000 and paused(status))
    stepped = await client.host.transport.step(by="cycle", back=True)
    assert 0 < stepped.shown < 150_000_000
    assert (await client.host.files.fault_trace()) == ()
    # The same run once more, this time with its programs at their lines.
    again = await client.host.files.rerun()
    assert (again.mode, again.end) == ("ready", 150_000_000)


async def test_an_arm_that_is_jogged_before_a_run_is_seen_to_move(client: HostClient) -> None:
    await client.host.files.open(path=str(EXAMPLES / "00_first_cell"))
    client.want_frame()
    number, before = await asyncio.wait_for(client.next_frame(0), LIMIT)
    (robot,) = (await client.host.scene.tree()).robots
    for _ in range(2):
        await client.host.teaching.jog(robot=robot.name, joint=robot.joints[0].name, by=0.1)
        client.want_frame()
        number, after = await asyncio.wait_for(client.next_frame(number), LIMIT)
        assert struct.unpack_from("<d", after) == struct.unpack_from("<d", before)  # at the same instant
        assert after != before
        before = after


def test_a_run_that_serves_at_once_is_called_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cell's thread may have answered before the calling thread continues."""
    monkeypatch.setattr(sys, "stdout", sys.stdout)  # which a stage takes
    reported: list[dict[str, Any]] = []
    with open(os.devnull, "wb") as nowhere:
        process = HostProcess(tmp_path, nowhere.fileno())
        monkeypatch.setattr(process._outbox, "send", lambda head, payload=b"": reported.append(head))

        def look(action: Callable[[], object]) -> bool:
            action()
            return True

        monkeypatch.setattr(process.session, "inspect", look)
        for number in (1, 2, 3):
            process.receive(WireMessage({"id": number, "do": "transport.status", "with": {}}, b""))
    assert [head["id"] for head in reported if "id" in head] == [1, 2, 3]
