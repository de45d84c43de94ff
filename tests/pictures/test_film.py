"""Films have their frames at exact times, show what moves, and are either complete or absent."""

import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from drycell.base import DrycellError, Pose, WriteError, beside
from drycell.cli.main import main
from drycell.geometry import Box, Cylinder
from drycell.pictures import Camera, film, frame_instants, save_film, save_picture
from drycell.world import LiveBody, Travel, World

SIZE = (160, 120)


class Clock:
    now = 0


@pytest.fixture
def world() -> World:
    made = World(Clock())
    made.add(LiveBody("table", Box(2, 1, 0.1)), pose=Pose(0, 0, -0.05))
    made.add(
        LiveBody("part", Cylinder(0.2, 0.4), material="brass"),
        motion=Travel(0, 1_000_000, Pose(-0.7, 0, 0.2), (1.4, 0.0, 0.0)),
    )
    return made


def frames_of(path: Path) -> np.ndarray:
    """The frames of an MP4 of that size, (n, height, width, 3)."""
    import imageio_ffmpeg

    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-i", str(path)]
    raw = subprocess.run([*command, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"], capture_output=True, check=True).stdout
    return np.frombuffer(raw, dtype=np.uint8).reshape(-1, SIZE[1], SIZE[0], 3)


# -------------------------------------------------------------------- instants


def test_frames_are_at_the_floor_of_their_exact_instants() -> None:
    instants = frame_instants(0, 1_000_000, 24)
    assert len(instants) == 25
    assert instants[:5] == [0, 41_666, 83_333, 125_000, 166_666]
    assert instants[-1] == 1_000_000


def test_rounding_never_adds_up() -> None:
    instants = frame_instants(7, 7 + 3600 * 1_000_000, 24)
    assert instants[24 * 3600] == 7 + 3600 * 1_000_000
    assert all(instants[24 * k] == 7 + k * 1_000_000 for k in range(3601))


def test_speed_is_cell_time_over_film_time() -> None:
    assert frame_instants(0, 1_000_000, 10, 2.0) == [0, 200_000, 400_000, 600_000, 800_000, 1_000_000]
    assert frame_instants(500_000, 600_000, 10, 0.1) == [500_000 + 10_000 * k for k in range(11)]
    assert frame_instants(5, 5) == [5]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ((0, 1, 0, 1.0), "a film cannot have 0 frames per second"),
        ((0, 1, 24, 0.0), "a film cannot run at 0 times the cell's speed"),
        ((2_000_000, 1_000_000, 24, 1.0), r"a film from 2\.000 s to 1\.000 s ends before it starts"),
    ],
)
def test_impossible_films_are_refused(arguments: tuple[int, int, int, float], text: str) -> None:
    with pytest.raises(DrycellError, match=text):
        frame_instants(*arguments)


# -------------------------------------------------------------------- files


def test_an_mp4_has_all_frames_and_shows_motion(world: World, tmp_path: Path) -> None:
    printed: list[float] = []
    path = tmp_path / "new" / "film.mp4"
    count = save_film(world, path, start=0, end=1_000_000, fps=6, size=SIZE, progress=printed.append)
    assert count == 7
    assert printed == [pytest.approx(k / 7) for k in range(1, 8)]
    frames = frames_of(path)
    assert len(frames) == 7
    # The brass part is the only thing that is redder than blue: it goes from left to right, evenly.
    middles = [float(np.nonzero(each[:, :, 0] > each[:, :, 2].astype(int) + 40)[1].mean()) for each in frames]
    steps = np.diff(middles)
    assert (steps > 3).all()
    assert steps.max() < 1.6 * steps.min()
    assert [each.name for each in path.parent.iterdir()] == ["film.mp4"]


def test_the_same_world_gives_the_same_film(world: World, tmp_path: Path) -> None:
    for name in ("one.mp4", "two.mp4"):
        save_film(world, tmp_path / name, start=0, end=300_000, fps=10, size=SIZE, lines=True)
    assert (tmp_path / "one.mp4").read_bytes() == (tmp_path / "two.mp4").read_bytes()


