"""Help on the language: the list of commands by group, and a page on each of them."""

from collections.abc import Iterable
from typing import Final

from drycell.base import did_you_mean
from drycell.languages.emula.routine import Routine, all_routines, routine_named

GROUPS: Final = {
    "moves": "Moves (the paper's are relative; AML's MOVE names its motors and is absolute)",
    "sensors": "Sensors and monitors",
    "assertions": "Assertions about the world, and changes to its model",
    "emulation": "Control of the emulation",
    "display": "Pictures",
    "session": "The session",
    "aggregates": "Aggregates and strings",
    "mathematics": "Mathematics",
}
TOPICS: Final = {
    "language": """\
  count: NEW 3                     a variable; every variable is declared
  count = count + 1                another value; '=' compares inside an expression
  place: NEW <1,2,3>               an aggregate; place(2) is 2, place + <0,0,1> goes element by element
  IF count LT 3 THEN open ELSE close
  WHILE count GT 0 DO BEGIN moveup (1); count = count - 1; END
  REPEAT movedown (.5) UNTIL SENSOR(1) GE 10
  twice: SUBR(a); RETURN(2 * a); END;
  operators: + - * / DIV MOD ** # (joins), EQ NE LT LE GT GE = <> < <= > >=, AND OR NOT
  statements end with ; or the line; /* comments */ and -- comments; upper and lower case are the same""",
    "until": """\
  movedown (10) until sensors (1,2) exceed (10)
  The move stops as soon as any of the sensors is at the limit or above it. ATTACH gives sensors their values.""",
    "monitors": """\
  m: NEW MONITOR(<1,2>, 10)        a guard as a value
  MOVE(GRIPPER, 0, m)              the move stops when one of the sensors is at the limit or above it
  IF QMONITOR(m) = 1 THEN ...      1 if that happened
  ENDMONITOR(m)                    the monitor is no longer wanted""",
}
"""What is no command, but worth a page."""


def overview() -> str:
    """All commands by group, with the first form of each."""
    lines = []
    for group, title in GROUPS.items():
        lines.append(title)
        members = [each for each in all_routines() if each.group == group]
        lines.extend(
            f"  {line}" for line in _wrapped(each.name if not each.gives else each.name.upper() for each in members)
        )
    lines.append(f"'help NAME' says more of each, and of {', '.join(TOPICS)}. 'quit' or Ctrl-D ends the session.")
    return "\n".join(lines)


def page(name: str) -> str:
    """Help on one command or topic."""
    asked = name.strip().lower()
    if asked in TOPICS:
        return TOPICS[asked]
    known = routine_named(asked)
    if known is None:
        return f"  there is no help on {name.strip()[:40]!r}: {did_you_mean(asked, _subjects())}"
    return "\n".join([*(f"  {usage}" for usage in known.usage), f"  {known.summary}"])


def _subjects() -> Iterable[str]:
    return [*TOPICS, *(each.name for each in all_routines())]


def _wrapped(names: Iterable[str], width: int = 100) -> list[str]:
    lines = [""]
    for name in names:
        if len(lines[-1]) + len(name) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {name}".strip()
    return lines


def describe(known: Routine) -> str:
    """One line on a command."""
    return f"{known.usage[0]}: {known.summary}"
