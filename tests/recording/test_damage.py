"""A file that is damaged, truncated, crafted or of another version is rejected by name, and never read in part."""

import io
import json
import random
import zipfile
from pathlib import Path

import numpy as np
import pytest

from drycell.base import Pose, RecordingError
from drycell.geometry import Box, Mesh
from drycell.kernel import JournalLine, Kernel
from drycell.record import LiveRecord
from drycell.recording import Header, Recording, RecordingWriter
from drycell.recording.container import ContainerReader, DocumentNode
from drycell.robots import Drive, Joint, Link, Mark, Mechanism
from drycell.world import Fall, JointTrajectory, Linkage, LiveBody, Sampled, Travel, World


def write(path: Path) -> None:
    """A file with something in every member."""
    kernel = Kernel()
    world = World(kernel)
    base = world.add(LiveBody("arm"))
    mechanism = Mechanism(
        "one axis",
        joints=(Joint("turn", "revolute", -3.0, 3.0, 1.0, 1.0, 10.0),),
        links=(Link("hand", -1, Pose(0, 0, 1), (Drive(0, "revolute"),)),),
        flange=Mark(0),
    )
    linkage = Linkage(world, "arm", mechanism, base, [LiveBody("arm/hand", Box(0.1, 0.1, 0.1))], [0.0])
    world.add_linkage(linkage)
    linkage.follow(JointTrajectory(0, np.array([0.0, 1.0]), np.array([[[0.0], [0.0], [3.0], [-2.0]]])))
    tetrahedron = Mesh(
        np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)]),
        np.array([(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]),
    )
    part = world.add(LiveBody("part", tetrahedron, part=True))
    world.move(part, Travel(0, 5, Pose(), (1, 0, 0)))
    world.move(part, Fall(0, 5, Pose()))
    world.move(part, Sampled([0, 5], [Pose(), Pose(1, 0, 0)]), linkage.links[0])
    world.add_workpoint("grip", part, Pose(0, 0, 0.1))
    for name, value in (("on", True), ("count", 3), ("level", 0.5), ("state", "idle")):
        kernel.signal(name, value)
    with RecordingWriter(path, world, LiveRecord(kernel, world).signals, Header("all")) as writer:
        writer.record(JournalLine(5, "done", "part", {"x": 1.5}))
        writer.close(10, {"ending": "finished"})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write(tmp_path / "run.dry")
    return tmp_path / "run.dry"


def read_all(path: Path) -> None:
    with Recording.open(path) as recording:
        list(recording.journal())
        for name in recording.signals:
            recording.signal(name)
        for body in recording.bodies:
            if body.exists(5):
                recording.pose(body.name, 5)
        for point in recording.world.workpoints:
            recording.pose(point, 5)


def refusal(path: Path) -> RecordingError | None:
    """The error with which the file is rejected, if any; other exceptions are raised."""
    try:
        read_all(path)
    except RecordingError as error:
        return error
    return None


def remake(path: Path, **changes: bytes | None) -> None:
    """Return a copy of a file with other bytes for some members: checksums are right, content is not."""
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in {**members, **changes}.items():
            if data is not None:
                archive.writestr(name, data)


def edit(path: Path, member: str, change) -> None:
    """Return a copy of a file with one document changed."""
    with zipfile.ZipFile(path) as archive:
        document = json.loads(archive.read(member))
    change(document)
    remake(path, **{member: json.dumps(document).encode()})


def array(values) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, values)
    return buffer.getvalue()


def test_flipped_bytes_raise_only_recording_errors(path):
    whole = path.read_bytes()
    chance = random.Random(1)
    refused = 0
    for _ in range(400):
        data = bytearray(whole)
        for _ in range(chance.choice([1, 1, 2, 20])):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path.write_bytes(data)
        error = refusal(path)
        if error is not None:
            assert str(path) in error.what
            assert error.hint
            refused += 1
    assert refused > 300  # some bytes have no meaning: dates, attributes


