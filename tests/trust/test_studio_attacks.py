"""A client without the token, or with broken messages, gets nothing from a studio, and causes no traceback.

The attacker is another user of the machine, a page of another site, or a name that leads to this machine (rebinding).
"""

import http.client
import json
import os
import random
import re
import signal
import stat
import string
import subprocess
import sys
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

import pytest

from drycell.base import browser_at
from drycell.studio.server.guard import TOKEN_VARIABLE

ROOT = Path(__file__).parents[2]
SOCKET_IO = "/_nicegui_ws/socket.io/?EIO=4&transport=polling"
PATHS = ("/", "/drycell/mesh/x", "/drycell/open?path=/etc/passwd", SOCKET_IO)
UPGRADE = {
    "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "AAAAAAAAAAAAAAAAAAAAAA==",
}  # fmt: skip
REFUSED = {401, 403}


class Answer(NamedTuple):
    status: int
    text: str
    cookies: dict[str, str]


class Served:
    """A studio in a separate process, and requests to it."""

    def __init__(self, folder: Path) -> None:
        self.output = folder / "output"
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "NICEGUI"))}
        with self.output.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "drycell.cli.main", "studio", "--no-browser", "--port", "0"],
                cwd=folder,
                env={**environment, "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"},
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        while not (found := re.search(r"http://\S+", self.output.read_text())):
            assert self.process.poll() is None, self.output.read_text()
            time.sleep(0.05)
        address = urlsplit(found[0])
        assert address.port is not None
        self.port, self.token = address.port, address.query.removeprefix("token=")
        self.cookies = self.ask(f"/?token={self.token}").cookies

    def ask(self, path: str, *, body: str | None = None, **headers: str) -> Answer:
        """Send one request; underscores in the names of headers are hyphens."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            line.request("GET" if body is None else "POST", path, None if body is None else body.encode(), given)
            answer = line.getresponse()
            set_cookies = answer.headers.get_all("set-cookie") or []
            cookies = dict(each.partition(";")[0].split("=", 1) for each in set_cookies)
            text = "" if answer.status == 101 else answer.read().decode("utf-8", "replace")
            return Answer(answer.status, text, cookies)
        finally:
            line.close()

    @property
    def cookie(self) -> str:
        """The header of the owner's browser."""
        return "; ".join(f"{name}={value}" for name, value in self.cookies.items())


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    studio = Served(tmp_path_factory.mktemp("studio"))
    yield studio
    studio.process.send_signal(signal.SIGTERM)
    studio.process.wait(60)
    assert "Traceback" not in studio.output.read_text()


def test_the_owner_gets_in(served: Served) -> None:
    assert served.ask("/", Cookie=served.cookie).status == 200
    assert served.ask("/drycell/frames", **UPGRADE, Cookie=served.cookie).status == 101


@pytest.mark.parametrize("path", PATHS)
def test_without_a_token_or_with_a_wrong_one_nothing_is_served(served: Served, path: str) -> None:
    (own,) = [name for name, value in served.cookies.items() if value == served.token]
    for headers in ({}, {"Cookie": f"{own}=wrong-token-of-somebody"}, {"Cookie": f"{own}="}):
        answer = served.ask(path, **headers)
        assert answer.status == 401
        assert served.token not in answer.text
    mark = "&" if "?" in path else "?"
    assert served.ask(f"{path}{mark}token={served.token[:-1]}").status == 401
    if path != "/":  # the address of the page is the only one that takes it
        assert served.ask(f"{path}{mark}token={served.token}").status == 401


def test_the_stream_of_frames_needs_the_cookie(served: Served) -> None:
    assert served.ask("/drycell/frames", **UPGRADE).status in REFUSED
    assert served.ask(f"/drycell/frames?token={served.token}", **UPGRADE).status in REFUSED


def test_wrong_tokens_do_not_lock_out_the_owner(served: Served) -> None:
    for number in range(30):
        assert served.ask(f"/?token=wrong-token-{number:04}").status == 401
    assert served.ask("/", Cookie=served.cookie).status == 200
    assert served.ask(f"/?token={served.token}").status == 200


