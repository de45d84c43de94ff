"""Test robot programs with pytest: the plug-in's fixture, and properties to assert.

pytest loads the plug-in (``plugin``) in every run where drycell is installed. The plug-in imports the rest, and the
cell, only when a test uses ``drycell_cell``.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.testing.bench import Bench as Bench, verify as verify
    from drycell.testing.checked import CheckedResult as CheckedResult
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
