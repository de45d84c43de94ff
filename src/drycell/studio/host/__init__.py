"""The host: a separate process that holds the open cell or recording and runs the user's programs.

``launch`` and ``client`` are used by the server and import nothing heavy; everything else runs in the host process,
which is started as ``python -m drycell.studio.host``. ``drycell.studio.api`` defines the calls it accepts.
"""
