"""The studio: a cell seen, run, debugged, taught and built in the browser.

May use everything; nothing but the command line uses it. A server process holds the page, and a host process what is
looked at: programs of users run there alone.
"""
