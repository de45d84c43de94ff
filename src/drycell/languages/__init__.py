"""Languages of robots: a small kit for front ends, and one package a language that runs its programs in a cell."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from drycell.languages.programs import Arla as Arla, Pascal as Pascal
else:
    from drycell.packages import door

    __getattr__, __dir__ = door(__name__)
