"""The API of the host process: one class of typed methods per topic, and the dataclasses they return.

Each topic is defined once, here. The host process implements it (``host/transport.py`` implements
``api/transport.py``, and so on); the server calls the same methods on a proxy that sends them to the host
(``remote.py``). Imports nothing of the simulation except plain types.
"""
