"""Rigs: sensors put to the test in small cells of their own, as on a bench, and compared with what was measured there.

A rig builds a cell, runs it and returns numbers; the command line prints and draws them. May use every package up to
the cell; no language, protocol or search.
"""
