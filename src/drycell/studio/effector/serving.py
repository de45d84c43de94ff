"""Serves the picture of a device: one page, and a stream of what is to be drawn in it, on loopback alone."""

import asyncio
import contextlib
import json
import socket
from collections.abc import AsyncIterator, Callable
from importlib.resources import files
from threading import Event, Thread
from typing import Final

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from drycell.base import DrycellError
from drycell.studio.effector.camera import PERIOD, Camera
from drycell.studio.server.guard import Guard

HOST: Final = "127.0.0.1"
MOST_WATCHERS: Final = 16
SUBDIVISIONS: Final = 1000
"""The greatest number of positions into which the picture of a move is divided."""
_STARTING: Final = 20.0


class PicturePage:
    """The page of one device. Only pages that it served itself may ask it, whatever name leads here: see the guard."""

    def __init__(
        self,
        kind: str,
        camera: Camera,
        *,
        port: int = 0,
        subdivisions: int = 0,
        drawn: Callable[[int], None] = lambda watchers: None,
    ) -> None:
        self._camera, self._drawn = camera, drawn
        self._watchers = 0
        self._page = _page(kind, subdivisions)
        self._socket = _listening(port)
        self._started = Event()
        self._thread = Thread(target=self._serve, name="drycell picture", daemon=True)

    @property
    def url(self) -> str:
        """What to open in a browser."""
        return f"http://{HOST}:{self._socket.getsockname()[1]}/"

    def start(self) -> None:
        """Serves from now on, on a thread of its own."""
        self._thread.start()
        if not self._started.wait(_STARTING):
            raise DrycellError(
                f"the picture at {self.url} could not be served", hint="run the device without --picture"
            )

    def close(self) -> None:
        """Ends it; pages that are open say so."""
        self._camera.close()
        if self._thread.ident is not None:
            self._server.should_exit = True
            self._thread.join(5)
        self._socket.close()

    def _serve(self) -> None:
        import uvicorn

        routes = [Route("/", self._show), Route("/frames", self._frames)]
        port = self._socket.getsockname()[1]
        guarded = Starlette(routes=routes, middleware=[Middleware(Guard, host=HOST, port=port)])
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
        return HTMLResponse(self._page, headers={"cache-control": "no-store"})

    async def _frames(self, request: Request) -> Response:
        if self._watchers >= MOST_WATCHERS:
            return PlainTextResponse(f"{MOST_WATCHERS} pages watch already", status_code=503)
        return StreamingResponse(
            self._stream(request), media_type="text/event-stream", headers={"cache-control": "no-store"}
        )

    async def _stream(self, request: Request) -> AsyncIterator[str]:
        """What is to be drawn, whenever it is another than before; a beat now and then shows who is gone."""
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
            f"{subdivisions} subdivisions are not within 0 … {SUBDIVISIONS}",
            hint="0 follows the device, 1 jumps, more is slower",
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
            f"port {port} is not free for the picture: {error.strerror}", hint="leave --picture-port away"
        ) from None
    return made
