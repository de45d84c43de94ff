"""Drafts: cell files that are edited step by step, with undo, comments kept; snapping; import of CAD files; forms.

May use cell files, geometry and the library of sensors; builds no cell and runs nothing.
"""

from drycell.cell.draft.draft import Draft, Step
from drycell.cell.draft.entries import Entries
from drycell.cell.draft.references import Reference

__all__ = ["Draft", "Entries", "Reference", "Step"]
