"""Verification in tests: ``assert verify(drycell_cell("cells/press")).clean``."""

from pathlib import Path
from typing import Any

from drycell.cell import CellSource
from drycell.testing.bench import Bench, Factory
from drycell.verify import Verdict, verify as search


def verify(cell: Bench | CellSource | str | Path | Factory, **options: Any) -> Verdict:
    """Searches the orders of events of a cell; see :func:`drycell.verify.verify` for the options.

    A bench is searched with its seed; it need not have run before. ``.clean`` is that no fault was found and all orders
    were seen, ``.exhausted`` the latter alone, ``.finding`` the fault.
    """
    return cell.verify(**options) if isinstance(cell, Bench) else search(cell, **options)
