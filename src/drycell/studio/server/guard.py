"""Access control: the studio runs programs, so only pages that it served itself may talk to it.

All requests and WebSockets, including NiceGUI's own, pass through here. The Host header must be a name of the studio;
otherwise an attacker could point a domain name at this machine (DNS rebinding). The Origin header, if present, must be
the same. A token is required on this machine too, because its other users can reach its ports. It is part of the
address at first, and then stays in the browser as a cookie that scripts cannot read and other sites cannot send.
"""

import hmac
import ipaddress
import os
import re
import secrets
import socket
from html import escape
from typing import Final
from urllib.parse import parse_qsl, urlencode, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from drycell.base import DrycellError

BROWSER_COOKIE: Final = "drycell-browser"
_LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
TOKEN_VARIABLE: Final = "DRYCELL_TOKEN"
"""Environment variable with the token, for automation: other users cannot see it, unlike the options of a command."""
_SHORTEST: Final = 12  # characters of a token
LARGEST: Final = 101 * 1024 * 1024
"""Largest request in bytes: a CAD file with its envelope."""
_RANDOM: Final = f"omit --token and {TOKEN_VARIABLE} to get a random one"
_YEAR: Final = 365 * 24 * 3600
_HEADERS: Final = {
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",  # the first address contains the token
    "cross-origin-resource-policy": "same-origin",
}


def policy(scripts: str) -> str:
    """A content security policy: the page loads nothing from other sites, and they cannot show it in a frame.

    ``scripts`` are the sources of scripts. Attributes with event handlers never run.
    """
    return (
        f"default-src 'self'; script-src {scripts}; script-src-attr 'none'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self' data: blob:; object-src 'none'; "
        "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
    )


def plain_page(status: int, title: str, text: str) -> HTMLResponse:
    """A page with an error and what to do, in light and dark."""
    return HTMLResponse(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>drycell studio</title>
<meta name="viewport" content="width=device-width"><style>:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 36em; margin: 18vh auto; padding: 0 1em }}</style>
<h1 style="font-size: 18px">{escape(title)}</h1><p>{escape(text)}</p><p><a href="/">try again</a></p></html>""",
        status_code=status,
        headers={**_HEADERS, "cache-control": "no-store", "content-security-policy": policy("'none'")},
    )


def is_loopback(host: str) -> bool:
    """Whether a server at this address can be reached only from this machine."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def checked_token(token: str | None) -> str:
    """The token that is given, or that of the environment variable; otherwise a new random one.

    Raises:
        DrycellError: The token is too short, or has characters that an address or a cookie cannot have.
    """
    token = token if token is not None else os.environ.get(TOKEN_VARIABLE)
    if token is None:
        return secrets.token_urlsafe(24)
    if not re.fullmatch(r"[0-9A-Za-z_.~-]*", token):
        raise DrycellError(
            "a token may contain only letters, digits, - . _ and ~: it is part of an address and of a cookie",
            hint=_RANDOM,
        )
    if len(token) < _SHORTEST:
        raise DrycellError(
            f"a token of {len(token)} characters is too easy to guess: use at least {_SHORTEST}",
            hint=_RANDOM,
        )
    return token


class Guard:
    """Middleware that passes on requests from pages of this server and refuses all others.

    Inline scripts run only with the nonce of their response, ``request.state.nonce``. ``evaluates``: the scripts of the
    page may evaluate text as code.
    """

    def __init__(
        self, app: ASGIApp, *, token: str, host: str = "127.0.0.1", port: int = 0, evaluates: bool = False
    ) -> None:
        self._app = app
        self._token = token
        self._cookie = f"drycell-token-{port}"  # cookies are shared by all ports of a host
        self._beyond = not is_loopback(host)
        self._names = {*_LOOPBACK, host.lower()}
        if self._beyond:
            self._names |= {socket.gethostname().lower(), socket.getfqdn().lower()}
        self._evaluates = " 'unsafe-eval'" if evaluates else ""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        refused = self._refuse(scope)
        if refused is not None:
            await (_deny(send) if scope["type"] == "websocket" else refused(scope, receive, send))
            return
        browser = next(iter(_cookies(scope, BROWSER_COOKIE)), "")
        known = browser.isalnum() and len(browser) == 32
        nonce = secrets.token_urlsafe(16)
        state = scope.setdefault("state", {})
        state["browser"], state["nonce"] = browser if known else (new := secrets.token_hex(16)), nonce

        async def sealed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
                headers["content-security-policy"] = policy(f"'self' 'nonce-{nonce}'{self._evaluates}")
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
        return self._ask_for_token(scope)

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
        # Wrong tokens are not counted: a client with the right one must get in, whatever others try.
        allowed = any(_same(each, self._token) for each in _cookies(scope, self._cookie))
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = dict(query).get("token")
        arrives = given is not None and scope["type"] == "http" and scope["path"] == "/"
        if arrives and (allowed or _same(given or "", self._token)):
            return self._enter([pair for pair in query if pair[0] != "token"])
        if allowed:
            return None
        return plain_page(
            401,
            "Token required" if given is None else "Wrong token",
            "Open the full address that drycell printed in its terminal: it ends in ?token=…. "
            "If this browser had access before, try again.",
        )

    def _enter(self, query: list[tuple[str, str]]) -> Response:
        """Keep the token as a cookie, and go on to the address without it."""
        # Not an HTTP redirect: a browser that came from another site would not send the new cookie with it.
        url = escape("/?" + urlencode(query) if query else "/")
        answer = HTMLResponse(
            f'<!doctype html><meta http-equiv="refresh" content="0; url={url}"><title>drycell</title>',
            headers={**_HEADERS, "cache-control": "no-store", "content-security-policy": policy("'none'")},
        )
        answer.headers["set-cookie"] = _set_cookie(self._cookie, self._token)
        return answer


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


def _cookies(scope: Scope, name: str) -> list[str]:
    """All values of a cookie. Browsers send the cookies of every port of a host, valid ones or not, and perhaps several
    of the same name: another server must not hide ours."""
    header = Headers(scope=scope).get("cookie", "")
    pairs = (each.strip().partition("=") for each in header.split(";"))
    return [value.strip() for key, _, value in pairs if key.strip() == name]


def _set_cookie(name: str, value: str) -> str:
    return f"{name}={value}; Path=/; Max-Age={_YEAR}; HttpOnly; SameSite=Strict"


async def _deny(send: Send) -> None:
    await send({"type": "websocket.close", "code": 1008, "reason": "access refused"})
