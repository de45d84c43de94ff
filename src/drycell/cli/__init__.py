"""The command line: one module for each command, whose docstring is its help. Nothing imports this package."""
