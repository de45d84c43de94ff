"""Completion at the console: commands, words, variables, sensor functions and the names of bodies."""

from typing import TYPE_CHECKING

from drycell.languages.emula.functions import BUILT_IN
from drycell.languages.emula.help import TOPICS
from drycell.languages.emula.routine import all_routines
from drycell.languages.emula.tokens import KEYWORDS

if TYPE_CHECKING:
    from drycell.languages.emula.interpreter import Interpreter

_WORDS = ("sensors", "exceed", "at", "from", "help", "quit")


class Completer:
    """Gives readline the words that a beginning may grow to; upper case is answered in upper case."""

    def __init__(self, session: "Interpreter") -> None:
        self._session = session
        self._found: list[str] = []

    def words(self, beginning: str, line: str = "") -> list[str]:
        """All words that begin so, given what stands before on the line."""
        if line.lower().split()[:1] == ["help"]:
            known = {*TOPICS, *(each.name for each in all_routines())}
        else:
            names = self._session.emulation.names.known()
            known = {each.name for each in all_routines()} | KEYWORDS | {*_WORDS, *BUILT_IN}
            known |= {name for name in names if name.replace("_", "").isalnum()} | {*self._session.scope.names()}
        found = sorted(word for word in known if word.lower().startswith(beginning.lower()))
        return [word.upper() for word in found] if beginning.isupper() and len(beginning) > 1 else found

    def __call__(self, beginning: str, state: int) -> str | None:
        """As readline asks: for the first, the second, … word."""
        if state == 0:
            import readline

            self._found = self.words(beginning, readline.get_line_buffer()[: readline.get_begidx()])
        return self._found[state] if state < len(self._found) else None
