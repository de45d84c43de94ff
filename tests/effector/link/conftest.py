"""A stand-in for a device: it answers every command of the gripper at once, or when a test calls ``finish``."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from drycell.effector.link.server import Connection, Server
from drycell.effector.messages import Message

STATE = (0.02, 0.03, 400.0, 40.0, 123_999.0, 1.0)


class StandIn:
    """A stand-in that answers at once; with ``hold``, queued commands wait for ``finish``."""

    def __init__(self) -> None:
        self.hold = False
        self.held: list[tuple[Connection, Message]] = []
        self.seen: list[Message] = []
        self.gone: list[str] = []

    def on_message(self, connection: Connection, message: Message) -> None:
        self.seen.append(message)
        if message.command in ("INI", "MOV") and self.hold:
            self.held.append((connection, message))
        else:
            connection.send(answer_to(message))

    def on_closed(self, connection: Connection) -> None:
        self.gone.append(connection.name)

    def finish(self, count: int = 1) -> None:
        for _ in range(count):
            connection, message = self.held.pop(0)
            connection.send(answer_to(message))


def answer_to(message: Message) -> Message:
    match message.command:
        case "STA":
            return message.answer("STA", STATE)
        case "INI" | "MOV":
            return message.answer("DON", (message.reals[1], 0.0, 1.0, 0.5, 0.0, 0.0))
        case "GAI" | "DBG":
            return message.answer(message.command, tuple(max(real, 0.0) for real in message.reals))
        case "ABT":
            return message.answer("ABT", (0.02, 2.0, 0.0, 0.0, 0.0, 0.0))
    return message.answer(message.command)


@pytest.fixture
def stand_in() -> StandIn:
    return StandIn()


@pytest.fixture
def serve(stand_in: StandIn, tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Starts servers for the stand-in, by default at a socket of this test; all are closed after it."""
    made: list[Server] = []

    def start(address: str = "", **options: Any) -> Server:
        options.setdefault("on_closed", stand_in.on_closed)
        made.append(Server(address or f"unix:{tmp_path}/device.sock", stand_in.on_message, **options))
        return made[-1]

    yield start
    for server in made:
        server.close()


@pytest.fixture(params=["unix", "tcp"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return f"unix:{tmp_path}/device.sock" if request.param == "unix" else "tcp:localhost:0"
