"""Pages without anything in them but words: for those who are not let in."""

from html import escape

from starlette.responses import HTMLResponse


def plain_page(status: int, title: str, text: str) -> HTMLResponse:
    """A page that says what is the matter and what to do, in light and dark."""
    return HTMLResponse(
        f"""<!doctype html><html lang="en"><meta charset="utf-8"><title>drycell studio</title>
<meta name="viewport" content="width=device-width"><style>:root {{ color-scheme: light dark }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 36em; margin: 18vh auto; padding: 0 1em }}</style>
<h1 style="font-size: 18px">{escape(title)}</h1><p>{escape(text)}</p><p><a href="/">try again</a></p></html>""",
        status_code=status,
        headers={"cache-control": "no-store", "referrer-policy": "no-referrer", "x-frame-options": "DENY"},
    )
