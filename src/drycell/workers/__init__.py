"""Warm worker processes on this machine, and plain JSON messages between them and the process that started them. It
knows nothing about cells, and may use only base.
"""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.workers.pool import (
        Answer as Answer,
        WorkerPool as WorkerPool,
        cores as cores,
    )
    from drycell.workers.service import GiveUp as GiveUp, Work as Work, serve as serve
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
