"""What NiceGUI lacks for a server that others try to misuse: nonces, and silence about malformed messages."""

import logging
from typing import Any


def add_nonces() -> None:
    """Give the scripts in NiceGUI's template of pages the nonce of their response, which the policy requires."""
    from jinja2 import FunctionLoader
    from nicegui.client import templates

    loader = templates.env.loader
    assert loader is not None

    def load(name: str) -> str:
        text, _, _ = loader.get_source(templates.env, name)
        text = text.replace("<script", '<script nonce="{{ request.state.nonce }}"')
        # Styles of the page are added by scripts, too. No text of a file is among them.
        return text.replace("{{ head_html |", "{{ head_html | replace('<script', _nonced(request)) |")

    templates.env.globals["_nonced"] = lambda request: f'<script nonce="{request.state.nonce}"'
    templates.env.loader = FunctionLoader(load)


def drop_malformed_messages() -> None:
    """Drop socket.io messages that NiceGUI cannot read, instead of printing a traceback for each of them.

    Errors of the page's own callbacks are not among them: NiceGUI handles those itself.
    """
    from nicegui import core

    logging.getLogger("engineio.server").setLevel(logging.CRITICAL)  # reports nothing but unreadable packets
    handle = core.sio._handle_event_internal  # handlers alone are not enough: a message may name none, or "connect"

    async def handle_or_drop(*arguments: Any) -> None:
        try:
            await handle(*arguments)
        except Exception:
            logging.getLogger("nicegui").debug("dropped a malformed message", exc_info=True)

    core.sio._handle_event_internal = handle_or_drop
