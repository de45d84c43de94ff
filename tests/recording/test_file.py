"""The file is either complete or absent, and identical byte for byte for the same run."""

import errno
import hashlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from drycell.base import Pose, RecordingError, WriteError
from drycell.geometry import Box
from drycell.kernel import Kernel
from drycell.record import LiveRecord
from drycell.recording import Header, Recording, RecordingWriter
from drycell.world import LiveBody, World

SECOND = 1_000_000

# Run in this process and in another one; sets and dictionaries of texts are in it on purpose.
SCRIPT = """
import sys
from drycell.record import LiveRecord
from drycell.recording import Header, RecordingWriter
from drycell.geometry import Box
from drycell.kernel import Kernel, delay
from drycell.base.pose import Pose
from drycell.world import LiveBody, Travel, World

def run(path, flush=None, count=4):
    kernel = Kernel(seed=5)
    world = World(kernel)
    belt = world.add(LiveBody("belt", Box(1, 0.2, 0.02)))
    signals = {name: kernel.signal(name, 0) for name in ("eye", "gate", "lamp")}
    state = kernel.signal("state", "idle")
    writer = RecordingWriter(path, world, LiveRecord(kernel, world).signals, Header("belt", seed=5))
    def feed(lane):
        for number in range(count):
            part = world.add(LiveBody(f"{lane}{number}", Box(0.05, 0.05, 0.05), part=True), belt)
            speed = kernel.random(lane).uniform(0.1, 0.2)
            world.move(part, Travel(kernel.now, kernel.now + 900_000, Pose(), (speed, 0, 0)), belt)
            for signal in signals.values():
                signal.set(signal.value + 1)
            state.set(f"{lane} {number}")
            delay(0.25)
    for lane in ("left", "right"):
        kernel.spawn(feed, lane, name=lane)
    if flush:
        kernel.every(flush, lambda: writer.flush(kernel.now), owner="flush")
    outcome = kernel.run()
    for record in kernel.journal.records:
        writer.record(record)
    writer.close(outcome.time, {"ending": outcome.ending})
"""


def run(path: Path, flush: int | None = None, count: int = 4) -> str:
    names: dict[str, object] = {}
    exec(SCRIPT, names)
    names["run"](path, flush, count)  # type: ignore[operator]
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_same_run_gives_the_same_bytes(tmp_path):
    assert run(tmp_path / "a.dry") == run(tmp_path / "b.dry")


@pytest.mark.parametrize("period", [10_000, 250_000, 333_333])
def test_the_bytes_do_not_depend_on_how_often_the_run_was_flushed(tmp_path, period):
    assert run(tmp_path / "a.dry") == run(tmp_path / "b.dry", flush=period)


def test_the_bytes_do_not_depend_on_what_is_kept_on_disk_meanwhile(tmp_path, monkeypatch):
    whole = run(tmp_path / "a.dry", count=200)
    monkeypatch.setattr("drycell.recording.container._IN_MEMORY", 100)
    monkeypatch.setattr("drycell.recording.container._STAGED", 7)
    assert run(tmp_path / "b.dry", flush=100_000, count=200) == whole
    assert Recording.open(tmp_path / "b.dry").pose("left199", 50 * SECOND).x > 0.025  # 0.25 s at 0.1 m/s or more


@pytest.mark.parametrize("hash_seed", ["0", "1", "424242"])
def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path, hash_seed):
    here = run(tmp_path / "here.dry")
    subprocess.run(
        [sys.executable, "-c", SCRIPT + "run(sys.argv[1])", str(tmp_path / "there.dry")],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        check=True,
    )
    assert hashlib.sha256((tmp_path / "there.dry").read_bytes()).hexdigest() == here


def begun(path: Path) -> tuple[Kernel, World, RecordingWriter]:
    kernel = Kernel()
    world = World(kernel)
    world.add(LiveBody("part", Box(1, 1, 1)))
    return kernel, world, RecordingWriter(path, world, LiveRecord(kernel, world).signals, Header("begun"))


