"""``python -m drycell.studio.host``: starts a host. The server talks to it over its standard input and output."""

from drycell.studio.host.process import main

main()
