"""Robot programs under test, like any programs: what the pytest plug-in hands to tests, and what can be asserted.

The plug-in (``plugin``) is loaded by every run of pytest where drycell is installed; it imports the rest, and the cell,
only when a test asks for ``drycell_cell``.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.testing.bench import Bench as Bench, verify as verify
    from drycell.testing.checked import CheckedResult as CheckedResult
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