def test_a_failed_run_leaves_no_file_and_keeps_an_existing_one(tmp_path):
    (tmp_path / "run.dry").write_text("old")
    _, world, writer = begun(tmp_path / "run.dry")
    with pytest.raises(ZeroDivisionError), writer:
        _ = 1 / 0
    assert [each.name for each in tmp_path.iterdir()] == ["run.dry"]
    assert (tmp_path / "run.dry").read_text() == "old"
    world.place(world.body("part"), Pose(1, 0, 0))  # the world continues, but nothing is written any more


def test_the_file_appears_only_when_it_is_complete(tmp_path):
    _, _, writer = begun(tmp_path / "run.dry")
    assert [each.name.rpartition("-")[0] for each in tmp_path.iterdir()] == [".run.drycell"]
    writer.close(0, {"ending": "interrupted"})
    assert [each.name for each in tmp_path.iterdir()] == ["run.dry"]
    assert Recording.open(tmp_path / "run.dry").header.outcome == {"ending": "interrupted"}
    with pytest.raises(RecordingError, match="the recording is already closed"):
        writer.close(0, {})


def test_a_missing_folder_is_created(tmp_path):
    begun(tmp_path / "new" / "run.dry")[2].close(0, {})
    assert (tmp_path / "new" / "run.dry").is_file()


def test_a_place_that_cannot_be_written_is_reported_before_the_run(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(WriteError, match=r"cannot write .*run\.dry: (File exists|Not a directory)\n  try: choose a"):
        begun(tmp_path / "file" / "run.dry")
    (tmp_path / "run.dry").mkdir()
    with pytest.raises(WriteError, match=r"cannot write .*run\.dry: Is a directory"):
        begun(tmp_path / "run.dry")


def test_a_full_disk_is_reported_with_the_file_and_leaves_nothing(tmp_path, monkeypatch):
    _, _, writer = begun(tmp_path / "run.dry")

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.SpooledTemporaryFile.write", full)
    with pytest.raises(WriteError, match=r"cannot write .*run\.dry: No space left on device"):
        writer.close(0, {})
    assert list(tmp_path.iterdir()) == []


def test_a_whole_number_beyond_64_bits_is_refused_and_leaves_no_file(tmp_path):
    kernel, _, writer = begun(tmp_path / "run.dry")
    kernel.signal("large", 1 << 70)
    with pytest.raises(RecordingError, match="beyond the 64 bits of a recording"):
        writer.close(0, {})
    assert list(tmp_path.iterdir()) == []


def test_looping_motions_are_kept_once(tmp_path):
    """A motion repeated a hundred times takes hardly more space than one repeated twice."""
    import numpy as np

    from drycell.robots import Drive, Joint, Link, Mark, Mechanism
    from drycell.world import JointTrajectory, Linkage

    sizes = []
    for rounds in (2, 100):
        clock = type("Clock", (), {"now": 0})()
        world = World(clock)
        mechanism = Mechanism(
            "one axis",
            joints=(Joint("turn", "revolute", -3.0, 3.0, 1.0, 1.0, 10.0),),
            links=(Link("hand", -1, Pose(0, 0, 1), (Drive(0, "revolute"),)),),
            flange=Mark(0),
        )
        linkage = Linkage(world, "arm", mechanism, world.add(LiveBody("arm")), [LiveBody("arm/hand")], [0.0])
        writer = RecordingWriter(tmp_path / "run.dry", world, {}, Header("loop"))
        curve = np.random.default_rng(1).uniform(-1, 1, (500, 4, 1))
        curve[0, 0] = curve[-1, :] = 0.0
        for _ in range(rounds):
            linkage.follow(JointTrajectory(clock.now, np.linspace(0.0, 1.0, 501), curve))
            clock.now += SECOND
        writer.close(clock.now, {})
        sizes.append((tmp_path / "run.dry").stat().st_size)
        recording = Recording.open(tmp_path / "run.dry")
        for t in (123_456, clock.now - 654_321):
            assert recording.joints("arm", t) == linkage.joints(t)
    assert sizes[1] < sizes[0] + 2500