def test_truncated_files_raise_recording_errors(path):
    whole = path.read_bytes()
    for length in [0, 1, 20, *random.Random(2).sample(range(len(whole)), 60)]:
        path.write_bytes(whole[:length])
        with pytest.raises(RecordingError):
            read_all(path)


def test_random_content_with_valid_checksums_raises_only_recording_errors(path):
    whole = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    chance = random.Random(3)
    for _ in range(300):
        path.write_bytes(whole)
        name = chance.choice(list(members))
        data = bytearray(members[name])
        for _ in range(chance.choice([1, 3])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        remake(path, **{name: bytes(data)})
        refusal(path)


@pytest.mark.parametrize("member", ["header.json", "world.json", "journal.jsonl", "rest/pose.npy", "curves/breaks.npy"])
def test_a_missing_member_is_named(path, member):
    remake(path, **{member: None})
    with pytest.raises(RecordingError, match=rf"run\.dry: member '{member}': it is missing"):
        read_all(path)


def test_missing_files_and_other_files_have_different_errors(tmp_path):
    with pytest.raises(RecordingError, match="there is no such file"):
        Recording.open(tmp_path / "gone.dry")
    (tmp_path / "text.dry").write_text("hello")
    with pytest.raises(RecordingError, match=r"text\.dry: File is not a zip file\n  try: the file is damaged"):
        Recording.open(tmp_path / "text.dry")
    with zipfile.ZipFile(tmp_path / "other.dry", "w") as archive:
        archive.writestr("header.json", "{}")
    with pytest.raises(RecordingError, match=r"member 'header\.json': it has no entry 'drycell recording'"):
        Recording.open(tmp_path / "other.dry")


def test_error_for_a_later_version_names_the_drycell_that_wrote_it(path):
    edit(path, "header.json", lambda header: header.update(version=3, drycell="9.1.0"))
    with pytest.raises(RecordingError, match=r"format version 3; this drycell reads 2\n  try: .*9\.1\.0"):
        Recording.open(path)


def test_error_for_an_earlier_version_shows_the_command_that_records_again(path):
    source = [{"path": "cell.yaml", "sha256": "0" * 64}]
    old = {"version": 1, "drycell": "0.9.0", "source": source, "folder": "../my cells", "seed": 7, "until": 90_000_000}
    edit(path, "header.json", lambda header: header.update(old))
    with pytest.raises(
        RecordingError, match=r"format version 1, written by drycell 0\.9\.0; this drycell reads 2"
    ) as error:
        Recording.open(path)
    again = "drycell run '../my cells/cell.yaml' --seed 7 --until 90s --record FILE"
    assert error.value.hint == f"record the run again, from the folder of the file: {again}"
    edit(path, "header.json", lambda header: header.update(until=12_345_678_901, programs={"robot": "../new.py"}))
    with pytest.raises(RecordingError, match=r"--until 12345\.678901s --program robot=\.\./new\.py --record FILE"):
        Recording.open(path)
    edit(path, "header.json", lambda header: header.update(choices=[1]))
    with pytest.raises(RecordingError, match=r"drycell verify '\.\./my cells/cell\.yaml', which found it"):
        Recording.open(path)
    edit(path, "header.json", lambda header: header.update(source=[]))
    with pytest.raises(RecordingError, match="run the script that created it"):
        Recording.open(path)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"belt.speed": "1 m/s"}, "'settings' is {'belt.speed': '1 m/s'}, expected a list"),
        ([["belt.speed"]], r"'settings\[0\]' is \['belt.speed'\], expected a path and a string"),
        ([["belt.speed", 1]], r"'settings\[0\]\[1\]' is 1, expected a string"),
    ],
)
def test_settings_are_pairs_of_texts(settings, said):
    with pytest.raises(RecordingError, match=said):
        Header.of(DocumentNode({**Header("belt").data(), "settings": settings}))


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_is_unpacked(path):
    remake(path, **{"rest/pose.npy": bytes(5_000_000)})
    with pytest.raises(
        RecordingError, match=r"it unpacks from [0-9,]+ to 5,0\d\d,\d\d\d bytes; the limit is 1,000,000"
    ):
        Recording.open(path, most=1_000_000)


