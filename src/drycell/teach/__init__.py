"""Teaching: turn points picked in a cell into a program without writing code.

A point picked on a surface becomes a frame (:mod:`~drycell.teach.surface`). :mod:`~drycell.teach.reachability` checks
whether the robot reaches it, and :mod:`~drycell.teach.jog` moves the robot there. The steps of a
:class:`~drycell.teach.lesson.Lesson` become a program in Python or Pascal. The package may use cells and everything
below them.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.teach.grasping import grasp_at as grasp_at, place_at as place_at
    from drycell.teach.jog import (
        DIRECTIONS as DIRECTIONS,
        FRAMES as FRAMES,
        Frame as Frame,
        Jog as Jog,
    )
    from drycell.teach.lesson import (
        Lesson as Lesson,
        lesson_data as lesson_data,
        lesson_text as lesson_text,
        load_lesson as load_lesson,
        pick_and_place as pick_and_place,
        plain as plain,
        read_lesson as read_lesson,
        read_step as read_step,
        save_lesson as save_lesson,
    )
    from drycell.teach.reachability import (
        ReachVerdict as ReachVerdict,
        nearest_singularity as nearest_singularity,
        verdict as verdict,
    )
    from drycell.teach.saving import (
        ENDINGS as ENDINGS,
        Language as Language,
        LessonProgram as LessonProgram,
        check_taught as check_taught,
        commanders as commanders,
        lesson_program as lesson_program,
        save_into as save_into,
        write_into as write_into,
    )
    from drycell.teach.step import (
        LessonAssign as LessonAssign,
        LessonMove as LessonMove,
        LessonStep as LessonStep,
        LessonUntil as LessonUntil,
        PointSpec as PointSpec,
    )
    from drycell.teach.surface import (
        TaughtPoint as TaughtPoint,
        picked as picked,
        set_down as set_down,
        surface_frame as surface_frame,
    )
    from drycell.teach.walking import WalkedStep as WalkedStep, walk as walk
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
