"""One studio for all browsers: opening, restarting, frames, meshes, preferences, and the address."""

import asyncio
import json
import os
import signal
import socket
import struct
from pathlib import Path

import pytest

from drycell.base import CellFileError, DrycellError, FileError
from drycell.cell import trust
from drycell.studio.api.events import Events
from drycell.studio.api.scene import Tree
from drycell.studio.api.transport import HostStatus
from drycell.studio.host.client import HostGone
from drycell.studio.server import free_address
from drycell.studio.server.events import HostReplaced
from drycell.studio.server.files import completions, examples
from drycell.studio.server.preferences import Preferences
from drycell.studio.server.serving import ServerAddress
from drycell.studio.server.studio import MeshCache, Studio

EXAMPLES = Path(__file__).parents[2] / "examples"


async def heard(studio: Studio, state: str) -> HostStatus:
    """Waits for a status with a certain state."""
    found: asyncio.Future[HostStatus] = asyncio.get_running_loop().create_future()

    def take(status: HostStatus) -> None:
        if status.state == state and not found.done():
            found.set_result(status)

    stop = studio.listen(HostStatus, take)
    try:
        return await asyncio.wait_for(found, 20)
    finally:
        stop()


async def test_a_cell_is_opened_run_and_restarted_with_another_seed(studio: Studio) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    assert studio.latest.mode == "ready"
    assert [body.name for body in studio.tree.bodies]
    first = studio.client
    running = asyncio.create_task(heard(studio, "running"))
    await asyncio.sleep(0)
    await studio.host.transport.run()
    await running
    await studio.restart(seed=5)
    assert studio.client is not first
    assert (studio.latest.mode, studio.latest.seed, studio.latest.t) == ("ready", 5, 0)


async def test_frames_come_for_the_asking_and_go_on_after_a_restart(studio: Studio) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    seen, frame = await asyncio.wait_for(studio.frames.next(0), 20)
    seconds, scene, _, count = struct.unpack_from("<dQII", frame)
    assert (seconds, count) == (0.0, len(studio.tree.bodies))
    assert scene == studio.tree.scene == studio.latest.scene
    assert len(frame) == 24 + 28 * count
    await studio.restart()
    later, _ = await asyncio.wait_for(studio.frames.next(seen), 20)
    assert later > seen


async def test_a_mesh_is_requested_from_the_host_once(studio: Studio) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    key = next(body.mesh for body in studio.tree.bodies if body.mesh)
    mesh = await studio.mesh(key)
    vertices, faces = struct.unpack_from("<II", mesh)
    assert len(mesh) == 8 + 12 * (vertices + faces)
    assert studio.client is not None
    studio.client.kill()
    assert await studio.mesh(key) == mesh


async def test_a_file_with_a_mistake_opens_so_that_it_can_be_corrected(studio: Studio, tmp_path: Path) -> None:
    cell = tmp_path / "cell.py"
    cell.write_text("def build(cell):\n    cell.nonsense()\n")
    with pytest.raises(DrycellError, match="nonsense"):
        await studio.open(cell)
    assert studio.workspace.main == "cell.py"
    assert studio.path == cell.resolve()
    cell.write_text("def build(cell):\n    pass\n")
    await studio.restart()
    assert studio.latest.mode == "ready"


async def test_missing_files_are_not_opened(studio: Studio) -> None:
    with pytest.raises(FileError, match="there is no 'no/such/cell'"):
        await studio.open("no/such/cell")
    assert studio.path is None


async def test_an_invalid_cell_does_not_close_the_open_one(studio: Studio, tmp_path: Path) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    with pytest.raises(CellFileError, match="contains no cell"):
        await studio.open(tmp_path)
    assert studio.path == (EXAMPLES / "00_first_cell").resolve()
    assert studio.latest.mode == "ready"


async def test_a_host_that_dies_is_reported_and_replaced_by_a_restart(studio: Studio) -> None:
    await studio.open(EXAMPLES / "00_first_cell")
    assert studio.client is not None
    reported = asyncio.create_task(heard(studio, "ended"))
    await asyncio.sleep(0)
    os.kill(studio.client.pid, signal.SIGKILL)
    assert "the host process has ended" in str((await reported).error)
    with pytest.raises(HostGone):
        await studio.host.transport.run()
    await studio.restart()
    assert studio.latest.mode == "ready"


async def test_listeners_stay_when_the_host_changes(studio: Studio) -> None:
    reported: list[object] = []
    studio.listen(HostReplaced, reported.append)
    studio.listen(Tree, reported.append)
    await studio.open(EXAMPLES / "00_first_cell")
    await studio.restart()
    assert sum(isinstance(each, HostReplaced) for each in reported) == 2
    assert sum(isinstance(each, Tree) for each in reported) >= 2


def test_a_listener_may_stop_while_it_is_called() -> None:
    events, reported = Events(), []
    stops = []

    def once(event: HostReplaced) -> None:
        reported.append(event)
        stops[0]()

    stops.append(events.listen(HostReplaced, once))
    events.listen(HostReplaced, reported.append)
    events.emit(HostReplaced("1"))
    events.emit(HostReplaced("2"))
    assert [each.path for each in reported] == ["1", "1", "2"]


