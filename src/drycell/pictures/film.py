"""Films of the world: frames at exact times, shaded or as line drawings, written as MP4 or GIF."""

import errno
import os
import shutil
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np

from drycell.base import DrycellError, beside, format_time
from drycell.pictures.camera import Camera
from drycell.pictures.drawing import LineDrawing
from drycell.pictures.page import HUNDREDTHS, Page
from drycell.pictures.shaded import Image, ShadedScene, encoder, imaging, renderer
from drycell.record import Record
from drycell.world import LiveBody, World

FilmWriter = Callable[[Path, Iterable[Image], tuple[int, int], int], None]  # file, frames, size, frames per second

GIF_SIZE: Final = 640  # pixels, the longer side at most
_GIF_COLOURS: Final = 255
# The same frames give the same file: no versions, no dates, one thread.
_LITTLE: Final = 1_000_000  # bytes: with less free space, a disk is full
_MP4: Final = ("-crf", "20", "-preset", "medium", "-movflags", "+faststart", "-bitexact", "-threads", "1")


def write_mp4(path: Path, frames: Iterable[Image], size: tuple[int, int], fps: int) -> None:
    """Write H.264 in MP4, which every browser can play; width and height must be even.

    Raises:
        OSError: If the encoder could not write all of it, for example because the disk is full.
    """
    write = encoder().write_frames(
        str(path), size, fps=fps, codec="libx264", quality=None, macro_block_size=2, output_params=list(_MP4)
    )
    write.send(None)
    try:
        for frame in frames:
            try:
                write.send(frame.tobytes())
            except OSError:  # its text is the command line of the encoder
                raise _unfinished(path) from None
    finally:
        write.close()
    if not _is_whole_mp4(path):  # the encoder reports nothing if it fails at the end
        raise _unfinished(path)


def _unfinished(path: Path) -> OSError:
    if shutil.disk_usage(path.parent).free < _LITTLE:
        return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    return OSError(errno.EIO, "ffmpeg ended before the film was complete")


def _is_whole_mp4(path: Path) -> bool:
    """Whether a file consists of complete boxes, with an index among them."""
    left, names = path.stat().st_size, []
    with path.open("rb") as file:
        while left > 0:
            head = file.read(16)
            size = int.from_bytes(head[:4], "big")
            if size == 1:  # a 64-bit size follows
                size = int.from_bytes(head[8:16], "big")
            if not 8 <= size <= left:
                return False
            names.append(head[4:8])
            left -= size
            file.seek(size - len(head), os.SEEK_CUR)
    return b"moov" in names


def write_gif(path: Path, frames: Iterable[Image], size: tuple[int, int], fps: int) -> None:
    """Write a GIF that repeats, with a few colours from its first frame; later frames store only changes."""
    imaging()
    import PIL.Image

    plain = PIL.Image.Dither.NONE
    images: list[PIL.Image.Image] = []
    for frame in frames:
        image = PIL.Image.fromarray(frame)
        if images:
            images.append(image.quantize(palette=images[0], dither=plain))
        else:
            images.append(image.quantize(_GIF_COLOURS, PIL.Image.Quantize.MEDIANCUT, dither=plain))
    # GIF counts hundredths of a second: durations alternate so that the film stays in time.
    ends = [round(100 * k / fps) for k in range(len(images) + 1)]
    lengths = [10 * (end - begin) for begin, end in pairwise(ends)]
    images[0].save(path, save_all=True, append_images=images[1:], duration=lengths, loop=0, optimize=False, disposal=1)


_FINER: Final = 3  # oversampling factor; averaged at the end


def raster(page: Page) -> Image:
    """Return the page's strokes as rows of red, green and blue, without title and caption."""
    imaging()
    import PIL.Image
    import PIL.ImageDraw

    size = (_FINER * page.size[0], _FINER * page.size[1])
    image = PIL.Image.new("RGB", size, page.style.paper or "#ffffff")
    pen = PIL.ImageDraw.Draw(image)
    scale = _FINER / HUNDREDTHS
    for layer in page.layers:
        width = max(1, round(_FINER * layer.width))
        for stroke in layer.strokes:
            pen.line([(scale * x, scale * y) for x, y in stroke], fill=layer.colour, width=width, joint="curve")
    return np.asarray(image.reduce(_FINER), dtype=np.uint8)


MOST_FRAMES: Final = {".mp4": 100_000, ".gif": 1_000}
_REELS: Final[dict[str, FilmWriter]] = {".mp4": write_mp4, ".gif": write_gif}
_LOOKS: Final = 48  # number of times sampled to find the region to show
_SECOND: Final = 1_000_000  # ticks


