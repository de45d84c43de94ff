"""The newest frame of the host, for every browser at its own pace: a slow one misses frames and delays nobody."""

import asyncio
import contextlib
from typing import Final

from fastapi import WebSocket, WebSocketDisconnect

from drycell.studio.host.client import HostClient, HostGone

_LONGEST_CREDIT: Final = 16  # characters: more is not from our page
_MOST_CREDITS: Final = 50  # words without a frame in between: our page sends one a frame


class Frames:
    """Keeps the newest frame of whatever host is current, and wakes who waits for it."""

    def __init__(self) -> None:
        self.number = 0
        self._newest = b""
        self._fresh = asyncio.Event()
        self._waiting = 0
        self._client: HostClient | None = None
        self._pump: asyncio.Task[None] | None = None

    def follow(self, client: HostClient) -> None:
        """From now on frames are those of this host."""
        self.close()
        self._client = client
        self._pump = asyncio.create_task(self._copy(client))
        client.want_frame()

    def close(self) -> None:
        """No frames come any more."""
        if self._pump is not None:
            self._pump.cancel()
            self._pump = None

    async def next(self, seen: int) -> tuple[int, bytes]:
        """The newest frame and its number, as soon as there is one later than that seen; asks the host for it."""
        self._waiting += 1
        try:
            while self.number == seen:
                if self._client is not None:
                    self._client.want_frame()
                await self._fresh.wait()
        finally:
            self._waiting -= 1
        return self.number, self._newest

    async def _copy(self, client: HostClient) -> None:
        seen = 0
        with contextlib.suppress(HostGone):
            while True:
                seen, self._newest = await client.next_frame(seen)
                self.number += 1
                fresh, self._fresh = self._fresh, asyncio.Event()
                fresh.set()


async def serve_frames(socket: WebSocket, frames: Frames) -> None:
    """Sends frames to one browser: one for each word it sends, so that never more than one is under way."""
    await socket.accept()
    credit = asyncio.Event()
    credit.set()
    words = 0

    async def receive() -> None:  # also ends when the server stops: waiting for frames alone would keep it alive
        nonlocal words
        with contextlib.suppress(WebSocketDisconnect):
            while len(await socket.receive_text()) <= _LONGEST_CREDIT and words < _MOST_CREDITS:
                words += 1  # a flood of them would leave no time for anybody else
                credit.set()

    async def send() -> None:
        nonlocal words
        seen = 0
        while True:
            await credit.wait()
            credit.clear()
            seen, frame = await frames.next(seen)
            await socket.send_bytes(frame)
            words = 0

    tasks = [asyncio.create_task(receive()), asyncio.create_task(send())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # it is closed already, from the other side
        await socket.close()
