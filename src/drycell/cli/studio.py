"""Open the studio in the browser: watch, run, debug, teach and build cells.


examples:
  drycell studio                           shows the examples as tiles
  drycell studio examples/30_event_cell    opens a cell: its folder, its cell file, or a Python file with build(cell)
  drycell studio out/demo.dry              opens a recording, or a counter-example from drycell verify

The studio accepts connections only from this machine (127.0.0.1); with --host, also from other machines. Browsers need
the token in the printed address, so other users of the machine cannot connect. Press Ctrl-C to stop it.

Code in a cell's folder (programs, cell.py, files under `uses:`) runs only if you trust the folder. The page asks once,
before the code runs for the first time.
"""

import argparse
import contextlib

from drycell.cli import consent


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of ``drycell studio``."""
    parser.add_argument("cell", metavar="CELL|RECORDING", nargs="?", help="a cell, its folder, or a recording (.dry)")
    parser.add_argument("--port", type=int, metavar="N", help="port (default: 8765, or the next free one)")
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="H",
        help="address to listen on; 0.0.0.0 also accepts other machines (default: 127.0.0.1)",
    )
    parser.add_argument(
        "--token",
        metavar="T",
        help="token to require (default: the environment variable DRYCELL_TOKEN, which other users cannot see, or a "
        "random token)",
    )
    consent.add_argument(parser)
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")


def main(options: argparse.Namespace) -> int:
    """Serve the studio until Ctrl-C, and return the exit code."""
    from drycell.base import browser_at
    from drycell.cell import CellSource
    from drycell.studio.server import PORT, free_address, openable, serve

    path = openable(options.cell) if options.cell else None
    if path is not None and options.trust and path.suffix.lower() != ".dry":
        consent.check_consent(CellSource.find(path), True, programs=True)
    address = free_address(options.host, options.port, options.token)
    if options.port is None and address.port != PORT:
        print(f"port {PORT} is in use; using port {address.port}")

    with contextlib.suppress(KeyboardInterrupt), contextlib.ExitStack() as ends:

        def ready() -> None:
            print(f"drycell studio: {address.url}   (press Ctrl-C to end)", flush=True)
            if not options.no_browser:
                ends.enter_context(browser_at(address.url))

        serve(address, path, ready=ready)
    return 0
