"""Access control: the studio runs programs, so only pages that it served itself may talk to it.

All requests and WebSockets, including NiceGUI's own, pass through here. The Host header must be a name of the studio;
otherwise an attacker could point a domain name at this machine (DNS rebinding). The Origin header, if present, must be
the same. For access from other machines a token is required: it is part of the address at first, and then stays in the
browser as a cookie that scripts cannot read and other sites cannot send.
"""

import hmac
import ipaddress
import re
import secrets
import socket
import time
from collections.abc import Callable
from html import escape
from http.cookies import CookieError, SimpleCookie
from typing import Final
from urllib.parse import parse_qs, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from drycell.base import DrycellError

BROWSER_COOKIE: Final = "drycell-browser"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
_SHORTEST: Final = 12  # characters of a token
_TRIES: Final = 10  # different wrong tokens from one address …
_SPAN: Final = 60.0  # … within this many seconds, before the address has to wait
_ADDRESSES: Final = 1000  # remembered at most
LARGEST: Final = 101 * 1024 * 1024
"""Largest request in bytes: a CAD file with its envelope."""
_YEAR: Final = 365 * 24 * 3600
_HEADERS: Final = {
    # The page loads nothing from other sites, and other sites cannot show it in a frame.
    "content-security-policy": (
        "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; connect-src 'self' data: blob:; "
        "frame-ancestors 'none'; base-uri 'self'; form-action 'self'"
    ),
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the first address contains the token
    "cross-origin-resource-policy": "same-origin",
}


def plain_page(status: int, title: str, text: str) -> HTMLResponse:
    """A page with an error and what to do, in light and dark."""
    return HTMLResponse(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>drycell studio</title>
<meta name="viewport" content="width=device-width"><style>:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 36em; margin: 18vh auto; padding: 0 1em }}</style>
<h1 style="font-size: 18px">{escape(title)}</h1><p>{escape(text)}</p><p><a href="/">try again</a></p></html>""",
        status_code=status,
        headers={"cache-control": "no-store", "referrer-policy": "no-referrer", "x-frame-options": "DENY"},
    )


def is_loopback(host: str) -> bool:
    """Whether a server at this address can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def checked_token(host: str, token: str | None) -> str | None:
    """The token for serving at an address: a new one if other machines can reach it and none is given.

    Raises:
        DrycellError: The given token is too short, or has characters that an address or a cookie cannot have.
    """
    if token is not None and not re.fullmatch(r"[0-9A-Za-z_.~-]*", token):
        raise DrycellError(
            "a token may contain only letters, digits, - . _ and ~: it is part of an address and of a cookie",
            hint="omit --token to get a random one",
        )
    if token is not None and len(token) < _SHORTEST:
        raise DrycellError(
            f"a token of {len(token)} characters is too easy to guess: use at least {_SHORTEST}",
            hint="omit --token to get a random one",
        )
    return secrets.token_urlsafe(24) if token is None and not is_loopback(host) else token