def test_a_gif_keeps_time_and_is_made_smaller(world: World, tmp_path: Path) -> None:
    import PIL.Image

    path = tmp_path / "film.gif"
    assert save_film(world, path, start=0, end=1_000_000, fps=24, size=(1280, 960), speed=4.0, lines=True) == 7
    with PIL.Image.open(path) as film:
        assert film.size == (640, 480)
        assert getattr(film, "n_frames", 1) == 7
        lengths = []
        for frame in range(7):
            film.seek(frame)
            lengths.append(film.info["duration"])
    assert set(lengths) == {40, 50}  # a GIF counts in hundredths of a second
    assert sum(lengths) == 290  # 7/24 s
    assert path.stat().st_size < 100_000


def test_a_shaded_gif_shows_the_colours_of_the_materials(world: World, tmp_path: Path) -> None:
    import PIL.Image

    path = tmp_path / "film.gif"
    save_film(world, path, start=0, end=1_000_000, fps=2, size=SIZE)
    with PIL.Image.open(path) as film:
        film.seek(2)
        last = np.asarray(film.convert("RGB")).astype(int)
    assert (last[:, :, 0] > last[:, :, 2] + 40).sum() > 100


def test_a_body_is_in_the_film_only_while_it_is_in_the_cell(world: World, tmp_path: Path) -> None:
    part = world.bodies["part"]
    part.born = 500_000
    save_film(world, tmp_path / "film.mp4", start=0, end=1_000_000, fps=2, size=SIZE)
    brass = [int((each[:, :, 0] > each[:, :, 2].astype(int) + 40).sum()) for each in frames_of(tmp_path / "film.mp4")]
    assert brass[0] == 0
    assert min(brass[1:]) > 100


def test_an_interrupted_film_leaves_no_file(world: World, tmp_path: Path) -> None:
    def give_up(share: float) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "film.gif"
    path.write_text("the one before")
    with pytest.raises(KeyboardInterrupt):
        save_film(world, path, start=0, end=1_000_000, size=SIZE, lines=True, progress=give_up)
    assert [each.name for each in tmp_path.iterdir()] == ["film.gif"]
    assert path.read_text() == "the one before"


@pytest.mark.parametrize("most", [1_000, 40_000])  # bytes: the encoder fails in the middle, or at the end
def test_a_full_disk_is_an_error_about_the_film_and_keeps_the_old_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    path = tmp_path / "film.mp4"
    path.write_bytes(b"old")
    noise = np.random.default_rng(3).integers(0, 255, (40, SIZE[1], SIZE[0], 3), dtype=np.uint8)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    for little, why in ((0, "ffmpeg ended before the film was complete"), (10**18, "No space left on device")):
        monkeypatch.setattr(film, "_LITTLE", little)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
            with pytest.raises(WriteError) as caught, beside(path) as written:
                film.write_mp4(written, noise, SIZE, 25)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        assert caught.value.what == f"cannot write {path}: {why}; the file keeps its previous content"
        assert path.read_bytes() == b"old"
        assert list(tmp_path.iterdir()) == [path]


def test_mistakes_are_reported(world: World, tmp_path: Path) -> None:
    with pytest.raises(DrycellError, match=r"films are \.mp4 or \.gif files, not 'film\.avi'"):
        save_film(world, tmp_path / "film.avi", start=0, end=1)
    with pytest.raises(DrycellError, match="a film cannot have 1 × 120 pixels"):
        save_film(world, tmp_path / "film.mp4", start=0, end=1, size=(1, 120))
    with pytest.raises(DrycellError, match=r"the film has 2401 frames; the limit of \.gif is 1000"):
        save_film(world, tmp_path / "film.gif", start=0, end=100_000_000, lines=True)
    with pytest.raises(DrycellError, match="nothing to draw"):
        save_film(World(Clock()), tmp_path / "film.mp4", start=0, end=1, size=SIZE)
    with pytest.raises(DrycellError, match=r"shaded pictures are PNG files, not 'one\.svg'"):
        save_picture(world, tmp_path / "one.svg")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("library", "name", "lines", "text"),
    [
        ("pyvista", "film.mp4", False, "shaded pictures need the library pyvista, which is not installed"),
        ("imageio_ffmpeg", "film.mp4", True, "MP4 films need the library imageio-ffmpeg, which is not installed"),
        ("PIL.Image", "film.gif", True, "films need the library pillow, which is not installed"),
    ],
)
def test_a_missing_library_has_its_own_message(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, library: str, name: str, lines: bool, text: str
) -> None:
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(DrycellError, match=text) as printed:
        save_film(world, tmp_path / name, start=0, end=1, size=SIZE, lines=lines)
    assert printed.value.hint == "pip install 'path/to/drycell[film]'"
    assert list(tmp_path.iterdir()) == []


