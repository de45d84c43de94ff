"""The checker of programs and units: declarations, routines, and what a program gets from the units it uses."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count

from drycell.languages.kit import Source, TooMany
from drycell.languages.pascal import syntax
from drycell.languages.pascal.builtins import FUNCTIONS, PROCEDURES
from drycell.languages.pascal.constants import constant
from drycell.languages.pascal.fault import PascalError
from drycell.languages.pascal.parser import Reading, read
from drycell.languages.pascal.symbols import (
    Builtin,
    ConstantSymbol,
    Routine,
    Scope,
    Symbol,
    TypeSymbol,
    Variable,
)
from drycell.languages.pascal.type_check import TypeChecker
from drycell.languages.pascal.types import (
    BOOLEAN,
    INTEGER as INTEGER_TYPE,
    MAX_INT,
    STANDARD,
    UNKNOWN,
    Array,
    Type,
    Unknown,
)

FindUnit = Callable[[str], Source | None]
SCORPAS = "scorpas"


@dataclass(slots=True, eq=False)
class Checked:
    """A program or unit that is in order."""

    program: syntax.Program
    main: Routine
    exported: dict[str, Symbol]
    uses: list["Checked"] = field(default_factory=list)
    stubs: dict[str, Routine] = field(default_factory=dict)

    def all(self) -> list["Checked"]:
        """Itself and what it uses, directly or not, in the order in which they start."""
        found: list[Checked] = []
        for each in (*(inner for unit in self.uses for inner in unit.all()), self):
            if each not in found:
                found.append(each)
        return found


def standard_scope() -> Scope:
    """What every program knows without a declaration."""
    scope = Scope()
    for name, kind in STANDARD.items():
        scope.names[name] = TypeSymbol(name, kind)
    for name in (*FUNCTIONS, *PROCEDURES):
        scope.names[name] = Builtin(name, name)
    scope.names["true"] = ConstantSymbol("true", True, BOOLEAN)
    scope.names["false"] = ConstantSymbol("false", False, BOOLEAN)
    scope.names["maxint"] = ConstantSymbol("maxint", MAX_INT, INTEGER_TYPE)
    return scope


class Library:
    """Reads and checks programs and the units they use, each unit once."""

    def __init__(self, find_unit: FindUnit) -> None:
        self._find = find_unit
        self._units: dict[str, Checked | None] = {}
        self._numbers = count(1)

    def load(self, source: Source) -> Checked:
        """A program with all it needs. All its mistakes come in one error."""
        reading = read(source)
        if reading.program is None:
            reading.diagnostics.raise_any(PascalError)
            raise PascalError(f"{source.file} holds no program")
        if reading.program.unit:
            raise PascalError(f"{source.file} is a unit, not a program", hint="run a program that uses it")
        return self._checked(reading, reading.program)

    def unit(self, name: str) -> Checked | None:
        """A unit by its name; None if there is none, or if it uses itself."""
        if name not in self._units:
            self._units[name] = None
            source = self._find(name)
            if source is not None:
                reading = read(source)
                if reading.program is None or not reading.program.unit:
                    reading.diagnostics.raise_any(PascalError)
                    raise PascalError(f"{source.file} is no unit", hint=f"it should begin with unit {name};")
                self._units[name] = self._checked(reading, reading.program)
        return self._units[name]

    def names_of(self, unit: str) -> Sequence[str]:
        """The names that a unit would bring."""
        found = self.unit(unit)
        return list(found.exported) if found is not None else []

    def _checked(self, reading: Reading, program: syntax.Program) -> Checked:
        main = Routine(program.name.written, [], None, None, number=next(self._numbers))
        scope, used = standard_scope(), list[Checked]()
        checker = Checker(reading, program, scope, main, self._numbers)
        try:
            for name in program.uses:
                if name.name in ("system",):
                    continue
                unit = self.unit(name.name)
                if unit is None:
                    checker.complain(
                        name, f"there is no unit '{name.written}'", f"put {name.name}.pas beside the program"
                    )
                    checker.stubs_allowed = True  # what it would bring is unknown, not wrong
                    continue
                used.append(unit)
                scope.names |= unit.exported
            if not program.unit and SCORPAS not in (name.name for name in program.uses):
                checker.hints = dict.fromkeys(
                    self.names_of(SCORPAS), "it is in ScorPas: write uses ScorPas; at the top"
                )
            exported = checker.program(program)
        except TooMany:
            exported = {}
        reading.diagnostics.raise_any(PascalError)
        return Checked(program, main, exported, used, checker.stubs)


class Checker(TypeChecker):
    """Looks at one program or unit."""

    def __init__(
        self, reading: Reading, program: syntax.Program, scope: Scope, main: Routine, numbers: "count[int]"
    ) -> None:
        super().__init__(program.source, reading.diagnostics, program.skipped, Scope(scope), main)
        self._numbers = numbers
        self._unit = program.name.name if program.unit else ""
        self.pending = []
        self.stubs = {}
        self.stubs_allowed = any(name.name == SCORPAS for name in program.uses)

    def program(self, node: syntax.Program) -> dict[str, Symbol]:
        """The whole of it; returns what a unit brings to others."""
        self.note_labels(node.body.statements)
        self._declarations(node.body.declarations[: node.exported], interface=True)
        exported = dict(self.scope.names) if node.unit else {}
        self._declarations(node.body.declarations[node.exported :])
        self._bodiless(node.body)
        self.outermost(node.body.statements)
        self.main.body = node.body
        return exported

    def _declarations(self, declared: Sequence[syntax.Declaration], *, interface: bool = False) -> None:
        for each in declared:
            if self.pending and not isinstance(each, syntax.TypeDefinition):
                self.resolve_pointers()
            match each:
                case syntax.Label():
                    self.declare(
                        syntax.Name(each.start, each.end, f"label {each.name}", each.name), Symbol(f"label {each.name}")
                    )
                case syntax.Constant():
                    self._constant(each)
                case syntax.TypeDefinition():
                    self.declare(each.name, TypeSymbol(each.name.written, self.type_of(each.kind, each.name.written)))
                case syntax.Variables():
                    self._variables(each)
                case syntax.RoutineDeclaration():
                    self._routine(each, interface)
        self.resolve_pointers()

    def _constant(self, node: syntax.Constant) -> None:
        if node.kind is not None:
            kind = self.type_of(node.kind)
            # Turbo's typed constants keep their value from call to call: all of them belong to the program.
            variable = Variable(node.name.written, kind, self.main, python=f"s{next(self._numbers)}_{node.name.name}")
            self.declare(node.name, variable)
            self.main.variables.append(variable)
            self.main.values.append((variable, self._first_value(node.value, kind)))
            return
        kind = self.check(node.value)
        value: object = constant(node.value)
        if value is None and isinstance(node.value, syntax.Nil):
            self.declare(node.name, ConstantSymbol(node.name.written, None, kind))
            return
        if value is None and isinstance(node.value, syntax.Members):
            value = self._set_value(node.value)
        if value is None and not isinstance(kind, Unknown):
            self.complain(node.value, f"the value of the constant '{node.name.written}' is not known beforehand")
        known = value if isinstance(value, (int, float, str, frozenset)) else 0
        self.declare(node.name, ConstantSymbol(node.name.written, known, UNKNOWN if value is None else kind))

    def _set_value(self, node: syntax.Members) -> frozenset[int | str] | None:
        found = set[int | str]()
        for low, high in node.items:
            limits = [self.ordinal_constant(each, "a member of a constant set") for each in (low, high or low)]
            if limits[0] is None or limits[1] is None:
                return None
            kind = limits[0][0]
            found.update(kind.value(number) for number in range(limits[0][1], min(limits[1][1], 255) + 1))
        return frozenset(found)

    def _first_value(self, node: syntax.Expression, kind: Type) -> object:
        """The first value of a typed constant, as the program will hold it."""
        if isinstance(kind, Array) and isinstance(node, syntax.Call) and not node.target.name:
            if len(node.arguments) != kind.length:
                self.complain(node, f"the array has {kind.length} elements, {len(node.arguments)} given")
            return [self._first_value(each, kind.element) for each in node.arguments]
        if isinstance(node, syntax.Call) and not node.target.name:
            self.complain(node, f"a list cannot be the first value of {kind}")
            return None
        self.check(node)
        self.fits(node, kind, "this constant")
        value = self._set_value(node) if isinstance(node, syntax.Members) else constant(node)
        if value is None and not isinstance(node.type, Unknown) and not isinstance(node, syntax.Nil):
            self.complain(node, "the first value of a typed constant is not known beforehand")
        if kind.name == "real" and isinstance(value, int):
            return float(value)
        return list(value) if isinstance(kind, Array) and isinstance(value, str) else value

    def _variables(self, node: syntax.Variables) -> None:
        kind = self.type_of(node.kind)
        for name in node.names:
            self._variable(name, kind)

    def _variable(self, name: syntax.Name, kind: Type) -> Variable:
        owner = self.routine
        python = f"{self._unit}__{name.name}" if self._unit and owner is self.main else f"v_{name.name}"
        made = Variable(name.written, kind, owner, python=python)
        self.declare(name, made)
        owner.variables.append(made)
        return made

    # ---------------------------------------------------------------- routines

    def _routine(self, node: syntax.RoutineDeclaration, interface: bool) -> None:
        known = self.scope.names.get(node.name.name)
        if isinstance(known, Routine) and known.forward:
            made = known
            if node.parameters and not node.unread:
                self._same_head(node, known)
        else:
            made = self._head(node)
            self.declare(node.name, made)
            self.routine.routines.append(made)
        if node.directive == "external":
            made.external, made.forward = True, False
            made.python = f"x_{node.name.name}"
            return
        if node.directive == "forward" or interface:
            made.forward = True
            return
        made.forward = False
        if node.body is not None:
            self._inner(node, made, node.body)

    def _head(self, node: syntax.RoutineDeclaration) -> Routine:
        python = f"{self._unit}__f_{node.name.name}" if self._unit else f"f_{node.name.name}"
        made = Routine(node.name.written, [], None, self.routine, number=next(self._numbers), unit=self._unit)
        made.python = python
        made.stub = node.unread
        for group in node.parameters:
            kind = self.type_of(group.kind)
            self.resolve_pointers()
            for name in group.names:
                if any(each.written.lower() == name.name for each in made.parameters):
                    self.complain(name, f"there are two parameters '{name.written}'", "rename one of them")
                made.parameters.append(
                    Variable(
                        name.written,
                        kind,
                        made,
                        by_reference=group.by_reference,
                        constant=group.constant,
                        python=f"v_{name.name}",
                    )
                )
        if node.function:
            made.result = UNKNOWN
            if node.result is None and not node.unread:
                self.complain(node.name, f"the function {node.name.written} has no type", "write : integer behind it")
            elif node.result is not None:
                made.result = self.type_of(node.result)
                self.resolve_pointers()
        return made

    def _same_head(self, node: syntax.RoutineDeclaration, known: Routine) -> None:
        """The parameters again, behind a forward declaration: they must be the same."""
        again = [(name.name, group.by_reference) for group in node.parameters for name in group.names]
        if again != [(each.written.lower(), each.by_reference) for each in known.parameters]:
            self.complain(node.name, f"{known.written} was announced with other parameters")

    def _inner(self, node: syntax.RoutineDeclaration, made: Routine, body: syntax.Body) -> None:
        outer = self.scope, self.routine
        self.scope, self.routine = Scope(self.scope), made
        for each in made.parameters:
            self.scope.names.setdefault(each.written.lower(), each)
        self.note_labels(body.statements)
        self._declarations(body.declarations)
        self._bodiless(body)
        self.outermost(body.statements)
        made.body = body
        self.scope, self.routine = outer

    def _bodiless(self, body: syntax.Body) -> None:
        waiting = {each.written.lower(): each for each in self.routine.routines if each.forward}
        for node in body.declarations:
            if isinstance(node, syntax.RoutineDeclaration) and (each := waiting.pop(node.name.name, None)) is not None:
                self.complain(node.name, f"{each.kind} {each.written} is announced, but never written")
