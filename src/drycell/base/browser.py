"""Opens a page in the user's browser without showing its address to other users."""

import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path


@contextmanager
def browser_at(url: str) -> Iterator[None]:
    """Open an address in the user's browser. Within the ``with`` block the browser can load it.

    The command that starts a browser is visible to all users, and the address may contain a token. Therefore the
    browser opens a file that only its user can read and that redirects to the address.
    """
    with tempfile.TemporaryDirectory(prefix="drycell-browser-") as folder:  # only its owner can read it
        page = Path(folder) / "open.html"
        page.write_text(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(url)}">'
            "<title>drycell</title>",
            encoding="utf-8",
        )
        webbrowser.open(page.as_uri())
        yield
