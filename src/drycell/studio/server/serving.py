"""Serves the studio: address, access control, start and end of the server."""

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
_PORTS: Final = 20  # ports that are tried if none was requested
_RECONNECT: Final = (
    20.0  # seconds a page may be disconnected before it has to reload; two fifths of that if it is silent
)


@dataclass(frozen=True)
class ServerAddress:
    """The address of the studio, and the token it requires."""

    host: str
    port: int
    token: str

    @property
    def url(self) -> str:
        """The address to open in a browser, including the token."""
        name = {"0.0.0.0": socket.gethostname(), "::": socket.gethostname()}.get(self.host, self.host)
        place = f"[{name}]" if ":" in name else name
        return f"http://{place}:{self.port}/?token={self.token}"


def free_address(host: str, port: int | None, token: str | None) -> ServerAddress:
    """A free address: with the requested port, or the first free port from 8765 on.

    Raises:
        DrycellError: The port is in use or invalid, or the host is not an address of this machine.
    """
    asked = checked_token(token)
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise DrycellError(
            f"{port} is not a port: ports are 0 to {_LAST_PORT}", hint="use 0, or omit --port, for a free port"
        )
    wanted = range(PORT, PORT + _PORTS) if port is None else [port]
    for each in wanted:
        found = _bindable(host, each)
        if found is not None:
            return ServerAddress(host, found, asked)
    if port is None:
        raise DrycellError(
            f"ports {PORT} to {PORT + _PORTS - 1} are all in use at {host}", hint="choose a free one: --port 9000"
        )
    raise _in_use(host, port)


def _in_use(host: str, port: int) -> DrycellError:
    return DrycellError(
        f"port {port} at {host} is in use",
        hint="another studio may be running there; omit --port to use a free one",
    )


def _bindable(host: str, port: int) -> int | None:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError as error:
            raise DrycellError(
                f"you may not use port {port} at {host}", hint="use a port from 1024 on, such as --port 8765"
            ) from error
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                return None
            raise DrycellError(
                f"{host!r} is not an address of this machine: {error.strerror}",
                hint="--host 0.0.0.0 serves at all addresses; omit --host to serve only this machine",
            ) from error
        number: int = probe.getsockname()[1]
        return number


def _is_relevant(record: logging.LogRecord) -> bool:
    """False for the warning that tasks of closed pages end slowly at shutdown: it has no consequences."""
    return not str(record.msg).startswith("Could not cancel")


def serve(address: ServerAddress, path: Path | None, *, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM.

    Args:
        address: Where to serve, from ``free_address``.
        path: The cell or recording to open; None: the start page.
        ready: Called when the server accepts connections.
    """
    launched = launch()
    gc.disable()  # modules are never collected: searching them for garbage would take a tenth of the start
    from nicegui import app, background_tasks, ui
    from nicegui.server import Server
    from uvicorn.config import STARTUP_FAILURE

    from drycell.studio.page.header import MARK
    from drycell.studio.page.shell import add_routes
    from drycell.studio.server.guard import Guard
    from drycell.studio.server.hardening import add_nonces, drop_malformed_messages
    from drycell.studio.server.studio import Studio

    gc.freeze()
    gc.enable()
    logging.getLogger("nicegui").addFilter(_is_relevant)
    studio = Studio(launched=launched)
    studio.path = path.resolve() if path is not None else None  # so that the first page is that of the cell
    add_routes(studio)
    add_nonces()
    drop_malformed_messages()
    # NiceGUI and Vue compile handlers and slots in the browser, so the page has to evaluate text.
    app.add_middleware(Guard, host=address.host, port=address.port, token=address.token, evaluates=True)

    async def begin() -> None:
        opening = asyncio.create_task(studio.begin(path))
        while not Server.instance.started:  # a browser that connects earlier is refused
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
            gzip_middleware_factory=None,  # meshes compress badly, and compressing them would delay everything else
            timeout_graceful_shutdown=1,
            access_log=False,
        )
    except SystemExit as error:
        if error.code != STARTUP_FAILURE:
            raise
        raise _in_use(address.host, address.port) from error  # taken since it was found to be free
