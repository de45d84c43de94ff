"""What the page can ask of the host process: one class of typed methods per topic, and the dataclasses they return.

A topic is defined once, here. The host process implements it (``host/transport.py`` implements ``api/transport.py``,
and so on); the server calls the same methods on a stand-in that sends them over the wire (``remote.py``). Imports
nothing of the simulation but plain types.
"""
