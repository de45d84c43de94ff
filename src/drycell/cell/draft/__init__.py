"""Drafts: cell files that are edited step by step, with undo, comments kept; snapping; import of CAD files; forms.

May use cell files, geometry and the library of sensors; builds no cell and runs nothing.
"""

from drycell.cell.draft.cad import CadFile, bring_in, look_at
from drycell.cell.draft.draft import Draft, Step
from drycell.cell.draft.entries import Entries
from drycell.cell.draft.form import Field, fields_at
from drycell.cell.draft.references import Reference

__all__ = ["CadFile", "Draft", "Entries", "Field", "Reference", "Step", "bring_in", "fields_at", "look_at"]
