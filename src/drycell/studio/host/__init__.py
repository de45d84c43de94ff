"""The host: a process of its own that holds what is looked at, a cell on the bench, at work or recorded.

``launch`` and ``client`` are the server's end of it and import nothing heavy; everything else runs in the host
process, started as ``python -m drycell.studio.host``. ``drycell.studio.api`` says what can be asked of it.
"""
