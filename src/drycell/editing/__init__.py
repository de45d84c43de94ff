"""Editing cell files: drafts that keep comments, descriptions of the format (schema, forms, palette), CAD files, and
snapping. It may use the package cell and those below it; the studio and teaching use it."""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.editing.cad import (
        ENDINGS as ENDINGS,
        MOST_BYTES as MOST_BYTES,
        UNITS as UNITS,
        CadFile as CadFile,
        body_name as body_name,
        bring_in as bring_in,
        look_at as look_at,
    )
    from drycell.editing.describe import (
        FormRow as FormRow,
        cell_schema as cell_schema,
        examples_at as examples_at,
        form as form,
        names_for as names_for,
        palette as palette,
        row_at as row_at,
        rows_at as rows_at,
    )
    from drycell.editing.draft import Draft as Draft
    from drycell.editing.snap import (
        aligned as aligned,
        onto_face as onto_face,
        to_angle as to_angle,
        to_grid as to_grid,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
