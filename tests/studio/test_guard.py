"""Only pages that the studio served itself have access, and only with the token."""

import asyncio
import re
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from drycell.base import DrycellError
from drycell.studio.server.guard import LARGEST, Guard, checked_token, is_loopback

TOKEN = "a-long-enough-token"


async def hello(request: Request) -> PlainTextResponse:
    return PlainTextResponse(f"hello {request.state.browser}")


async def talk(socket: WebSocket) -> None:
    await socket.accept()
    await socket.send_text("hello")
    await socket.close()


@dataclass
class Response:
    status_code: int
    headers: Headers
    text: str


class Browser:
    """Asks a guarded application and keeps its cookies."""

    def __init__(self, guard: Guard, name: str) -> None:
        self.guard, self._name = guard, name
        self._cookies: dict[str, str] = {}

    def get(self, target: str, headers: dict[str, str] | None = None) -> Response:
        reported = asyncio.run(self._ask("http", target, headers or {}))
        start = reported[0]
        found = Headers(raw=start["headers"])
        for cookie in found.getlist("set-cookie"):
            self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        return Response(start["status"], found, b"".join(each.get("body", b"") for each in reported[1:]).decode())

    def socket(self, target: str, headers: dict[str, str] | None = None) -> dict[str, Any]:
        """The first that the server says to a WebSocket."""
        return asyncio.run(self._ask("websocket", target, headers or {}))[0]

    async def _ask(self, kind: str, target: str, headers: dict[str, str]) -> list[dict[str, Any]]:
        path, _, query = target.partition("?")
        sent = {"host": self._name, "cookie": "; ".join(f"{k}={v}" for k, v in self._cookies.items()), **headers}
        scope = {
            "type": kind, "path": path, "query_string": query.encode(), "client": ("10.0.0.9", 5000), "method": "GET",
            "headers": [(k.encode(), v.encode()) for k, v in sent.items()], "http_version": "1.1", "root_path": "",
        }  # fmt: skip
        reported: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "websocket.connect" if kind == "websocket" else "http.request", "body": b""}

        async def send(message: Any) -> None:
            reported.append(message)

        await self.guard(scope, receive, send)
        return reported


def stranger(host: str = "127.0.0.1", name: str = "127.0.0.1:8765", **options: Any) -> Browser:
    """A browser that does not have the token."""
    app = Starlette(routes=[Route("/", hello), Route("/thing", hello), WebSocketRoute("/ws", talk)])
    return Browser(Guard(app, host=host, port=8765, token=TOKEN, **options), name)


def client(host: str = "127.0.0.1", name: str = "127.0.0.1:8765", **options: Any) -> Browser:
    """A browser that was opened with the token."""
    browser = stranger(host, name, **options)
    browser.get(f"/?token={TOKEN}")
    return browser


@pytest.mark.parametrize("name", ["127.0.0.1:8765", "localhost:8765", "LOCALHOST:8765", "[::1]:8765", "localhost:9000"])
def test_pages_of_this_machine_get_in_by_its_own_names(name: str) -> None:
    assert client().get("/", headers={"host": name}).status_code == 200


@pytest.mark.parametrize(
    "name", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "[::1", "10.0.0.7"]
)
def test_an_unknown_host_name_is_refused(name: str) -> None:
    assert client().get("/", headers={"host": name}).status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:3000", "http://localhost:8765", "http://[", ""]
)
def test_another_origin_is_refused_by_request_and_socket(origin: str) -> None:
    asking = client()
    assert asking.get("/", headers={"origin": origin}).status_code == 403
    refused = asking.socket("/ws", headers={"origin": origin})
    assert (refused["type"], refused["code"]) == ("websocket.close", 1008)


def test_the_same_origin_gets_in_by_request_and_socket() -> None:
    asking, own = client(), {"origin": "http://127.0.0.1:8765", "host": "127.0.0.1:8765"}
    assert asking.get("/thing", headers=own).status_code == 200
    assert asking.socket("/ws", headers=own)["type"] == "websocket.accept"


def test_requests_embedded_by_other_sites_are_refused_though_they_have_no_origin() -> None:
    asking = client()
    for site in ("cross-site", "same-site"):
        assert asking.get("/thing", headers={"sec-fetch-site": site, "sec-fetch-mode": "no-cors"}).status_code == 403
        assert asking.get("/thing", headers={"sec-fetch-site": site, "sec-fetch-mode": "navigate"}).status_code == 403
        assert asking.get("/", headers={"sec-fetch-site": site, "sec-fetch-mode": "navigate"}).status_code == 200
    assert asking.get("/thing", headers={"sec-fetch-site": "same-origin"}).status_code == 200