async def test_meshes_are_forgotten_when_they_are_too_many() -> None:
    meshes, fetched = MeshCache(limit=10), []

    async def get(key: str) -> bytes:
        async def fetch() -> bytes:
            fetched.append(key)
            return b"12345"

        return await meshes.get(key, fetch)

    for key in ("a", "b", "a", "c", "a", "b"):
        await get(key)
    assert fetched == ["a", "b", "c", "b"]


def test_settings_and_recent_files_are_remembered(tmp_path: Path) -> None:
    memory = Preferences(tmp_path / "deep" / "studio.json")
    keeps = memory.browser("one")
    keeps["dark"] = True
    memory.browser("two")["dark"] = False
    for number in range(20):
        memory.opened(Path(f"/cells/{number}"))
    memory.opened(Path("/cells/15"))
    memory.write()
    again = Preferences(tmp_path / "deep" / "studio.json")
    assert dict(again.browser("one")) == {"dark": True}
    assert again.recent[:2] == ["/cells/15", "/cells/19"]
    assert len(again.recent) == 12


@pytest.mark.parametrize("text", ["", "[]", "{", '{"recent": 3, "browsers": [1]}', '{"browsers": {"one": 7}}'])
def test_an_unreadable_memory_counts_as_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "studio.json"
    path.write_text(text)
    memory = Preferences(path)
    assert memory.recent == []
    assert dict(memory.browser("one")) == {}


def test_a_memory_does_not_grow_without_end(tmp_path: Path) -> None:
    memory = Preferences(tmp_path / "studio.json")
    for number in range(100):
        memory.browser(str(number))["x"] = "y" * (100_000 if number == 99 else 10)
    memory.write()
    kept = json.loads((tmp_path / "studio.json").read_text())["browsers"]
    assert len(kept) == 39


def test_every_example_says_what_it_is() -> None:
    found = examples()
    assert len(found) > 15
    assert {"First cell", "Event cell", "Verify: exact tie"} <= {each.title for each in found}
    for each in found:
        assert 10 < len(each.text) < 200, each


def test_paths_are_completed_inside_the_working_folder_only(tmp_path: Path) -> None:
    inside = tmp_path / "work"
    (inside / "cells" / "one").mkdir(parents=True)
    (inside / "cells" / "one" / "cell.yaml").touch()
    (inside / "cells" / "run.dry").touch()
    (inside / "cells" / "notes.txt").touch()
    (inside / ".hidden").mkdir()
    assert completions("", inside) == ["cells/"]
    assert completions("cel", inside) == ["cells/"]
    assert completions("cells/", inside) == ["cells/one/", "cells/run.dry"]
    assert completions("cells/one/CELL", inside) == ["cells/one/cell.yaml"]
    for outside in ("../", "../../", "/", "cells/../../", "no/such/"):
        assert completions(outside, inside) == []


def test_a_busy_port_is_reported_or_skipped() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(DrycellError, match=f"port {port} at 127.0.0.1 is in use"):
            free_address("127.0.0.1", port, None)
        assert free_address("127.0.0.1", None, None).port != port


def test_an_invalid_address_or_port_is_reported() -> None:
    with pytest.raises(DrycellError, match="99999 is not a port: ports are 0 to 65535"):
        free_address("127.0.0.1", 99999, None)
    with pytest.raises(DrycellError, match=r"'192\.0\.2\.1' is not an address of this machine") as caught:
        free_address("192.0.2.1", None, None)
    assert caught.value.hint is not None


def test_an_address_holds_the_token() -> None:
    assert ServerAddress("127.0.0.1", 8765, "secret").url == "http://127.0.0.1:8765/?token=secret"
    assert ServerAddress("10.0.0.7", 80, "secret").url == "http://10.0.0.7:80/?token=secret"
    assert ServerAddress("::1", 8765, "secret").url == "http://[::1]:8765/?token=secret"
    assert "0.0.0.0" not in ServerAddress("0.0.0.0", 8765, "secret").url


async def test_a_host_that_is_still_building_a_cell_ends_with_the_studio(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    folder, note = tmp_path / "cell", tmp_path / "pid"
    folder.mkdir()
    (folder / "cell.py").write_text(
        "import os, time\nfrom pathlib import Path\n"
        f"Path({str(note)!r}).write_text(str(os.getpid()) + ';')\n"
        "while True:\n    time.sleep(0.1)\n"
    )
    trust(folder)
    studio = Studio(spares=False)
    opening = asyncio.create_task(studio.open(folder))
    async with asyncio.timeout(60):
        while not note.exists() or not note.read_text().endswith(";"):
            await asyncio.sleep(0.02)
        await studio.close()
        with pytest.raises(HostGone, match="closed"):
            await opening
    with pytest.raises(ProcessLookupError):
        os.kill(int(note.read_text().rstrip(";")), 0)


async def test_a_spare_host_that_has_died_is_not_used(studio: Studio) -> None:
    """The system may end a process that only waits, for lack of memory."""
    studio.start_spare()
    assert studio._spare is not None
    spare = await studio._spare
    os.kill(spare.pid, signal.SIGKILL)
    async with asyncio.timeout(60):
        while spare.gone is None:
            await asyncio.sleep(0.01)
    await studio.open(EXAMPLES / "00_first_cell")
    assert studio.latest.mode == "ready"
    assert studio.latest.error is None
