"""Diagnosis: what is wrong with a text that is being written, in every language of a cell, before it is saved.

Nothing is written and nothing of the text is executed. May use the languages and the cell; nothing of the page.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.studio.host.diagnosis.finding import Diagnosis as Diagnosis
    from drycell.studio.host.diagnosis.texts import diagnose as diagnose
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
