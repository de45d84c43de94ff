"""Looks: what bodies look like, as lists of parts made from few numbers, and the channels that move or light them.

Page, pictures and films draw the same lists. The package may use everything up to the record; it knows no kind of
thing: each kind supplies its own look in its own file.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.looks.channel import (
        COURSES as COURSES,
        Channel as Channel,
        ChannelKind as ChannelKind,
        Course as Course,
        FixedValue as FixedValue,
        InState as InState,
        SignalValue as SignalValue,
        Source as Source,
        TimeInState as TimeInState,
    )
    from drycell.looks.fittings import (
        QUARTER as QUARTER,
        bolt as bolt,
        cable as cable,
        glow as glow,
        lamp as lamp,
        legs as legs,
        stack as stack,
    )
    from drycell.looks.look import Look as Look, LookPart as LookPart, piece as piece, placed as placed
    from drycell.looks.material import (
        EXEMPT as EXEMPT,
        FINISHES as FINISHES,
        INKS as INKS,
        ink as ink,
        look_material as look_material,
        painted as painted,
        rgb as rgb,
        shown_as as shown_as,
    )
    from drycell.looks.mesh import LookMesh as LookMesh
    from drycell.looks.packing import (
        PackedGroup as PackedGroup,
        look_bytes as look_bytes,
        look_key as look_key,
        packed_groups as packed_groups,
    )
    from drycell.looks.plain import (
        OWN as OWN,
        look_of as look_of,
        plain_look as plain_look,
        plain_solids as plain_solids,
    )
    from drycell.looks.solids import (
        Solid as Solid,
        belt as belt,
        box as box,
        circle as circle,
        cylinder as cylinder,
        extrude as extrude,
        facets as facets,
        loft as loft,
        panel as panel,
        revolve as revolve,
        rounded as rounded,
        shell as shell,
        sweep as sweep,
        tessellate as tessellate,
        tube as tube,
    )
    from drycell.looks.surfaces import (
        Flags as Flags,
        Integers as Integers,
        small_surface as small_surface,
        surface as surface,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
