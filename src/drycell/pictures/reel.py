"""Reels: frames put one after the other into a film file."""

from collections.abc import Callable, Iterable
from itertools import pairwise
from pathlib import Path
from typing import Final

from drycell.pictures.renderer import encoder, imaging
from drycell.pictures.stage import Image

Reel = Callable[[Path, Iterable[Image], tuple[int, int], int], None]  # file, frames, size, frames a second

GIF_SIZE: Final = 640  # pixels, the longer side at most
_GIF_COLOURS: Final = 255
# The same frames give the same file: no versions or dates in it, and no race between threads.
_MP4: Final = ("-crf", "20", "-preset", "medium", "-movflags", "+faststart", "-bitexact", "-threads", "1")


def write_mp4(path: Path, frames: Iterable[Image], size: tuple[int, int], fps: int) -> None:
    """H.264 in MP4, which every browser plays; width and height are even."""
    write = encoder().write_frames(
        str(path), size, fps=fps, codec="libx264", quality=None, macro_block_size=2, output_params=list(_MP4)
    )
    write.send(None)
    try:
        for frame in frames:
            write.send(frame.tobytes())
    finally:
        write.close()


def write_gif(path: Path, frames: Iterable[Image], size: tuple[int, int], fps: int) -> None:
    """A GIF that repeats, in few colours taken from its first frame; only what changes is stored of the others."""
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
    # GIF counts hundredths of a second: frames take turns so that the film as a whole keeps time.
    ends = [round(100 * k / fps) for k in range(len(images) + 1)]
    lengths = [10 * (end - begin) for begin, end in pairwise(ends)]
    images[0].save(path, save_all=True, append_images=images[1:], duration=lengths, loop=0, optimize=False, disposal=1)