def test_a_picture_is_taken_from_where_the_camera_stands(world: World, tmp_path: Path) -> None:
    import PIL.Image

    save_picture(world, tmp_path / "far.png", at=0, size=SIZE)
    save_picture(world, tmp_path / "near.png", at=0, size=SIZE, camera=Camera("iso", 3.0, focus=(-0.7, 0.0, 0.2)))
    shares = []
    for name in ("far.png", "near.png"):
        with PIL.Image.open(tmp_path / name) as picture:
            pixels = np.asarray(picture.convert("RGB")).astype(int)
        shares.append(int((pixels[:, :, 0] > pixels[:, :, 2] + 40).sum()))
    assert shares[1] > 4 * shares[0] > 0


# -------------------------------------------------------------------- the commands

CELL = """\
from drycell import Body, Box, delay, mm


def build(cell):
    cell.add("table", Body(Box(500 * mm, 500 * mm, 20 * mm)))

    @cell.program
    def go():
        part = cell.add("part", Body(Box(50 * mm, 50 * mm, 50 * mm), at=(0, 0, 35 * mm)))
        delay(0.2)
        cell.world.translate(part, 0.1)
        delay(0.3)
        cell.world.remove(part)
        delay(0.5)
"""


def test_the_command_films_a_cell_and_its_recording_alike(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cell.py").write_text(CELL)
    options = ["--fps", "10", "--size", "160x120", "--lines", "--to", "0.4s", "--from", "0.1s"]
    assert main(["film", "cell.py", "-o", "a.gif", *options]) == 0
    assert capsys.readouterr().out == "filmed 0.100 s to 0.400 s: a.gif, 4 frames, 0.4 s\n"
    assert main(["run", "cell.py", "--record", "run.dry"]) == 0
    assert main(["film", "run.dry", "-o", "b.gif", *options]) == 0
    assert Path("a.gif").read_bytes() == Path("b.gif").read_bytes()


def test_the_command_refuses_what_it_cannot_film_before_it_runs_the_cell(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cell.py").write_text("def build(cell):\n    raise RuntimeError('built')\n")
    assert main(["film", str(tmp_path / "cell.py"), "-o", "film.avi"]) == 1
    assert "films are .mp4 or .gif files" in capsys.readouterr().err
    assert main(["film", str(tmp_path / "cell.py"), "--size", "big"]) == 1
    assert "'big' is not the size of a film" in capsys.readouterr().err


def test_the_command_draws_several_instants_on_one_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("cell.py").write_text(CELL)
    assert main(["picture", "cell.py", "-o", "one.svg", "--at", "0.1s"]) == 0
    assert main(["picture", "cell.py", "-o", "two.svg", "--at", "0.1s", "--at", "0.3s"]) == 0
    assert main(["picture", "cell.py", "-o", "gone.svg", "--at", "0.1s", "--at", "0.9s"]) == 0
    assert capsys.readouterr().out.splitlines()[1] == "drawn at 0.100 s, 0.300 s: two.svg"
    assert Path("two.svg").read_text().count("<path") == 2 * Path("one.svg").read_text().count("<path")
    assert Path("gone.svg").read_text() == Path("one.svg").read_text()
    assert main(["picture", "cell.py", "-o", "two.png", "--at", "0.1s", "--at", "0.3s"]) == 1
    assert "a shaded picture shows one time, not 2" in capsys.readouterr().err
