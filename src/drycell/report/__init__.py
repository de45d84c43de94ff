"""Reports of runs: one HTML page with charts and a timing diagram, and the pieces that other reports use. The package
may use base, kernel and record.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.report import charts as charts
    from drycell.report.page import (
        Section as Section,
        html_document as html_document,
        html_picture as html_picture,
        html_report as html_report,
        html_section as html_section,
        html_table as html_table,
    )
    from drycell.report.wait_graph import wait_for_graph as wait_for_graph
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
