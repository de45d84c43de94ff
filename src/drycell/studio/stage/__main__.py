"""``python -m drycell.studio.stage``: a stage, which the server starts and talks to over its standard input."""

from drycell.studio.stage.process import main

main()
