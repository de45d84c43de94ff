"""The picture of a device that runs as a process: its state, read on the cell's thread, and its page.

Reading the state is posted like other external input, so it shows the current cell time, not that of the last event.
The page and its stream of frames are served only on loopback, and only to browsers that have the token.
"""

import asyncio
import contextlib
import json
import socket
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from threading import Event, Lock, Thread
from typing import Any, Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from drycell.base import DrycellError, FieldError
from drycell.effector import LiveEffector, LiveMessageDevice, LivePad, LiveWrist
from drycell.effector.messages import Message, Traffic, unpack_proximity
from drycell.kernel import Kernel
from drycell.studio.server.guard import Guard, checked_token

Json = dict[str, float | int | bool | str | list[float] | None]
PERIOD: Final = 0.04
"""Seconds between two pictures. All watching pages share them."""
_ENDS: Final = 32  # ends of moves in a state: more than can happen between two pictures
_PATIENCE: Final = 0.5  # seconds within which a running cell answers


class DeviceCamera:
    """Reads the state of a device. ``picture`` is called on the cell's thread and changes nothing."""

    def __init__(self, kernel: Kernel, picture: Callable[[], Json]) -> None:
        self._kernel, self._picture = kernel, picture
        self._lock = Lock()
        self._taken = float("-inf")
        self._last: Json | None = None
        self._over = Event()

    def close(self) -> None:
        """Stop: no more pictures are taken."""
        self._over.set()

    @property
    def over(self) -> bool:
        """Whether it has stopped."""
        return self._over.is_set()

    def take(self) -> Json | None:
        """The current state, or that of a moment ago; None when the run has ended.

        Blocks. Must not be called on the cell's thread.
        """
        with self._lock:
            if self.over or time.monotonic() - self._taken < PERIOD / 2:
                return None if self.over else self._last
            seen, done = list[Json](), Event()

            def look() -> None:
                if not done.is_set():
                    seen.append({"time": self._kernel.now / 1e6, **self._picture()})
                    done.set()

            self._kernel.post(look, "a picture")
            if not done.wait(_PATIENCE):
                done.set()  # timed out: a late call of look() has no effect
                return None if self.over else self._last
            self._last, self._taken = seen[0], time.monotonic()
            return self._last


def view_of(device: LiveMessageDevice[Any]) -> Callable[[], Json]:
    """A function that reads the state of a device. Raises FieldError for a device without a picture."""
    if isinstance(device, LiveEffector):
        ends = _EndsOfMoves(device)
        return lambda: {**_effector(device), "ended": ends.count, "ends": list(ends.gaps)}
    if isinstance(device, LiveWrist):
        return lambda: {"load": list(device.load())}
    if isinstance(device, LivePad):
        return lambda: {"cells": list(device.pressures())}
    raise FieldError(f"there is no picture of {device.name!r}", hint="run it without --picture")


class _EndsOfMoves:
    """The gaps at which the moves of a gripper have ended, including moves that follow each other without a pause."""

    def __init__(self, device: LiveEffector) -> None:
        self._table = device.table
        self.count = 0
        self.gaps: deque[float] = deque(maxlen=_ENDS)
        device.pair.watchers.append(self._see)

    def _see(self, traffic: Traffic) -> None:
        reply = traffic.message
        over = isinstance(reply, Message) and reply.command in ("DON", "FAI")
        if over and traffic.event in ("delivered", "lost", "dropped"):
            assert isinstance(reply, Message)
            self.gaps.append(self._table.reply(reply.command).unpack(reply)["gap"])
            self.count += 1


def _effector(device: LiveEffector) -> Json:
    jaw = device.jaw
    left, right = unpack_proximity(device.detectors.packed)
    # The width of a part between the jaws is computed from what the fingers detect.
    part = None if left is None or right is None else max(jaw.gap - left - right, 0.0)
    return {
        "gap": jaw.gap,
        "target": jaw.target,
        "force": jaw.force,
        "left": left,
        "right": right,
        "beam": bool(device.detectors.beam.value),
        "queue": device.waiting,
        "moving": bool(jaw.moving.value),
        "part": jaw.gap if jaw.load else part,
        "widest": jaw.opening[1],
    }


