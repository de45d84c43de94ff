"""Carrying messages: in cell time by mailboxes, in real time by sockets; recorded, and disturbed when asked for."""
