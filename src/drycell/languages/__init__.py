"""Robot languages: EMULA, Pascal and ARLA, each in a package that runs its programs in a cell, and what they share."""

TYPE_CHECKING: bool = False
if TYPE_CHECKING:
    from drycell.languages.programs import Arla as Arla, Pascal as Pascal
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
