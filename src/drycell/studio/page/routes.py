"""What the server answers to: the page, its frames and its meshes."""

import re
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from fastapi import Request, Response, WebSocket
from fastapi.responses import RedirectResponse
from nicegui import app, ui
from nicegui.client import Client

from drycell.base import DrycellError
from drycell.studio.page.shell import shell, start_page
from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.frames import serve_frames

if TYPE_CHECKING:
    from drycell.studio.server.studio import Studio

_KEY: Final = re.compile(r"[0-9A-Za-z_.-]{1,128}")
_FOREVER: Final = {"cache-control": "private, max-age=31536000, immutable"}


def add_routes(studio: "Studio") -> None:
    """Adds them to NiceGUI's application, for this studio."""

    @ui.page("/")
    def page(client: Client, request: Request, open: str = "") -> None:
        tab = BrowserTab(studio, client, browser=getattr(request.state, "browser", "nobody"))
        if studio.empty:
            start_page(tab, proposed=open)
        else:
            shell(tab, proposed=open)

    @app.get("/drycell/open")
    def propose(path: str = "") -> Response:
        # Opening a Python file runs it: a link may only propose it, and the user says yes.
        return RedirectResponse(f"/?open={quote(path[:1000])}")

    @app.get("/drycell/mesh/{key}")
    async def mesh(key: str) -> Response:
        if not _KEY.fullmatch(key):
            return Response(status_code=404)
        try:
            return Response(await studio.mesh(key), media_type="application/octet-stream", headers=_FOREVER)
        except DrycellError as error:
            return Response(error.what, status_code=404, media_type="text/plain")

    @app.websocket("/drycell/frames")
    async def frames(socket: WebSocket) -> None:
        await serve_frames(socket, studio.frames)
