"""The search over event orders: it runs a cell again and again, under all its declared choices and all orders of ties.

It may use everything that a cell is made of; nothing below knows of it. docs/guides/verify.md describes what it finds
and what it cannot find.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.verify.search import verify as verify
    from drycell.verify.verdict import Verdict as Verdict
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