def test_an_array_larger_than_its_data_is_refused_before_it_is_allocated(path):
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, {"descr": "<f8", "fortran_order": False, "shape": (10**12, 12)})
    remake(path, **{"rest/pose.npy": head.getvalue()})
    with pytest.raises(
        RecordingError, match=r"member 'rest/pose\.npy': it holds 0 bytes, but <f8 of shape \(1000000000000, 12\)"
    ):
        read_all(path)


@pytest.mark.parametrize(
    ("member", "values", "text"),
    [
        ("rest/pose.npy", np.zeros((2, 11)), "of shape (rows, 12), got <f8 of shape (2, 11)"),
        ("rest/pose.npy", np.zeros((2, 12), np.float32), "of shape (rows, 12), got <f4 of shape (2, 12)"),
        ("rest/pose.npy", np.zeros((9, 12)), "it has 9 rows, but the header says 2"),
        ("segments/parent.npy", np.full(6, 99, np.int32), "segments/parent has numbers outside -1…2"),
        ("segments/kind.npy", np.full(6, 1, np.uint8), "0 segments are of kind 'rest', but there are 2 of them"),
        ("segments/start.npy", np.arange(6)[::-1].copy(), "are not in chronological order"),
        ("sampled/count.npy", np.array([7], np.int32), "a sampled motion has 7 samples, but only 2 are left"),
        ("trajectories/curve.npy", np.array([0, 8], np.int32), "trajectories/curve has numbers outside 0…1"),
        (
            "curves/pieces.npy",
            np.array([1, 2], np.int32),
            "curves need 5 breaks and 12 coefficients, but there are 4 and 8",
        ),
        ("signals_bool/signal.npy", np.array([7], np.int32), "signals_bool/signal has numbers outside 0…3"),
        (
            "signals_bool/signal.npy",
            np.array([1], np.int32),
            "signal 'count' holds int, but has a change in signals_bool",
        ),
    ],
)
def test_columns_that_contradict_each_other_are_refused(path, member, values, text):
    remake(path, **{member: array(values)})
    with pytest.raises(RecordingError) as refusal:
        read_all(path)
    assert text in str(refusal.value)


def test_an_array_of_pickled_objects_is_refused(path):
    remake(path, **{"rest/pose.npy": array(np.array([{}, {}], dtype=object))})
    with pytest.raises(RecordingError, match=r"expected <f8 of shape .*, got \|O of shape \(2,\)"):
        read_all(path)


def test_documents_are_checked_entry_by_entry(path):
    edit(path, "world.json", lambda world: world["bodies"][2].update(shape=7))
    with pytest.raises(
        RecordingError, match=r"member 'world\.json': 'bodies\[2\]\.shape' is 7, expected a whole number of 0…1"
    ):
        read_all(path)


def test_bodies_that_are_attached_to_each_other_have_no_pose(path):
    remake(path, **{"segments/parent.npy": array(np.array([1, 0, 0, 0, 0, 0], np.int32))})
    recording = Recording.open(path)
    with pytest.raises(RecordingError, match=r"run\.dry: 'arm' has no pose at 5 µs"):
        recording.pose("arm", 5)


def test_a_member_with_an_unknown_name_is_refused(path):
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../evil.npy", b"")
    with pytest.raises(RecordingError, match=r"it has a member '\.\./evil\.npy', which recordings do not have"):
        Recording.open(path)


def test_the_reader_accepts_every_member_of_a_recording(path):
    names = ContainerReader(path).names
    assert names[-2:] == ["world.json", "header.json"]
    assert {"travel", "fall", "sampled", "samples", "link", "curves", "meshes"} <= {
        name.split("/")[0] for name in names
    }
