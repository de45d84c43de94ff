"""Looks at a world at an instant: what a view draws over its bodies, and what there is to say about a thing.

Pure: a look changes nothing in the run it looks at. Everything is seen from the world, in SI units.
"""