HOST: Final = "127.0.0.1"
MOST_WATCHERS: Final = 16
SUBDIVISIONS: Final = 1000
"""The maximum number of positions in the picture of a move."""
_STARTING: Final = 20.0


class PicturePage:
    """The page of one device. Only pages that it served itself may access it: see ``server/guard.py``."""

    def __init__(
        self,
        kind: str,
        camera: DeviceCamera,
        *,
        port: int = 0,
        subdivisions: int = 0,
        drawn: Callable[[int], None] = lambda watchers: None,
    ) -> None:
        self._camera, self._drawn = camera, drawn
        self._watchers = 0
        self._page = _page(kind, subdivisions)
        self._token = checked_token(None)
        self._socket = _listening(port)
        self._started = Event()
        self._thread = Thread(target=self._serve, name="drycell picture", daemon=True)

    @property
    def url(self) -> str:
        """The address to open in a browser, including the token."""
        return f"http://{HOST}:{self._socket.getsockname()[1]}/?token={self._token}"

    def start(self) -> None:
        """Start serving, in a separate thread."""
        self._thread.start()
        if not self._started.wait(_STARTING):
            raise DrycellError(
                f"cannot serve the picture on port {self._socket.getsockname()[1]}",
                hint="run the device without --picture",
            )

    def close(self) -> None:
        """Stop serving. Open pages show that the device has ended."""
        self._camera.close()
        if self._thread.ident is not None:
            self._server.should_exit = True
            self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        import uvicorn

        routes = [Route("/", self._show), Route("/frames", self._frames)]
        port = self._socket.getsockname()[1]
        guarded = Starlette(routes=routes, middleware=[Middleware(Guard, host=HOST, port=port, token=self._token)])
        settings = uvicorn.Config(
            guarded, log_level="critical", access_log=False, lifespan="off", timeout_graceful_shutdown=1, ws="none"
        )
        self._server = uvicorn.Server(settings)

        async def serve() -> None:
            serving = asyncio.create_task(self._server.serve(sockets=[self._socket]))
            while not self._server.started and not serving.done():
                await asyncio.sleep(0.005)
            self._started.set()
            with contextlib.suppress(asyncio.CancelledError):
                await serving

        asyncio.run(serve())

    async def _show(self, request: Request) -> Response:
        page = self._page.replace("<script>", f'<script nonce="{request.state.nonce}">')
        return HTMLResponse(page, headers={"cache-control": "no-store"})

    async def _frames(self, request: Request) -> Response:
        if self._watchers >= MOST_WATCHERS:
            return PlainTextResponse(f"{MOST_WATCHERS} pages are already watching", status_code=503)
        return StreamingResponse(
            self._stream(request), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def _stream(self, request: Request) -> AsyncIterator[str]:
        """The state whenever it changes. It is also repeated periodically, which detects closed pages."""
        self._watchers += 1
        self._drawn(self._watchers)
        last, quiet = "", 0
        try:
            while not self._camera.over and not await request.is_disconnected():
                frame = await asyncio.to_thread(self._camera.take)
                text = json.dumps(frame)
                quiet = 0 if text != last else quiet + 1
                if frame is not None and (text != last or quiet % 25 == 0):
                    yield f"data: {text}\n\n"
                    last = text
                await asyncio.sleep(PERIOD)
            yield "event: over\ndata: {}\n\n"
        finally:
            self._watchers -= 1
            self._drawn(self._watchers)


def _page(kind: str, subdivisions: int) -> str:
    if not 0 <= subdivisions <= SUBDIVISIONS:
        raise DrycellError(
            f"{subdivisions} subdivisions are not possible: {subdivisions} is not between 0 and {SUBDIVISIONS}",
            hint="0 follows the device, 1 jumps, higher is slower",
        )
    text = files("drycell.studio.effector").joinpath("page.html").read_text(encoding="utf-8")
    for name, value in (("KIND", kind), ("SUBDIVISIONS", subdivisions), ("MOST", SUBDIVISIONS), ("PERIOD", PERIOD)):
        text = text.replace(f"/*{name}*/", json.dumps(value))
    return text


def _listening(port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((HOST, port))
    except OSError as error:
        made.close()
        raise DrycellError(
            f"cannot serve the picture on port {port}: {error.strerror}",
            hint="use port 0, the default, for a free port",
        ) from None
    return made
