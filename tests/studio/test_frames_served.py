"""Frames to a browser: one per credit, and a flood of credits does not delay others."""

import asyncio

from fastapi import WebSocketDisconnect

from drycell.studio.server.frames import FrameRelay, serve_frames


class Socket:
    """A browser that sends words as fast as it can, and takes no frame."""

    def __init__(self, words: int) -> None:
        self.words, self.closed = words, False

    async def accept(self) -> None:
        pass

    async def receive_text(self) -> str:
        if self.words == 0:
            raise WebSocketDisconnect
        self.words -= 1
        return "next"

    async def send_bytes(self, frame: bytes) -> None:
        raise AssertionError("there is no frame")

    async def close(self) -> None:
        self.closed = True


async def test_a_flood_of_words_ends_the_connection() -> None:
    socket = Socket(100_000)
    await asyncio.wait_for(serve_frames(socket, FrameRelay()), 30)  # type: ignore[arg-type]
    assert socket.closed
    assert socket.words > 99_000
