"""Protocols: drivers that speak to real controllers, and emulations of those controllers to test them with; the links
and clients of devices that are commanded by messages.

May use cells and everything below them; knows nothing of languages: drivers have the methods that languages ask for.
"""
