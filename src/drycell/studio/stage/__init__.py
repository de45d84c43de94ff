"""The stage: a process of its own that holds what is looked at, a cell on the bench, at work or recorded.

``client`` is the server's end of it and imports nothing heavy; everything else runs in the stage process, started as
``python -m drycell.studio.stage``. Modules in ``requests`` say what can be asked of it.
"""
