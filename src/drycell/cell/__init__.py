"""The cell: its description (models, cell files), the running cell, and its programs, checks, tolerances and results.
New kinds of things need only the names exported here. The package may use base, kernel, geometry, world and record. It
knows no kind of device, sensor, robot or language: kinds import it.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.base import (
        Angle as Angle,
        Count as Count,
        Duration as Duration,
        Factor as Factor,
        FileName as FileName,
        Length as Length,
        Name as Name,
        NoLess as NoLess,
        Position as Position,
        Problem as Problem,
        Quantity as Quantity,
        Ratio as Ratio,
        Ref as Ref,
        Rpy as Rpy,
        Size as Size,
        Speed as Speed,
        Thing as Thing,
        Wait as Wait,
        known_kinds as known_kinds,
    )
    from drycell.cell.body import (
        Body as Body,
        Material as Material,
        StateNames as StateNames,
        Tangle as Tangle,
        Workpoint as Workpoint,
        check_states as check_states,
    )
    from drycell.cell.cell import Cell as Cell, plain_name as plain_name
    from drycell.cell.furniture import stand_on_legs as stand_on_legs
    from drycell.cell.head import Checks as Checks, CollisionCheck as CollisionCheck, Head as Head, Run as Run
    from drycell.cell.live import (
        BodyRef as BodyRef,
        Device as Device,
        Live as Live,
        M as M,
        Place as Place,
        PlacedThing as PlacedThing,
        Stage as Stage,
        Standing as Standing,
        laid_on as laid_on,
        top_of as top_of,
    )
    from drycell.cell.model import (
        Model as Model,
        reference_problem as reference_problem,
        section_type as section_type,
    )
    from drycell.cell.program import (
        Function as Function,
        LiveProgram as LiveProgram,
        Program as Program,
        exchange as exchange,
    )
    from drycell.cell.running import run as run
    from drycell.cell.source import (
        CELL_NAMES as CELL_NAMES,
        CellSource as CellSource,
        Untrusted as Untrusted,
        check_trusted as check_trusted,
        is_trusted as is_trusted,
        trust as trust,
        untrusted as untrusted,
    )
    from drycell.cell.tolerance import Tolerance as Tolerance
    from drycell.cell.written import (
        as_written as as_written,
        in_text as in_text,
        shifted_position as shifted_position,
        spelled_out as spelled_out,
        type_at as type_at,
        written_position as written_position,
        written_turn as written_turn,
    )
    from drycell.record import Result as Result
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
