"""Search of event orders: runs a cell again and again, under all choices it declares and all orders of its ties.

May use all that a cell is made of; nothing below knows of it. docs/guides/verify.md says what is found, and what not.
"""

from drycell.verify.fault import KINDS, Fault, Kind
from drycell.verify.search import verify
from drycell.verify.verdict import Finding, Scope, Verdict

__all__ = ["KINDS", "Fault", "Finding", "Kind", "Scope", "Verdict", "verify"]
