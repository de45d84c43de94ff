"""Serves the studio: its routes, the guard in front of them, and an end that leaves no process behind."""

import asyncio
import errno
import gc
import logging
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from drycell.base import DrycellError
from drycell.studio.host.launch import launch
from drycell.studio.server.guard import checked_token

PORT: Final = 8765
_LAST_PORT: Final = 65535
_PORTS: Final = 20  # tried after that, when none was asked for
_RECONNECT: Final = 20.0  # seconds a page may be away before it has to load itself anew; silent, two fifths of that


@dataclass(frozen=True)
class Address:
    """Where the studio is served, and the token it asks for."""

    host: str
    port: int
    token: str | None

    @property
    def url(self) -> str:
        """What to open in a browser, token included."""
        name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(self.host, self.host)
        place = f"[{name}]" if ":" in name else name
        return f"http://{place}:{self.port}/" + (f"?token={self.token}" if self.token else "")


def free_address(host: str, port: int | None, token: str | None) -> Address:
    """An address nobody else serves at: the port asked for, or the next free one from 8765 on."""
    asked = checked_token(host, token)
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise DrycellError(
            f"port {port} is none: ports are 0 to {_LAST_PORT}", hint="0, or no --port at all, takes a free one"
        )
    wanted = range(PORT, PORT + _PORTS) if port is None else [port]
    for each in wanted:
        found = _bindable(host, each)
        if found is not None:
            return Address(host, found, asked)
    if port is None:
        raise DrycellError(
            f"ports {PORT} to {PORT + _PORTS - 1} are all in use at {host}", hint="name a free one: --port 9000"
        )
    raise _in_use(host, port)


def _in_use(host: str, port: int) -> DrycellError:
    return DrycellError(
        f"port {port} at {host} is in use",
        hint="another studio may be running there; leave --port away to get a free one",
    )


def _bindable(host: str, port: int) -> int | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError as error:
            raise DrycellError(
                f"port {port} at {host} may not be served by you", hint="ports from 1024 on may, such as --port 8765"
            ) from error
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return None
            raise DrycellError(
                f"{host!r} is no address of this machine: {error.strerror}",
                hint="--host 0.0.0.0 serves at all of them; leave --host away to serve this machine alone",
            ) from error
        number: int = probe.getsockname()[1]
        return number


def _worth_telling(record: logging.LogRecord) -> bool:
    """Not that tasks of closed pages were slow to end when everything ends: nothing hangs on them."""
    return not str(record.msg).startswith("Could not cancel")


def serve(address: Address, path: Path | None, *, ready: Callable[[], None]) -> None:
    """Serves until it is told to end (Ctrl-C, SIGTERM); ``ready`` is called when the first page can be had."""
    launched = launch()
    gc.disable()  # what is loaded now is never given up: looking for garbage in it would take a tenth of the start
    from nicegui import app, background_tasks, ui
    from nicegui.server import Server
    from uvicorn.config import STARTUP_FAILURE

    from drycell.studio.page.header import MARK
    from drycell.studio.page.routes import add_routes
    from drycell.studio.server.guard import Guard
    from drycell.studio.server.studio import Studio

    gc.freeze()
    gc.enable()
    logging.getLogger("nicegui").addFilter(_worth_telling)
    studio = Studio(launched=launched)
    studio.path = path.resolve() if path is not None else None  # the page is the cell's from the start
    add_routes(studio)
    app.add_middleware(Guard, host=address.host, port=address.port, token=address.token)

    async def begin() -> None:
        opening = asyncio.create_task(studio.begin(path))
        while not Server.instance.started:  # a browser that is sent here earlier finds nobody
            await asyncio.sleep(0.005)
        ready()
        await opening

    app.on_startup(lambda: background_tasks.create(begin(), name="first opening"))
    app.on_shutdown(studio.close)
    try:
        ui.run(
            host=address.host,
            port=address.port,
            title="drycell studio",
            favicon=MARK,
            dark=None,
            reload=False,
            show=False,
            show_welcome_message=False,
            reconnect_timeout=_RECONNECT,
            binding_refresh_interval=None,
            gzip_middleware_factory=None,  # meshes do not shrink much, and packing them would hold up everything else
            timeout_graceful_shutdown=1,
            access_log=False,
        )
    except SystemExit as error:
        if error.code != STARTUP_FAILURE:
            raise
        raise _in_use(address.host, address.port) from error  # since it was found to be free