class Guard:
    """Middleware that passes on requests from pages of this server and refuses all others."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        token: str | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._app = app
        self._token = token
        self._cookie = f"drycell-token-{port}"  # cookies are shared by all ports of a host
        self._beyond = not is_loopback(host)
        self._names = {*_LOOPBACK, host.lower()}
        if self._beyond:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self._clock = clock
        self._wrong: dict[str, dict[str, float]] = {}  # tokens that were wrong, and when, by address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refused = self._refuse(scope)
        if refused is not None:
            await (_deny(send) if scope["type"] == "websocket" else refused(scope, receive, send))
            return
        cookies = _cookies(scope)
        browser = cookies.get(BROWSER_COOKIE, "")
        known = browser.isalnum() and len(browser) == 32
        scope.setdefault("state", {})["browser"] = browser if known else (new := secrets.token_hex(16))

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                if not known:
                    headers.append("set-cookie", _set_cookie(BROWSER_COOKIE, new))
            await send(message)

        await self._app(scope, receive, sealed)

    def _refuse(self, scope: Scope) -> Response | None:
        """The response to a refused request; None: it is accepted."""
        headers = Headers(scope=scope)
        place = headers.get("host", "")
        if not self._is_mine(place):
            return plain_page(403, "Unknown host name", f"The studio is not served as {place[:80]!r}.")
        origin = headers.get("origin")
        if origin is not None and _place_of(origin) != place.lower():
            return plain_page(403, "Request from another site", "Only the studio's own pages may access it.")
        # Requests for images and scripts have no Origin header, but browsers still report the site they come from.
        arrives = headers.get("sec-fetch-mode") == "navigate" and scope.get("method") == "GET" and scope["path"] == "/"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not arrives:
            return plain_page(403, "Request from another site", "Only the studio's own pages may access it.")
        if not _is_small(headers):
            return plain_page(
                413, "Request too large", f"A request must state its length, at most {LARGEST // 2**20} MB."
            )
        return self._ask_for_token(scope) if self._token is not None else None

    def _is_mine(self, place: str) -> bool:
        try:
            name = (urlsplit(f"//{place}").hostname or "").rstrip(".")
        except ValueError:
            return False
        if name in self._names:
            return True
        if not self._beyond:
            return False
        try:
            ipaddress.ip_address(name)  # an IP address cannot be redirected as a name can
        except ValueError:
            return False
        return True

    def _ask_for_token(self, scope: Scope) -> Response | None:
        assert self._token is not None
        given = parse_qs(scope.get("query_string", b"").decode("latin-1")).get("token", [""])[0]
        kept = _cookies(scope).get(self._cookie, "")
        address = scope["client"][0] if scope.get("client") else ""
        if self._waits(address):
            return plain_page(
                429, "Too many wrong tokens", "Wait a minute, then open the address with the right token."
            )
        if _same(kept, self._token):
            return None
        if scope["type"] == "http" and scope["path"] == "/" and _same(given, self._token):
            # Not an HTTP redirect: a browser that came from another site would not send the new cookie with it.
            answer = HTMLResponse('<!doctype html><meta http-equiv="refresh" content="0; url=/"><title>drycell</title>')
            answer.headers["set-cookie"] = _set_cookie(self._cookie, self._token)
            answer.headers["referrer-policy"] = "no-referrer"
            answer.headers["cache-control"] = "no-store"
            return answer
        for wrong in filter(None, (given, kept)):
            self._note(address, wrong)
        return plain_page(
            401,
            "Token required" if not given else "Wrong token",
            "Open the full address that drycell studio printed in its terminal: it ends in ?token=…. "
            "If this browser had access before, try again.",
        )

    def _waits(self, address: str) -> bool:
        since = self._clock() - _SPAN
        recent = {token: at for token, at in self._wrong.get(address, {}).items() if at > since}
        if recent:
            self._wrong[address] = recent
        else:
            self._wrong.pop(address, None)
        return len(recent) >= _TRIES

    def _note(self, address: str, token: str) -> None:
        """Count a wrong token once: a page left open from an earlier run repeats its old token."""
        if address not in self._wrong and len(self._wrong) >= _ADDRESSES:
            self._wrong.pop(next(iter(self._wrong)))
        self._wrong.setdefault(address, {})[token[:200]] = self._clock()


def _place_of(origin: str) -> str:
    try:
        return urlsplit(origin).netloc.lower()
    except ValueError:
        return ""


def _is_small(headers: Headers) -> bool:
    """Whether a request states its size and is not too large. Otherwise uploads could fill the disk."""
    length = headers.get("content-length", "0")
    return "transfer-encoding" not in headers and length.isascii() and length.isdigit() and int(length) <= LARGEST


def _same(given: str, token: str) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(given.encode(), token.encode())


def _cookies(scope: Scope) -> dict[str, str]:
    try:
        found = SimpleCookie(Headers(scope=scope).get("cookie", "")[:8000])
    except CookieError:
        return {}
    return {name: morsel.value for name, morsel in found.items()}


def _set_cookie(name: str, value: str) -> str:
    return f"{name}={value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict"


async def _deny(send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008, "reason": "access refused"})