def frame_instants(start: int, end: int, fps: int = 24, speed: float = 1.0) -> Sequence[int]:
    """Return the ticks of a film's frames from start to end: the k-th is exactly ⌊k · 10⁶ · speed / fps⌋ after the
    start."""
    if not 1 <= fps <= 240:
        raise DrycellError(f"a film cannot have {fps} frames per second", hint="use 1 to 240; 24 is usual")
    if not 0.0 < speed <= 1e6:
        raise DrycellError(
            f"a film cannot run at {speed:g} times the cell's speed", hint="use more than 0; 1 is the cell's own speed"
        )
    if end < start:
        raise DrycellError(
            f"a film from {format_time(start / _SECOND)} to {format_time(end / _SECOND)} ends before it starts"
        )
    step = Fraction(speed).limit_denominator(1_000_000) * _SECOND / fps
    return [start + int(k * step) for k in range(int((end - start) / step) + 1)]


def check_film(path: str | Path, size: tuple[int, int], *, lines: bool = False) -> str:
    """Return the suffix of a film's name; raise if it is not .mp4 or .gif, or if a required library is missing."""
    ending = Path(path).suffix.lower()
    if ending not in _REELS:
        raise DrycellError(
            f"films are .mp4 or .gif files, not {Path(path).name!r}",
            hint="use a name that ends in one of these",
        )
    if min(size) < 16 or max(size) > 4096:
        raise DrycellError(f"a film cannot have {size[0]} × {size[1]} pixels", hint="use 16 to 4096 on each side")
    for needed in (encoder if ending == ".mp4" else imaging, imaging if lines else renderer):
        needed()
    return ending


def save_film(
    world: World,
    path: str | Path,
    *,
    start: int,
    end: int,
    fps: int = 24,
    speed: float = 1.0,
    camera: Camera | None = None,
    size: tuple[int, int] = (960, 720),
    bodies: Iterable[LiveBody] | None = None,
    lines: bool = False,
    progress: Callable[[float], None] | None = None,
    record: Record | None = None,
    theme: str = "light",
    framed: Iterable[LiveBody] | None = None,
) -> int:
    """Make a film of a world from one time to another (ticks), and return the number of frames.

    The suffix of the name selects the format: ``.mp4`` or ``.gif``, which is smaller. With ``lines``, every frame is a
    line drawing. ``bodies`` are the bodies to show, by default those currently in the world; a recording also has those
    that have left. ``progress`` is called with the fraction done after every frame. An interrupted film leaves no file.
    ``record``, ``theme`` and ``framed`` are as for :func:`save_picture`.
    """
    ending = check_film(path, size, lines=lines)
    instants = frame_instants(start, end, fps, speed)
    if len(instants) > MOST_FRAMES[ending]:
        raise DrycellError(
            f"the film has {len(instants)} frames; the limit of {ending} is {MOST_FRAMES[ending]}",
            hint="film a shorter time, or at a higher speed" + (", or as .mp4" if ending == ".gif" else ""),
        )
    if ending == ".gif" and max(size) > GIF_SIZE:
        size = (size[0] * GIF_SIZE // max(size), size[1] * GIF_SIZE // max(size))
    size = (size[0] // 2 * 2, size[1] // 2 * 2)  # MP4 stores colours in blocks of two by two pixels
    seen = list(world.bodies.values() if bodies is None else bodies)
    view = camera or Camera()
    if lines:
        drawn = _line_frames(world, seen, view, size, instants)
    else:
        drawn = _shaded_frames(world, seen, view, size, instants, record, theme, framed)
    with beside(path) as written, closing(drawn) as frames:
        _REELS[ending](written, _with_progress(frames, len(instants), progress), size, fps)
    return len(instants)


def _with_progress(frames: Iterator[Image], count: int, progress: Callable[[float], None] | None) -> Iterator[Image]:
    for done, image in enumerate(frames, 1):
        yield image
        if progress is not None:
            progress(done / count)


def _shaded_frames(
    world: World,
    bodies: list[LiveBody],
    camera: Camera,
    size: tuple[int, int],
    instants: Sequence[int],
    record: Record | None,
    theme: str,
    framed: Iterable[LiveBody] | None,
) -> Generator[Image, None, None]:
    looks = _looks(instants)
    with ShadedScene(
        world, bodies, camera, looks, size, smoothing="msaa", record=record, theme=theme, framed=framed
    ) as scene:
        for instant in instants:
            scene.show(instant)
            yield scene.image()


def _line_frames(
    world: World, bodies: list[LiveBody], camera: Camera, size: tuple[int, int], instants: Sequence[int]
) -> Generator[Image, None, None]:
    drawing = LineDrawing(world, size=size, camera=camera)
    for instant in _looks(instants):
        drawing.include(instant, bodies)
    for instant in instants:
        drawing.clear()
        drawing.expose(instant, bodies)
        yield raster(drawing.page())


def _looks(instants: Sequence[int]) -> Sequence[int]:
    """Return some of the times, including the first and the last."""
    if len(instants) <= _LOOKS:
        return instants
    return [instants[k * (len(instants) - 1) // (_LOOKS - 1)] for k in range(_LOOKS)]
