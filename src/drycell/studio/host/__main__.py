"""``python -m drycell.studio.host``: a host, which the server starts and talks to over its standard input."""

from drycell.studio.host.process import main

main()