@pytest.mark.parametrize(
    "others",
    [
        '{own}=wrong; Path=/; {mine}',
        '{mine}; {own}=wrong',
        'settings={{"a":"b"}}; {mine}',
        'list[1]=x; {mine}',
        'open="x; {mine}',
        'no-value; ;; {mine}',
        'long=' + 9000 * 'x' + '; {mine}',
    ],
    ids=lambda others: others[:20],
)  # fmt: skip
def test_cookies_of_other_servers_on_this_machine_do_not_lock_out_the_owner(served: Served, others: str) -> None:
    (own,) = [name for name, value in served.cookies.items() if value == served.token]
    assert served.ask("/", Cookie=others.format(own=own, mine=served.cookie)).status == 200
    wrong = f"{own}={served.token[:-1]}"
    assert served.ask("/", Cookie=others.format(own=own, mine=wrong)).status == 401


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "127.0.0.1.evil.example"},
        {"Host": "evil.example:{port}"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "null"},
    ],
    ids=lambda headers: " ".join(f"{name} {value}" for name, value in headers.items()),
)
def test_other_sites_get_nothing_even_with_the_cookie(served: Served, path: str, headers: dict[str, str]) -> None:
    sent = {name: value.replace("{port}", str(served.port)) for name, value in headers.items()}
    assert served.ask(path, **sent, Cookie=served.cookie).status == 403
    assert served.ask("/drycell/frames", **sent, **UPGRADE, Cookie=served.cookie).status == 403


def test_the_cookie_with_the_token_is_not_for_scripts_and_other_sites(served: Served) -> None:
    line = http.client.HTTPConnection("127.0.0.1", served.port, timeout=60)
    line.request("GET", f"/?token={served.token}")
    headers = line.getresponse().headers.get_all("set-cookie") or []
    line.close()
    (own,) = [each for each in headers if served.token in each]
    assert {"httponly", "samesite=strict"} <= {each.strip().lower() for each in own.split(";")}


def messages(choice: random.Random) -> Iterator[str]:
    """Packets of socket.io that no page sends: wrong names, wrong types, wrong structure, noise."""
    values = [None, 1, "x", [], {}, {"client_id": None}, {"client_id": []}, {"client_id": "x"}, {"id": 1}, [[[]]]]
    names = ["handshake", "event", "javascript_response", "ack", "log", "disconnect", "connect", "\0", ""]
    while True:
        match choice.randrange(4):
            case 0:
                yield "42" + json.dumps([choice.choice(names), *choice.choices(values, k=choice.randrange(3))])
            case 1:
                yield "4" + choice.choice("0123456789") + json.dumps(choice.choice(values))
            case 2:
                # Packets that only servers send are not among them: Engine.IO answers those when the connection ends.
                yield "4" + "".join(choice.choices(string.printable, k=choice.randrange(20)))
            case _:
                yield choice.choice(
                    ["42[", "42", "45-", "451-", "4", "42" + "[" * 500, '42["event",{"client_id":', "9"]
                )


def throw(served: Served, count: int) -> None:
    """Send malformed messages with the owner's cookie, each through a new connection."""
    source = messages(random.Random(7))
    for _ in range(count):
        opened = served.ask(SOCKET_IO, Cookie=served.cookie)
        connection = f"{SOCKET_IO}&sid={json.loads(opened.text[1:])['sid']}"
        assert served.ask(connection, body="40", Cookie=served.cookie).status == 200
        assert served.ask(connection, Cookie=served.cookie).text.startswith("40")
        message = next(source)
        assert served.ask(connection, body=message, Cookie=served.cookie).status in (200, 400), message


def test_malformed_messages_are_dropped_without_a_traceback(served: Served) -> None:
    throw(served, 150)
    assert served.ask("/", Cookie=served.cookie).status == 200
    assert "Traceback" not in served.output.read_text()


@pytest.mark.soak
def test_many_malformed_messages_are_dropped_without_a_traceback(served: Served) -> None:
    count = 5_000
    throw(served, count)
    assert served.ask("/", Cookie=served.cookie).status == 200
    assert "Traceback" not in served.output.read_text()
    print(f"{count} malformed messages: no traceback")


def test_the_token_is_not_in_the_command_line_of_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with browser_at("http://127.0.0.1:8765/?token=a-secret-token"):
        (url,) = opened
        assert "a-secret-token" not in url
        page = Path(urlsplit(url).path)
        assert "http://127.0.0.1:8765/?token=a-secret-token" in page.read_text()
        assert stat.S_IMODE(page.parent.stat().st_mode) == 0o700
    assert not page.exists()


def test_the_token_of_the_environment_is_not_in_the_command_line_of_the_hosts(served: Served) -> None:
    listed = subprocess.run(
        ["ps", "-o", "args=", "--ppid", str(served.process.pid)], capture_output=True, text=True, check=False
    )
    assert "drycell.studio.host" in listed.stdout
    assert served.token not in listed.stdout
    assert TOKEN_VARIABLE not in listed.stdout
