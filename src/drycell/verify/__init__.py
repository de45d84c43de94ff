"""Search of event orders: runs a cell again and again, under all choices it declares and all orders of its ties.

May use all that a cell is made of; nothing below knows of it. docs/guides/verify.md says what is found, and what not.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.verify.search import verify as verify
    from drycell.verify.verdict import Verdict as Verdict
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