def test_pages_may_load_nothing_from_elsewhere_and_cannot_be_framed() -> None:
    headers = client().get("/").headers
    assert "default-src 'self';" in headers["content-security-policy"]
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize(
    "headers", [{"content-length": "105906177"}, {"content-length": "-1"}, {"transfer-encoding": "chunked"}]
)
def test_more_than_a_cad_file_at_once_or_of_unknown_size_is_refused(headers: dict[str, str]) -> None:
    assert client().get("/", headers=headers).status_code == 413
    assert client().get("/", headers={"content-length": str(LARGEST)}).status_code == 200


def test_a_known_browser_is_recognised() -> None:
    asking = client()
    first = asking.get("/")
    assert "HttpOnly" in first.headers["set-cookie"]
    again = asking.get("/")
    assert again.text == first.text
    assert "set-cookie" not in again.headers


def test_inline_scripts_need_the_nonce_of_their_response_and_attributes_never_run() -> None:
    asking = client()
    policies = [asking.get("/").headers["content-security-policy"] for _ in range(2)]
    assert policies[0] != policies[1]  # a nonce that repeats could be guessed
    for policy in policies:
        scripts = next(part for part in policy.split("; ") if part.startswith("script-src "))
        assert re.fullmatch(r"script-src 'self' 'nonce-[\w-]{22}'", scripts)
        assert "script-src-attr 'none'" in policy
    assert "'unsafe-eval'" in client(evaluates=True).get("/").headers["content-security-policy"]
    for page in (stranger().get("/"), stranger().get(f"/?token={TOKEN}")):
        assert "script-src 'none'" in page.headers["content-security-policy"]


def test_a_token_is_made_unless_one_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DRYCELL_TOKEN", raising=False)
    assert checked_token(TOKEN) == TOKEN
    made = checked_token(None)
    assert len(made) >= 32
    assert checked_token(None) != made
    monkeypatch.setenv("DRYCELL_TOKEN", "that-of-the-environment")
    assert checked_token(None) == "that-of-the-environment"
    assert checked_token(TOKEN) == TOKEN
    with pytest.raises(DrycellError, match="a token of 3 characters is too easy to guess"):
        checked_token("abc")
    with pytest.raises(DrycellError, match="letters, digits"):
        checked_token("a token; of many words")


@pytest.mark.parametrize(
    ("host", "loopback"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("cell.example", False)],
)
def test_pages_for_this_machine_only(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(("host", "name"), [("127.0.0.1", "127.0.0.1:8765"), ("0.0.0.0", "10.0.0.7:8765")])
def test_the_token_comes_once_in_the_address_and_stays_as_a_cookie(host: str, name: str) -> None:
    asking = stranger(host, name)
    refused = asking.get("/")
    assert refused.status_code == 401
    assert "?token=" in refused.text
    entered = asking.get(f"/?token={TOKEN}")
    assert entered.status_code == 200
    assert "hello" not in entered.text  # a page that goes on to the real one, so that the address shows no token
    cookie = entered.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Strict" in cookie
    assert asking.get("/thing").text.startswith("hello")
    assert asking.socket("/ws")["type"] == "websocket.accept"


def test_the_token_is_removed_from_an_address_and_the_rest_is_kept() -> None:
    asking = client()
    for token in (TOKEN, "one-of-yesterday"):
        cleaned = asking.get(f"/?open=a%22b&token={token}")
        assert 'content="0; url=/?open=a%22b"' in cleaned.text
        assert token not in cleaned.text
    assert "hello" in asking.get("/?open=a%22b").text


def test_without_the_token_no_socket_opens() -> None:
    asking = stranger()
    assert asking.socket("/ws")["type"] == "websocket.close"
    assert asking.socket(f"/ws?token={TOKEN}")["type"] == "websocket.close"


@pytest.mark.parametrize("site", ["none", "cross-site"])
def test_wrong_tokens_never_shut_out_the_right_one(site: str) -> None:
    asking = client()
    newcomer = Browser(asking.guard, "127.0.0.1:8765")
    for number in range(50):
        headers = {"sec-fetch-site": site, "sec-fetch-mode": "navigate", "cookie": f"drycell-token-8765=old-{number}"}
        refused = asking.get(f"/?token=wrong-number-{number}", headers=headers)
        assert refused.status_code == 401
        assert "Wrong token" in refused.text
    assert asking.get("/thing").status_code == 200
    assert newcomer.get(f"/?token={TOKEN}").status_code == 200
    assert newcomer.get("/thing").status_code == 200


def test_beyond_this_machine_a_foreign_name_is_refused_token_or_not() -> None:
    asking = client("0.0.0.0", "10.0.0.7:8765")
    assert asking.get("/", headers={"host": "evil.example:8765"}).status_code == 403
