"""Sends the newest frame of the host to every browser at its own pace. A slow browser skips frames."""

import asyncio
import contextlib
from typing import Final

from fastapi import WebSocket, WebSocketDisconnect

from drycell.studio.host.client import HostClient, HostGone

_LONGEST_CREDIT: Final = 16  # characters: our page sends fewer
_MOST_CREDITS: Final = 50  # credits without a frame in between: our page sends one per frame


class FrameRelay:
    """Holds the newest frame of the current host, and wakes the browsers that wait for it."""

    def __init__(self) -> None:
        self.number = 0
        self._newest = b""
        self._fresh = asyncio.Event()
        self._waiting = 0
        self._client: HostClient | None = None
        self._pump: asyncio.Task[None] | None = None

    def follow(self, client: HostClient) -> None:
        """Relay the frames of this host from now on."""
        self.close()
        self._client = client
        self._pump = asyncio.create_task(self._copy(client))
        client.want_frame()

    def close(self) -> None:
        """Stop relaying."""
        if self._pump is not None:
            self._pump.cancel()
            self._pump = None

    async def next(self, seen: int) -> tuple[int, bytes]:
        """Wait for a frame later than number ``seen``. Returns its number and content."""
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


async def serve_frames(socket: WebSocket, frames: FrameRelay) -> None:
    """Send frames to one browser. It sends a credit for each frame, so that at most one is in transit."""
    await socket.accept()
    credit = asyncio.Event()
    credit.set()
    received = 0

    async def receive() -> None:  # ends when the server stops; waiting only for frames would keep it alive
        nonlocal received
        with contextlib.suppress(WebSocketDisconnect):
            while len(await socket.receive_text()) <= _LONGEST_CREDIT and received < _MOST_CREDITS:
                received += 1  # a flood of credits would leave no time for others
                credit.set()

    async def send() -> None:
        nonlocal received
        seen = 0
        while True:
            await credit.wait()
            credit.clear()
            seen, frame = await frames.next(seen)
            await socket.send_bytes(frame)
            received = 0

    tasks = [asyncio.create_task(receive()), asyncio.create_task(send())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the browser has closed it already
        await socket.close()
