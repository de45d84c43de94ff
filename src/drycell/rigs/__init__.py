"""Rigs: sensors put to the test in small cells of their own, as on a bench, and compared with what was measured there.

A rig builds a cell, runs it and returns numbers; the command line prints and draws them. May use every package up to
the cell; no language, protocol or search.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.rigs.beam import (
        Agreement as Agreement,
        Beam as Beam,
        Response as Response,
        Target as Target,
        agreement as agreement,
        first_hole as first_hole,
        standard_target as standard_target,
    )
    from drycell.rigs.comparison import columns as columns, fit_text as fit_text, sets_text as sets_text
    from drycell.rigs.corners import STRETCHES as STRETCHES, stretch_at as stretch_at
    from drycell.rigs.measured import read_measured as read_measured
    from drycell.rigs.passing import CLEAR as CLEAR, Passing as Passing, pass_tool as pass_tool
    from drycell.rigs.published import PASSES as PASSES, READINGS as READINGS, TABLES as TABLES, Setting as Setting
    from drycell.rigs.scanning import CAUSES as CAUSES, Cause as Cause, Scan as Scan, Sounding as Sounding, scan as scan
    from drycell.rigs.tool_fit import Fit as Fit, fit as fit
    from drycell.rigs.width import detection_width as detection_width
else:
    from drycell.base.lazy import door

    __all__, __getattr__, __dir__ = door(__name__)
