"""The studio: see, run, debug, teach and build a cell in the browser.

Opens a cell or a recording; without one, a page with the examples:

  drycell studio                           the examples, as tiles
  drycell studio examples/30_event_cell    a cell: its folder, its cell file, or a Python file with build(cell)
  drycell studio out/demo.dry              a recording, or a counter-example of drycell verify

It serves this machine alone (127.0.0.1). With --host it can be reached from others, and asks for a token: it is part of
the address that is printed. Ctrl-C ends it.

Code in a cell's folder (programs, cell.py, files under `uses:`) runs only if you trust the folder: the page asks once,
before the code runs for the first time.
"""

import argparse
import contextlib

from drycell.cli import consent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``drycell studio``."""
    parser.add_argument("cell", metavar="CELL|RECORDING", nargs="?", help="a cell, its folder, or a recording (.dry)")
    parser.add_argument("--port", type=int, metavar="N", help="the port (default: 8765, or the next that is free)")
    parser.add_argument(
        "--host", default="127.0.0.1", metavar="H", help="serve at this address, for other machines too"
    )
    parser.add_argument("--token", metavar="T", help="ask for this token instead of a new one")
    consent.add_argument(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def main(options: argparse.Namespace) -> int:
    """Serves until Ctrl-C; returns the exit code."""
    from drycell.cell import CellSource
    from drycell.studio.server import PORT, free_address, openable, serve

    path = openable(options.cell) if options.cell else None
    if path is not None and options.trust and path.suffix.lower() != ".dry":
        consent.check_consent(CellSource.find(path), True, programs=True)
    address = free_address(options.host, options.port, options.token)
    if options.port is None and address.port != PORT:
        print(f"port {PORT} is in use: served at {address.port}")

    def ready() -> None:
        print(f"drycell studio: {address.url}   (Ctrl-C ends it)", flush=True)
        if not options.no_browser:
            import webbrowser

            webbrowser.open(address.url)

    with contextlib.suppress(KeyboardInterrupt):
        serve(address, path, ready=ready)
    return 0
