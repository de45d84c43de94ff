"""Devices of a cell: the verbs that add them in Python, and the section ``devices`` of cell files, one module a kind.

A kind is a module with a ``KIND``: its description in files, how a device is made of it, and how a device is written
back. ``section.py`` lists them.
"""
