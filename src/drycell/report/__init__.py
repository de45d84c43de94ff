"""Reports of runs: one HTML page with charts and a timing diagram. The package may use base, kernel and record."""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.report.page import Section as Section, html_report as html_report
    from drycell.report.wait_graph import wait_for_graph as wait_for_graph
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
