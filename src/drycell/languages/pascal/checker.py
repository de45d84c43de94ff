"""The checker: types, names, and what a program gets from the units it uses.

It gives each expression its type and each name its symbol (see ``syntax``), so that the translator asks no questions.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar, Final

from drycell.base import did_you_mean
from drycell.languages.kit import Diagnostic, SourceText, TooMany
from drycell.languages.pascal import syntax
from drycell.languages.pascal.constants import bounds, constant, in_range, number_of
from drycell.languages.pascal.parser import ParsedText, PascalError, read
from drycell.languages.pascal.symbols import (
    EXAMPLES,
    FUNCTIONS,
    PROCEDURES,
    Builtin,
    ConstantSymbol,
    RoutineSymbol,
    Symbol,
    SymbolTable,
    TypeSymbol,
    VariableSymbol,
    WithField,
    result_of,
)
from drycell.languages.pascal.types import (
    BOOLEAN,
    CHAR,
    INTEGER,
    LARGEST_ARRAY,
    LARGEST_SET,
    LONGEST_STRING,
    MAX_INT,
    MIN_INT,
    REAL,
    STANDARD,
    STRING,
    UNKNOWN,
    ArrayType,
    Host,
    OrdinalType,
    PascalType,
    RecordType,
    SetType,
    StringType,
    UnknownType,
    assignable,
    is_boolean,
    is_integer,
    is_number,
    is_text,
    operation,
)

_DEEPEST_LOOPS: Final = 12
"""Loops inside each other; Python, to which programs are translated, takes 20 blocks."""
FindUnit = Callable[[str], SourceText | None]
SCORPAS = "scorpas"


@dataclass(slots=True, eq=False)
class Checked:
    """A program or unit that is in order."""

    program: syntax.CompilationUnit
    main: RoutineSymbol
    exported: dict[str, Symbol]
    uses: list["Checked"] = field(default_factory=list)
    stubs: dict[str, RoutineSymbol] = field(default_factory=dict)

    def all(self) -> list["Checked"]:
        """Itself and what it uses, directly or not, in the order in which they start."""
        found: list[Checked] = []
        for each in (*(inner for unit in self.uses for inner in unit.all()), self):
            if each not in found:
                found.append(each)
        return found


class UnitLibrary:
    """Reads and checks programs and the units they use, each unit once."""

    def __init__(self, find_unit: FindUnit) -> None:
        self._find = find_unit
        self._units: dict[str, Checked | None] = {}
        self._numbers = count(1)

    def load(self, source: SourceText) -> Checked:
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

    def _checked(self, reading: ParsedText, program: syntax.CompilationUnit) -> Checked:
        main = RoutineSymbol(program.name.written, [], None, None, number=next(self._numbers))
        scope, used = standard_scope(), list[Checked]()
        checker = ProgramChecker(reading, program, scope, main, self._numbers)
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


class ProgramChecker:
    """Checks one program or unit. ``main`` is the program or unit as if it were a procedure."""

    def __init__(
        self,
        reading: ParsedText,
        program: syntax.CompilationUnit,
        scope: SymbolTable,
        main: RoutineSymbol,
        numbers: "count[int]",
    ) -> None:
        self.source = program.source
        self.diagnostics = reading.diagnostics
        self.skipped = program.skipped
        self.scope = SymbolTable(scope)
        self.main = main
        self.routine = main
        self.hints: dict[str, str] = {}
        """What to try when one of these names is unknown: those of units that are not used."""
        self.stubs: dict[str, RoutineSymbol] = {}
        """Routines that a program of ScorPas calls though nobody has declared them."""
        self.stubs_allowed = any(name.name == SCORPAS for name in program.uses)
        self._numbers = numbers
        self._unit = program.name.name if program.unit else ""
        self._loops = 0
        self._temps = 0

    def program(self, node: syntax.CompilationUnit) -> dict[str, Symbol]:
        """The whole of it; returns what a unit brings to others."""
        self._declarations(node.body.declarations[: node.exported], interface=True)
        exported = dict(self.scope.names) if node.unit else {}
        self._declarations(node.body.declarations[node.exported :])
        self._bodiless(node.body)
        self._list(node.body.statements)
        self.main.body = node.body
        return exported

    def _declarations(self, declared: Sequence[syntax.Declaration], *, interface: bool = False) -> None:
        for each in declared:
            match each:
                case syntax.ConstantDeclaration():
                    self._constant(each)
                case syntax.TypeDefinition():
                    self.declare(each.name, TypeSymbol(each.name.written, self.type_of(each.kind, each.name.written)))
                case syntax.VariableDeclaration():
                    self._variables(each)
                case syntax.RoutineDeclaration():
                    self._routine(each, interface)

    def _constant(self, node: syntax.ConstantDeclaration) -> None:
        if node.kind is not None:
            kind = self.type_of(node.kind)
            # Turbo's typed constants keep their value from call to call: all of them belong to the program.
            variable = VariableSymbol(
                node.name.written, kind, self.main, python=f"s{next(self._numbers)}_{node.name.name}"
            )
            self.declare(node.name, variable)
            self.main.variables.append(variable)
            self.main.values.append((variable, self._first_value(node.value, kind)))
            return
        kind = self.check(node.value)
        value = constant(node.value)
        if value is None and not isinstance(kind, UnknownType):
            self.complain(node.value, f"the value of the constant '{node.name.written}' is not known beforehand")
        self.declare(
            node.name,
            ConstantSymbol(node.name.written, 0 if value is None else value, UNKNOWN if value is None else kind),
        )

    def _first_value(self, node: syntax.Expression, kind: PascalType) -> object:
        """The first value of a typed constant, as the program will hold it."""
        if isinstance(kind, ArrayType) and isinstance(node, syntax.Call) and not node.target.name:
            if len(node.arguments) != kind.length:
                self.complain(node, f"the array has {kind.length} elements, {len(node.arguments)} given")
            return [self._first_value(each, kind.element) for each in node.arguments]
        if isinstance(node, syntax.Call) and not node.target.name:
            self.complain(node, f"a list cannot be the first value of {kind}")
            return None
        self.check(node)
        self.fits(node, kind, "this constant")
        value = constant(node)
        if value is None and not isinstance(node.type, UnknownType):
            self.complain(node, "the first value of a typed constant is not known beforehand")
        if kind.name == "real" and isinstance(value, int):
            return float(value)
        return list(value) if isinstance(kind, ArrayType) and isinstance(value, str) else value

    def _variables(self, node: syntax.VariableDeclaration) -> None:
        kind = self.type_of(node.kind)
        for name in node.names:
            self._variable(name, kind)

    def _variable(self, name: syntax.Name, kind: PascalType) -> VariableSymbol:
        owner = self.routine
        python = f"{self._unit}__{name.name}" if self._unit and owner is self.main else f"v_{name.name}"
        made = VariableSymbol(name.written, kind, owner, python=python)
        self.declare(name, made)
        owner.variables.append(made)
        return made

    # ---------------------------------------------------------------- routines

    def _routine(self, node: syntax.RoutineDeclaration, interface: bool) -> None:
        known = self.scope.names.get(node.name.name)
        if isinstance(known, RoutineSymbol) and known.forward:
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

    def _head(self, node: syntax.RoutineDeclaration) -> RoutineSymbol:
        python = f"{self._unit}__f_{node.name.name}" if self._unit else f"f_{node.name.name}"
        made = RoutineSymbol(node.name.written, [], None, self.routine, number=next(self._numbers), unit=self._unit)
        made.python = python
        made.stub = node.unread
        for group in node.parameters:
            kind = self.type_of(group.kind)
            for name in group.names:
                if any(each.written.lower() == name.name for each in made.parameters):
                    self.complain(name, f"there are two parameters '{name.written}'", "rename one of them")
                made.parameters.append(
                    VariableSymbol(
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
        return made

    def _same_head(self, node: syntax.RoutineDeclaration, known: RoutineSymbol) -> None:
        """The parameters again, behind a forward declaration: they must be the same."""
        again = [(name.name, group.by_reference) for group in node.parameters for name in group.names]
        if again != [(each.written.lower(), each.by_reference) for each in known.parameters]:
            self.complain(node.name, f"{known.written} was announced with other parameters")

    def _inner(self, node: syntax.RoutineDeclaration, made: RoutineSymbol, body: syntax.RoutineBody) -> None:
        outer = self.scope, self.routine, self._loops
        self.scope, self.routine, self._loops = SymbolTable(self.scope), made, 0
        for each in made.parameters:
            self.scope.names.setdefault(each.written.lower(), each)
        self._declarations(body.declarations)
        self._bodiless(body)
        self._list(body.statements)
        made.body = body
        self.scope, self.routine, self._loops = outer

    def _bodiless(self, body: syntax.RoutineBody) -> None:
        waiting = {each.written.lower(): each for each in self.routine.routines if each.forward}
        for node in body.declarations:
            if isinstance(node, syntax.RoutineDeclaration) and (each := waiting.pop(node.name.name, None)) is not None:
                self.complain(node.name, f"{each.kind} {each.written} is announced, but never written")

    def type_of(self, node: syntax.TypeExpression | None, name: str = "") -> PascalType:
        """The type that is written; a new one for each place where it is written."""
        match node:
            case None:
                return UNKNOWN
            case syntax.TypeName():
                return self._named(node)
            case syntax.StringOf():
                return self._string(node)
            case syntax.Range():
                return self._range(node, name)
            case syntax.Enumeration():
                return self._enumeration(node, name)
            case syntax.ArrayOf():
                return self._array(node, name)
            case syntax.SetOf():
                return self._set_of(node, name)
        made = RecordType(name or "this record")
        for names, written in node.fields:
            kind = self.type_of(written)
            for each in names:
                self._field_of(made, each, kind)
        return made

    def _named(self, node: syntax.TypeName) -> PascalType:
        symbol = self.scope.find(node.name)
        if isinstance(symbol, TypeSymbol):
            return symbol.type
        if symbol is None:
            self.unknown(node, "type", TypeSymbol)
        else:
            self.complain(node, f"'{node.written}' is not a type")
        return UNKNOWN

    def _string(self, node: syntax.StringOf) -> PascalType:
        if node.length is None:
            return STRING
        self.check(node.length)
        length = constant(node.length)
        if not isinstance(length, int) or not 1 <= length <= LONGEST_STRING:
            self.complain(node.length, f"the length of a string is a constant from 1 to {LONGEST_STRING}")
            return UNKNOWN
        return StringType(f"string[{length}]", length)

    def _range(self, node: syntax.Range, name: str) -> PascalType:
        self.check(node.low)
        self.check(node.high)
        low = self.ordinal_constant(node.low, "the first value of a range")
        high = self.ordinal_constant(node.high, "the last value of a range")
        if low is None or high is None:
            return UNKNOWN
        if low[0].host is not high[0].host:
            self.complain(node, f"a range from {low[0]} to {high[0]} is none")
            return UNKNOWN
        made = OrdinalType(name, low[0].host, low[1], high[1])
        made.name = name or made.limits
        if low[1] > high[1]:
            self.complain(node, f"the range {made.limits} is empty", "write the smaller value first")
            return UNKNOWN
        return made

    def _enumeration(self, node: syntax.Enumeration, name: str) -> PascalType:
        host = Host(name or "this enumeration", tuple(each.written for each in node.names))
        made = OrdinalType(host.name, host, 0, len(node.names) - 1)
        for number, each in enumerate(node.names):
            self.declare(each, ConstantSymbol(each.written, number, made))
        return made

    def _array(self, node: syntax.ArrayOf, name: str) -> PascalType:
        indices = [self.type_of(each) for each in node.indices]
        made = self.type_of(node.element)
        for place, index in reversed(list(enumerate(indices))):
            if isinstance(index, UnknownType) or isinstance(made, UnknownType):
                return UNKNOWN
            if not isinstance(index, OrdinalType) or index is INTEGER:
                self.complain(node.indices[place], f"the index of an array is a range, not {index}", "write 1..10")
                return UNKNOWN
            made = ArrayType("", index, made)
            made.name = (name if place == 0 else "") or f"array[{index.limits}] of {made.element}"
            if made.size > LARGEST_ARRAY:
                self.complain(
                    node, f"this array has {made.size} values, {LARGEST_ARRAY} are the most", "make it smaller"
                )
                return UNKNOWN
        return made

    def _set_of(self, node: syntax.SetOf, name: str) -> PascalType:
        element = self.type_of(node.element)
        if isinstance(element, UnknownType):
            return UNKNOWN
        if not isinstance(element, OrdinalType):
            self.complain(node.element, f"a set is of integers, chars, booleans or an enumeration, not of {element}")
            return UNKNOWN
        count = element.high - element.low + 1
        if count > LARGEST_SET:
            hint = "write SET OF 0..255" if is_integer(element) else None
            self.complain(node.element, f"{element} has {count} values; a set holds at most {LARGEST_SET}", hint)
            return UNKNOWN
        return SetType.of(element, name)

    def _field_of(self, made: RecordType, name: syntax.Name, kind: PascalType) -> None:
        if name.name in made.fields:
            self.complain(name, f"there are two fields '{name.written}'", "rename one of them")
            return
        made.fields[name.name] = (len(made.fields), kind)
        if made.size > LARGEST_ARRAY:
            self.complain(name, f"this record has more than {LARGEST_ARRAY} values", "make it smaller")
            made.fields[name.name] = (len(made.fields) - 1, CHAR)

    # ---------------------------------------------------------------- statements

    def _list(self, block: syntax.CompoundStatement) -> None:
        for each in block.body:
            self.statement(each)

    def statement(self, node: syntax.Statement) -> None:
        """Look at one statement."""
        self._STATEMENTS[node.__class__](self, node)

    # ---------------------------------------------------------------- loops

    def _loop(self, node: syntax.SyntaxNode, body: Callable[[], None]) -> None:
        self._loops += 1
        if self._loops > _DEEPEST_LOOPS:
            self.complain(node, f"more than {_DEEPEST_LOOPS} loops inside each other", "put inner ones in a procedure")
        body()
        self._loops -= 1

    def _while(self, node: syntax.While) -> None:
        self.condition(node.condition)
        self._loop(node, lambda: self.statement(node.body))

    def _repeat(self, node: syntax.Repeat) -> None:
        self._loop(node, lambda: self._list(node.body))
        self.condition(node.condition)

    def _for(self, node: syntax.For) -> None:
        kind = self.variable(node.variable, "what counts a FOR loop")
        symbol = node.variable.symbol
        for bound in (node.first, node.last):
            self.check(bound)
            alike = (
                isinstance(bound.type, OrdinalType) and isinstance(kind, OrdinalType) and bound.type.host is kind.host
            )
            if not alike and not isinstance(kind, UnknownType) and not isinstance(bound.type, UnknownType):
                self.complain(bound, f"'{node.variable.written}' is of type {kind}, this of type {bound.type}")
        if not isinstance(kind, (OrdinalType, UnknownType)):
            self.complain(node.variable, f"a FOR loop counts with integers, chars or enumerations, not with {kind}")
        if isinstance(symbol, WithField) or (isinstance(symbol, VariableSymbol) and symbol.by_reference):
            self.complain(node.variable, "a FOR loop counts with a variable of its own", "declare one")
            symbol = None
        if isinstance(symbol, VariableSymbol):
            symbol.counting += 1
        self._loop(node, lambda: self.statement(node.body))
        if isinstance(symbol, VariableSymbol):
            symbol.counting -= 1

    # ---------------------------------------------------------------- simple statements

    def _assign(self, node: syntax.Assign) -> None:
        target = node.target
        if isinstance(target, syntax.Name):
            symbol = self.scope.find(target.name)
            if isinstance(symbol, RoutineSymbol) and symbol.result is not None and self._inside(symbol):
                target.symbol, target.type = symbol, symbol.result
                self.check(node.value)
                self.fits(node.value, symbol.result, f"the result of {symbol.written}")
                return
        kind = self.variable(target, "what stands before :=")
        self.check(node.value)
        if not isinstance(kind, UnknownType):
            self.fits(node.value, kind, self.excerpt(target))

    def _inside(self, routine: RoutineSymbol) -> bool:
        here: RoutineSymbol | None = self.routine
        while here is not None and here is not routine:
            here = here.owner
        return here is routine

    def _invoke(self, node: syntax.Invoke) -> None:
        call = node.call
        symbol = self.scope.find(call.target.name)
        if isinstance(symbol, Builtin) and symbol.name not in FUNCTIONS:
            call.target.symbol = symbol
            self._standard_procedure(call, symbol.name)
            return
        if symbol is None and self.stubs_allowed and call.target.name not in self.skipped:
            hint = did_you_mean(call.target.written, self.scope.known(RoutineSymbol, Builtin))
            if call.target.name not in self.hints and not hint.startswith("did you mean"):
                self._make_stub(call)
        self.call(call, statement=True)

    def _make_stub(self, call: syntax.Call) -> None:
        """A routine of ScorPas that the thesis does not list: it does nothing, and that is reported."""
        name = call.target.name
        self.stubs[name] = stub = RoutineSymbol(
            call.target.written, [], None, None, external=True, stub=True, python=f"x_{name}"
        )
        scope = self.scope
        while scope.outer is not None and scope.outer.outer is not None:
            scope = scope.outer
        scope.names[name] = stub

    def _if(self, node: syntax.If) -> None:
        link: syntax.Statement | None = node
        while isinstance(link, syntax.If):
            self.condition(link.condition)
            self.statement(link.yes)
            link = link.no
        if link is not None:
            self.statement(link)

    def _case(self, node: syntax.Case) -> None:
        kind = self.check(node.selector)
        if not isinstance(kind, (OrdinalType, UnknownType)):
            self.complain(node.selector, f"CASE takes an integer, char or enumeration, this is of type {kind}")
        seen: list[tuple[int, int]] = []
        for branch in node.branches:
            for low, high in branch.labels:
                limits = self._limits(low, high, kind)
                if limits is None:
                    continue
                if any(a <= limits[1] and limits[0] <= b for a, b in seen):
                    self.complain(low, "this value has a branch already")
                seen.append(limits)
                branch.values.append(limits)
            self.statement(branch.body)
        if node.otherwise is not None:
            self._list(node.otherwise)

    def _limits(
        self, low: syntax.Expression, high: syntax.Expression | None, kind: PascalType
    ) -> tuple[int, int] | None:
        numbers = []
        for each in (low, high or low):
            if each is low or high is not None:
                self.check(each)
            found = self.ordinal_constant(each, "the value of a branch")
            if found is None:
                return None
            if isinstance(kind, OrdinalType) and found[0].host is not kind.host:
                self.complain(each, f"this CASE is of type {kind}, this value of type {found[0]}")
                return None
            numbers.append(found[1])
        return numbers[0], numbers[1]

    def _with(self, node: syntax.With) -> None:
        outer = self.scope
        for each in node.records:
            kind = self.check(each)
            self._temps += 1
            node.temps.append(f"_with{self._temps}")
            if not isinstance(kind, RecordType):
                if not isinstance(kind, UnknownType):
                    self.complain(each, f"WITH opens a record, this is of type {kind}")
                continue
            self.scope = SymbolTable(self.scope)
            for name, (place, inner) in kind.fields.items():
                self.scope.names[name] = WithField(name, inner, node.temps[-1], place)
        self.statement(node.body)
        self.scope = outer

    def _empty(self, node: syntax.Empty) -> None:
        pass

    # ---------------------------------------------------------------- procedures with rules of their own

    def _standard_procedure(self, node: syntax.Call, name: str) -> None:
        given = node.arguments
        match name, len(given):
            case (("write" | "writeln"), _):
                for each in given:
                    self._printed(each)
            case (("read" | "readln"), _):
                for each in given:
                    self.variable(each, "what is read")
            case (("inc" | "dec"), (1 | 2)):
                kind = self.variable(given[0], f"what goes to {name}")
                if not isinstance(kind, (OrdinalType, UnknownType)) or is_boolean(kind):
                    self.complain(given[0], f"{name} takes an integer, char or enumeration, this is of type {kind}")
                for each in given[1:]:
                    self.check(each)
                    self.fits(each, INTEGER, "the step")
            case "str", 2:
                self._printed(given[0])
                self._string_variable(given[1], "str")
            case "val", 3:
                self.check(given[0])
                self.fits(given[0], StringType("string", 255), "what val reads")
                kind = self.variable(given[1], "what val sets")
                if not is_number(kind) and not isinstance(kind, UnknownType):
                    self.complain(given[1], f"val gives a number, this is of type {kind}")
                if not is_integer(self.variable(given[2], "the code of val")):
                    self.complain(given[2], "the code of val is an integer")
            case "insert", 3:
                if not is_text(self.check(given[0])):
                    self.complain(given[0], "insert takes a string")
                self._string_variable(given[1], "insert")
                self._integers(given[2:])
            case "delete", 3:
                self._string_variable(given[0], "delete")
                self._integers(given[1:])
            case "halt", (0 | 1):
                self._integers(given)
            case "exit", (0 | 1):
                self._exit(given)
            case (("include" | "exclude"), 2):
                kind = self.variable(given[0], f"the set of {name}")
                self.check(given[1])
                if isinstance(kind, SetType) and kind.element is not None:
                    self.fits(given[1], kind.element, f"an element of {self.excerpt(given[0])}")
                elif not isinstance(kind, UnknownType):
                    self.complain(given[0], f"{name} changes a set, this is of type {kind}")
            case (("break" | "continue"), 0):
                self._leave(node, name)
            case "randomize", 0:
                pass
            case _:
                self.complain(node, f"{name} is not called like this", f"write {EXAMPLES.get(name, name)}")

    def _printed(self, node: syntax.Expression) -> None:
        value = node
        if isinstance(node, syntax.Formatted):
            value, node.type = node.value, INTEGER
            self._integers([each for each in (node.width, node.decimals) if each is not None])
        kind = self.check(value)
        if isinstance(node, syntax.Formatted) and node.decimals is not None and not is_number(kind):
            self.complain(node.decimals, f"only numbers have decimals, this is of type {kind}")
        if not (is_number(kind) or is_text(kind) or is_boolean(kind) or isinstance(kind, UnknownType)):
            hint = "write ord(…) of it" if isinstance(kind, OrdinalType) else None
            self.complain(value, f"a value of type {kind} cannot be written", hint)

    def _string_variable(self, node: syntax.Expression, name: str) -> None:
        kind = self.variable(node, f"the string of {name}")
        if not isinstance(kind, (StringType, UnknownType)):
            self.complain(node, f"{name} changes a string, this is of type {kind}")

    def _integers(self, nodes: list[syntax.Expression]) -> None:
        for each in nodes:
            self.check(each)
            self.fits(each, INTEGER, "this argument")

    def _exit(self, given: list[syntax.Expression]) -> None:
        for each in given:
            self.check(each)
            if self.routine.result is None:
                self.complain(each, "only a function has a value to exit with")
            else:
                self.fits(each, self.routine.result, f"the result of {self.routine.written}")

    def _leave(self, node: syntax.Call, name: str) -> None:
        if not self._loops:
            self.complain(node, f"{name} stands in no loop")

    _STATEMENTS: ClassVar[dict[type, Callable[..., None]]] = {
        syntax.Assign: _assign,
        syntax.Invoke: _invoke,
        syntax.CompoundStatement: _list,
        syntax.If: _if,
        syntax.While: _while,
        syntax.Repeat: _repeat,
        syntax.For: _for,
        syntax.Case: _case,
        syntax.With: _with,
        syntax.Empty: _empty,
    }

    def check(self, node: syntax.Expression) -> PascalType:
        """The type of an expression, which it now knows."""
        node.type = kind = self._CHECKS[node.__class__](self, node)
        return kind

    def condition(self, node: syntax.Expression) -> None:
        """See that an expression is true or false."""
        kind = self.check(node)
        if not is_boolean(kind) and not isinstance(kind, UnknownType):
            self.complain(node, f"a condition is true or false, this is of type {kind}")

    def variable(self, node: syntax.Expression, purpose: str) -> PascalType:
        """The type of an expression that must be a variable which may be changed here."""
        kind = self.check(node)
        symbol = node.symbol if isinstance(node, syntax.Name) else None
        if isinstance(symbol, VariableSymbol) and symbol.counting:
            self.complain(node, f"'{symbol.written}' counts the FOR loop around this and cannot be changed in it")
        whole = node
        while isinstance(whole, (syntax.Index, syntax.FieldAccess)):
            whole = whole.of
        held = whole.symbol if isinstance(whole, syntax.Name) else None
        if isinstance(held, VariableSymbol) and held.constant:
            self.complain(node, f"'{held.written}' is a CONST parameter and cannot be changed", "leave CONST out")
        if not self.is_variable(node) and not isinstance(kind, UnknownType):
            self.complain(node, f"{purpose} must be a variable")
        return kind

    def is_variable(self, node: syntax.Expression) -> bool:
        """Whether something can be assigned to an expression."""
        match node:
            case syntax.Name():
                return isinstance(node.symbol, (VariableSymbol, WithField))
            case syntax.Index() | syntax.FieldAccess():
                return self.is_variable(node.of)
        return False

    # ---------------------------------------------------------------- operands

    def _number(self, node: syntax.Number) -> PascalType:
        if isinstance(node.value, float):
            return REAL
        if node.value > MAX_INT:
            self.complain(node, f"{node.value} is beyond the integers", f"{MIN_INT} to {MAX_INT}, or write a real")
        return INTEGER

    def _text(self, node: syntax.StringLiteral) -> PascalType:
        return CHAR if len(node.value) == 1 else StringType("string", len(node.value))

    def _name(self, node: syntax.Name) -> PascalType:
        symbol = node.symbol = self.scope.find(node.name)
        match symbol:
            case None:
                self.unknown(
                    node, "variable, constant or function", VariableSymbol, WithField, ConstantSymbol, RoutineSymbol
                )
                return UNKNOWN
            case VariableSymbol() | WithField() | ConstantSymbol():
                return symbol.type
            case RoutineSymbol():
                return self._called(node, symbol, [])
            case Builtin():
                return self._standard(node, symbol.name, [])
        self.complain(node, f"'{node.written}' is a type, not a value")
        return UNKNOWN

    def _index(self, node: syntax.Index) -> PascalType:
        of, index = self.check(node.of), self.check(node.index)
        if isinstance(of, UnknownType) or isinstance(index, UnknownType):
            return UNKNOWN
        if isinstance(of, StringType):
            if not is_integer(index):
                self.complain(node.index, f"the index of a string is an integer, this is of type {index}")
            return CHAR
        if not isinstance(of, ArrayType):
            self.complain(node.of, f"only arrays and strings have an index, this is of type {of}")
            return UNKNOWN
        self.fits(node.index, of.index, f"the index of {self.excerpt(node.of)}")
        return of.element

    def _field(self, node: syntax.FieldAccess) -> PascalType:
        of = self.check(node.of)
        if isinstance(of, UnknownType):
            return UNKNOWN
        if not isinstance(of, RecordType):
            self.complain_at(node.at, node.end, f"only records have fields, this is of type {of}")
            return UNKNOWN
        found = of.fields.get(node.name)
        if found is None:
            self.complain_at(
                node.at, node.end, f"{of} has no field '{node.written}'", did_you_mean(node.written, of.fields)
            )
            return UNKNOWN
        return found[1]

    def _set(self, node: syntax.SetConstructor) -> PascalType:
        made = SetType.of(None)
        for low, high in node.items:
            for each in (low,) if high is None else (low, high):
                kind = self.check(each)
                if isinstance(kind, UnknownType):
                    return UNKNOWN
                if not isinstance(kind, OrdinalType):
                    self.complain(each, f"a set is of integers, chars, booleans or an enumeration, not of {kind}")
                    return UNKNOWN
                single = SetType.of(OrdinalType(kind.host.name, kind.host, *bounds(each)))
                if not made.goes_with(single):
                    self.complain(each, f"this is a {made}, this value is of type {kind}")
                    return UNKNOWN
                made = made.joined(single)
            count = 1 if high is None else bounds(high)[0] - bounds(low)[1] + 1
            if count > LARGEST_SET:
                self.complain_at(
                    low.start, node.end, f"this range has {count} values; a set holds at most {LARGEST_SET}"
                )
                return UNKNOWN
        return made

    def _formatted(self, node: syntax.Formatted) -> PascalType:
        self.check(node.value)
        self.complain(node, "a width goes only with WRITE, WRITELN and STR")
        return node.value.type

    # ---------------------------------------------------------------- operators and calls

    def _unary(self, node: syntax.Unary) -> PascalType:
        kind = self.check(node.operand)
        if isinstance(kind, UnknownType):
            return UNKNOWN
        if node.operator == "not":
            if is_boolean(kind):
                return BOOLEAN
            if is_integer(kind):
                return INTEGER
            self.complain(node, f"NOT takes a boolean or an integer, this is of type {kind}")
            return UNKNOWN
        if is_integer(kind):
            return INTEGER
        if kind is not REAL:
            self.complain(node, f"a sign goes with numbers, this is of type {kind}")
            return UNKNOWN
        return REAL

    def _binary(self, node: syntax.Binary) -> PascalType:
        left, right = self.check(node.left), self.check(node.right)
        if isinstance(left, UnknownType) or isinstance(right, UnknownType):
            return BOOLEAN if node.operator in ("=", "<>", "<", "<=", ">", ">=", "in") else UNKNOWN
        found = operation(node.operator, left, right)
        if isinstance(found, PascalType):
            if node.operator in ("/", "div", "mod") and constant(node.right) == 0:
                self.complain(node.right, "this divides by zero")
            return found
        self.complain_at(node.at, node.at + len(node.operator), found.what, found.hint)
        return UNKNOWN

    def call(self, node: syntax.Call, *, statement: bool = False) -> PascalType | None:
        """The type of a call; None for a procedure."""
        target = node.target
        symbol = target.symbol = self.scope.find(target.name)
        match symbol:
            case RoutineSymbol():
                return self._called(node, symbol, node.arguments, statement=statement)
            case Builtin() if symbol.name in FUNCTIONS:
                kind = self._standard(node, symbol.name, node.arguments)
                if statement:
                    self.complain(node, f"{symbol.written} is a function: its value is not used", "assign it")
                return kind
            case Builtin():
                self.complain(target, f"{symbol.written} is a procedure and has no value")
                return UNKNOWN
            case TypeSymbol():
                return self._cast(node, symbol)
        for each in node.arguments:
            self.check(each)
        if symbol is None:
            self.unknown(target, "procedure or function", RoutineSymbol, Builtin)
        else:
            self.complain(target, f"'{target.written}' is neither a procedure nor a function")
        return UNKNOWN

    def _call(self, node: syntax.Call) -> PascalType:
        return self.call(node) or UNKNOWN

    def _called(
        self,
        node: syntax.Expression,
        routine: RoutineSymbol,
        given: list[syntax.Expression],
        *,
        statement: bool = False,
    ) -> PascalType:
        self.routine.calls.add(routine.number)
        wanted = routine.parameters
        if routine.stub:
            for each in given:
                self.check(each)
        elif len(given) != len(wanted):
            for each in given:
                self.check(each)
            names = ", ".join(f"{each.written}: {each.type}" for each in wanted) or "none"
            self.complain(
                node, f"{routine.written} takes {_arguments(len(wanted))}, {len(given)} given", f"they are {names}"
            )
        else:
            for argument, parameter in zip(given, wanted, strict=True):
                self._argument(argument, parameter)
        if routine.result is None and not statement:
            self.complain(node, f"{routine.written} is a procedure and has no value")
        return routine.result or UNKNOWN

    def _argument(self, node: syntax.Expression, parameter: VariableSymbol) -> None:
        if not parameter.by_reference:
            self.check(node)
            self.fits(node, parameter.type, f"the parameter '{parameter.written}'")
            return
        kind = self.variable(node, f"what goes to the VAR parameter '{parameter.written}'")
        if isinstance(kind, UnknownType) or isinstance(parameter.type, UnknownType):
            return
        if isinstance(node, syntax.Index) and isinstance(node.of.type, StringType):
            self.complain(node, "a character of a string cannot go to a VAR parameter", "put it into a variable first")
        elif kind is not parameter.type:
            self.complain(
                node,
                f"the VAR parameter '{parameter.written}' is of type {parameter.type}, this of type {kind}",
                "both must have the very same type",
            )
        symbol = node.symbol if isinstance(node, syntax.Name) else None
        if isinstance(symbol, VariableSymbol) and not symbol.by_reference and not kind.structured:
            symbol.boxed = True

    def _standard(self, node: syntax.Expression, name: str, given: list[syntax.Expression]) -> PascalType:
        if name not in FUNCTIONS:
            self.complain(node, f"{name} is a procedure and has no value")
            return UNKNOWN
        signature = FUNCTIONS[name]
        kinds = [self.check(each) for each in given]
        if not signature.counts(len(given)):
            self.complain(node, f"{name} takes {_arguments(len(signature.arguments))}, {len(given)} given")
            return UNKNOWN
        for place, (each, kind) in enumerate(zip(given, kinds, strict=True)):
            wanted = signature.kind(place)
            if not isinstance(kind, UnknownType) and not wanted.test(kind):
                self.complain(each, f"{name} takes {wanted.words}, this is of type {kind}")
                return UNKNOWN
        return result_of(name, kinds)

    def _cast(self, node: syntax.Call, symbol: TypeSymbol) -> PascalType:
        kinds = [self.check(each) for each in node.arguments]
        if (
            isinstance(symbol.type, OrdinalType)
            and len(kinds) == 1
            and isinstance(kinds[0], (OrdinalType, UnknownType))
        ):
            return symbol.type
        self.complain(node, f"this cannot be made a value of type {symbol.type}")
        return UNKNOWN

    def excerpt(self, node: syntax.SyntaxNode) -> str:
        """A piece of the text, in a sentence."""
        text = " ".join(self.source.text[node.start : node.end].split())
        return f"'{text[:30]}'"

    _CHECKS: ClassVar[dict[type, Callable[..., PascalType]]] = {
        syntax.Number: _number,
        syntax.StringLiteral: _text,
        syntax.Name: _name,
        syntax.Index: _index,
        syntax.FieldAccess: _field,
        syntax.Formatted: _formatted,
        syntax.Unary: _unary,
        syntax.Binary: _binary,
        syntax.Call: _call,
        syntax.SetConstructor: _set,
    }

    # ---------------------------------------------------------------- mistakes and common rules

    def complain(self, node: syntax.SyntaxNode, what: str, hint: str | None = None) -> None:
        """Tell of a mistake where something stands."""
        self.complain_at(node.start, node.end, what, hint)

    def complain_at(self, start: int, end: int, what: str, hint: str | None = None) -> None:
        """Tell of a mistake in a stretch of the text."""
        self.diagnostics.add(Diagnostic(self.source.span(start, max(end, start + 1)), what, hint))

    def unknown(self, node: syntax.Name | syntax.TypeName, what: str, *kinds: type[Symbol]) -> None:
        """Tell that a name is not known, and which names of some kinds are like it."""
        name, written = node.name, node.written
        if name not in self.skipped:
            hint = self.hints.get(name) or did_you_mean(written, self.scope.known(*kinds))
            self.complain(node, f"there is no {what} '{written}' here", hint)
            self.skipped.add(name)  # told once

    def declare(self, name: syntax.Name, symbol: Symbol) -> None:
        """Make a name known in the scope at hand."""
        if name.name in self.scope.names:
            self.complain(name, f"'{name.written}' is declared already in this block", "rename one of them")
            return
        self.scope.names[name.name] = symbol

    def fits(self, node: syntax.Expression, target: PascalType, purpose: str) -> None:
        """See that a value goes into a variable of a type; constants are seen to be in its range at once."""
        kind = node.type
        if not assignable(target, kind):
            hint = None
            if isinstance(target, OrdinalType) and kind.name == "real":
                hint = "use trunc or round to make an integer of it"
            elif isinstance(target, ArrayType) or target.structured:
                hint = "two types written alike are two types: give the type a name, and use it for both"
            self.complain(node, f"{purpose} is of type {target}, this of type {kind}", hint)
            return
        value = constant(node)
        element = target.element if isinstance(target, SetType) else target
        if isinstance(element, OrdinalType) and value is not None:
            for each in sorted(value, key=number_of) if isinstance(value, frozenset) else (value,):
                if not in_range(element, each):
                    shown = element.show(each) if isinstance(each, (int, str)) else str(each)
                    self.complain(node, f"{purpose} takes {element.limits}, this is {shown}")
        if (
            isinstance(target, ArrayType)
            and isinstance(node, syntax.StringLiteral)
            and len(node.value) != target.length
        ):
            self.complain(node, f"{purpose} holds {target.length} characters, this has {len(node.value)}")

    def ordinal_constant(self, node: syntax.Expression, purpose: str) -> tuple[OrdinalType, int] | None:
        """Type and number of a constant that must be an ordinal; None when it is not, which has been told."""
        value = constant(node)
        if isinstance(node.type, OrdinalType) and value is not None and not isinstance(value, (float, frozenset)):
            return node.type, number_of(value)
        if node.type.name != "?":
            self.complain(node, f"{purpose} must be a constant integer, char, boolean or name of an enumeration")
        return None


def standard_scope() -> SymbolTable:
    """What every program knows without a declaration."""
    scope = SymbolTable()
    for name, kind in STANDARD.items():
        scope.names[name] = TypeSymbol(name, kind)
    for name in (*FUNCTIONS, *PROCEDURES):
        scope.names[name] = Builtin(name, name)
    scope.names["true"] = ConstantSymbol("true", True, BOOLEAN)
    scope.names["false"] = ConstantSymbol("false", False, BOOLEAN)
    scope.names["maxint"] = ConstantSymbol("maxint", MAX_INT, INTEGER)
    return scope


def _arguments(count: int) -> str:
    return "no arguments" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"
