"""Pictures of a cell at one instant or over time, and plots, drawn without a screen.

Line drawings need no extra; plots need the extra ``plot`` (matplotlib), shaded pictures and films the extra ``film``
(pyvista). The package may use everything up to the world. It draws runs and recordings without changing them.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.pictures.camera import Camera as Camera
    from drycell.pictures.diagram import (
        Arrow as Arrow,
        ArrowTip as ArrowTip,
        Diagram as Diagram,
        DiagramNode as DiagramNode,
        lay_out as lay_out,
        wide as wide,
    )
    from drycell.pictures.drawing import LineDrawing as LineDrawing
    from drycell.pictures.film import check_film as check_film, frame_instants as frame_instants, save_film as save_film
    from drycell.pictures.page import Style as Style
    from drycell.pictures.plot import (
        Panel as Panel,
        Series as Series,
        check_plot_name as check_plot_name,
        save_plot as save_plot,
        text_bars as text_bars,
        text_curve as text_curve,
    )
    from drycell.pictures.result_drawing import draw_result as draw_result
    from drycell.pictures.shaded import (
        check_picture as check_picture,
        check_theme as check_theme,
        save_picture as save_picture,
    )
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
