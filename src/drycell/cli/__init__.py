"""The command line: one module for each command, whose docstring is its help. No other package imports it."""
