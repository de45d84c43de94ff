"""The search over event orders: runs a cell repeatedly, with all its declared choices and all orders of ties.

The package may use all lower packages, none of which depends on it. docs/guides/verify.md describes what it can and
cannot find.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.verify.search import verify as verify
    from drycell.verify.verdict import Verdict as Verdict
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
