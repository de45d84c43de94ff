"""Rigs: sensors tested in small cells and compared with published measurements.

A rig builds a cell, runs it and returns numbers; the command line prints and draws them. The package may use everything
up to the cell, but no language, protocol or search.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.rigs.beam import (
        Agreement as Agreement,
        BeamResponse as BeamResponse,
        BeamRig as BeamRig,
        BeamTarget as BeamTarget,
        agreement as agreement,
        first_hole as first_hole,
        read_measured as read_measured,
        standard_target as standard_target,
    )
    from drycell.rigs.comparison import (
        Fit as Fit,
        columns as columns,
        fit as fit,
        fit_text as fit_text,
        sets_text as sets_text,
    )
    from drycell.rigs.passing import (
        CLEAR as CLEAR,
        Passing as Passing,
        detection_width as detection_width,
        pass_tool as pass_tool,
    )
    from drycell.rigs.published import (
        PASSES as PASSES,
        READINGS as READINGS,
        TABLES as TABLES,
        PassSetting as PassSetting,
    )
    from drycell.rigs.scanning import (
        CAUSES as CAUSES,
        STRETCHES as STRETCHES,
        Cause as Cause,
        ScanPoint as ScanPoint,
        SurfaceScan as SurfaceScan,
        scan as scan,
        stretch_at as stretch_at,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
