"""The studio: view, run, debug, teach and build a cell in the browser.

May import everything; only the command line imports it. The server process serves the page; a host process holds the
open cell, and only there do the user's programs run.
"""
