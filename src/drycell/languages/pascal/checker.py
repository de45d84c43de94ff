"""The checker: resolves the names and types of a program and of the units it uses.

It sets the type of each expression and the symbol of each name (see ``syntax``) for the translator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import ClassVar, Final

from drycell.base import did_you_mean
from drycell.languages.kit import COMPARISONS, Diagnostic, SourceText, TooMany
from drycell.languages.pascal import syntax
from drycell.languages.pascal.constants import bounds, constant, in_range, integer_type, number_of
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
    LONGINT,
    MAX_LONGINT,
    MIN_LONGINT,
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
    integers_from,
    is_boolean,
    is_integer,
    is_number,
    is_text,
    operation,
)

_MAX_LOOPS: Final = 12
"""The maximum nesting depth of loops: programs are translated to Python, which allows 20 nested blocks."""
FindUnit = Callable[[str], SourceText | None]
SCORPAS = "scorpas"


@dataclass(slots=True, eq=False)
class Checked:
    """A program or unit without mistakes, with the units it uses."""

    program: syntax.CompilationUnit
    main: RoutineSymbol
    exported: dict[str, Symbol]
    uses: list["Checked"] = field(default_factory=list)
    stubs: dict[str, RoutineSymbol] = field(default_factory=dict)

    def all(self) -> list["Checked"]:
        """The units it uses, directly or indirectly, and then itself, in the order in which they start."""
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
        """Read and check a program with its units.

        Raises:
            PascalError: a text has mistakes; the error lists all of them.
        """
        reading = read(source)
        if reading.program is None:
            reading.diagnostics.raise_any(PascalError)
            raise PascalError(f"{source.file} does not contain a program")
        if reading.program.unit:
            raise PascalError(f"{source.file} is a unit, not a program", hint="run a program that uses the unit")
        return self._checked(reading, reading.program)

    def unit(self, name: str) -> Checked | None:
        """Read and check a unit; None if it does not exist or uses itself."""
        if name not in self._units:
            self._units[name] = None
            source = self._find(name)
            if source is not None:
                reading = read(source)
                if reading.program is None or not reading.program.unit:
                    reading.diagnostics.raise_any(PascalError)
                    raise PascalError(f"{source.file} is not a unit", hint=f"begin it with unit {name};")
                self._units[name] = self._checked(reading, reading.program)
        return self._units[name]

    def names_of(self, unit: str) -> Sequence[str]:
        """The names that a unit exports."""
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
                    checker.report(name, f"unit '{name.written}' not found", f"put {name.name}.pas beside the program")
                    checker.stubs_allowed = True  # names that it would export are unknown, but not mistakes
                    continue
                used.append(unit)
                scope.names |= unit.exported
            if not program.unit and SCORPAS not in (name.name for name in program.uses):
                checker.hints = dict.fromkeys(
                    self.names_of(SCORPAS), "it belongs to ScorPas: write uses ScorPas; at the top"
                )
            exported = checker.program(program)
        except TooMany:
            exported = {}
        reading.diagnostics.raise_any(PascalError)
        return Checked(program, main, exported, used, checker.stubs)


class ProgramChecker:
    """Checks one program or unit. ``main`` is its symbol, as if it were a procedure."""

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
        """Hints for names that are unknown because their unit is not used."""
        self.stubs: dict[str, RoutineSymbol] = {}
        """Routines that a program with ScorPas calls without a declaration."""
        self.stubs_allowed = any(name.name == SCORPAS for name in program.uses)
        self._numbers = numbers
        self._unit = program.name.name if program.unit else ""
        self._loops = 0
        self._temps = 0

    def program(self, node: syntax.CompilationUnit) -> dict[str, Symbol]:
        """Check the whole text, and return the symbols that a unit exports."""
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
            # Turbo Pascal's typed constants keep their values between calls, so they belong to the program.
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
            self.report(node.value, f"the value of '{node.name.written}' is not a constant expression")
        self.declare(
            node.name,
            ConstantSymbol(node.name.written, 0 if value is None else value, UNKNOWN if value is None else kind),
        )

    def _first_value(self, node: syntax.Expression, kind: PascalType) -> object:
        """The initial value of a typed constant, as the running program holds it."""
        if isinstance(kind, ArrayType) and isinstance(node, syntax.Call) and not node.target.name:
            if len(node.arguments) != kind.length:
                self.report(node, f"the array has {kind.length} elements, not {len(node.arguments)}")
            return [self._first_value(each, kind.element) for each in node.arguments]
        if isinstance(node, syntax.Call) and not node.target.name:
            self.report(node, f"a list cannot be the value of {kind}")
            return None
        self.check(node)
        self.fits(node, kind, "this constant")
        value = constant(node)
        if value is None and not isinstance(node.type, UnknownType):
            self.report(node, "the value of a typed constant must be a constant expression")
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
                    self.report(name, f"two parameters are called '{name.written}'", "rename one of them")
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
                self.report(node.name, f"function {node.name.written} has no result type", "add : integer to its head")
            elif node.result is not None:
                made.result = self.type_of(node.result)
        return made

    def _same_head(self, node: syntax.RoutineDeclaration, known: RoutineSymbol) -> None:
        """Check that repeated parameters are those of the forward declaration."""
        again = [(name.name, group.by_reference) for group in node.parameters for name in group.names]
        if again != [(each.written.lower(), each.by_reference) for each in known.parameters]:
            self.report(node.name, f"{known.written} has other parameters in its forward declaration")

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
                self.report(node.name, f"{each.kind} {each.written} is declared, but has no body")

    def type_of(self, node: syntax.TypeExpression | None, name: str = "") -> PascalType:
        """The type of a type expression; each definition is a new type."""
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
            self.report(node, f"'{node.written}' is not a type")
        return UNKNOWN

    def _string(self, node: syntax.StringOf) -> PascalType:
        if node.length is None:
            return STRING
        self.check(node.length)
        length = constant(node.length)
        if not isinstance(length, int) or not 1 <= length <= LONGEST_STRING:
            self.report(node.length, f"the length of a string must be a constant from 1 to {LONGEST_STRING}")
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
            self.report(node, f"a range cannot go from {low[0]} to {high[0]}")
            return UNKNOWN
        made = OrdinalType(name, low[0].host, low[1], high[1])
        made.name = name or made.limits
        if low[1] > high[1]:
            self.report(node, f"the range {made.limits} is empty", "write the smaller value first")
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
            if not isinstance(index, OrdinalType) or index in (INTEGER, LONGINT):
                self.report(node.indices[place], f"the index of an array must be a range, not {index}", "write 1..10")
                return UNKNOWN
            made = ArrayType("", index, made)
            made.name = (name if place == 0 else "") or f"array[{index.limits}] of {made.element}"
            if made.size > LARGEST_ARRAY:
                self.report(node, f"this array has {made.size} values; the limit is {LARGEST_ARRAY}", "make it smaller")
                return UNKNOWN
        return made

    def _set_of(self, node: syntax.SetOf, name: str) -> PascalType:
        element = self.type_of(node.element)
        if isinstance(element, UnknownType):
            return UNKNOWN
        if not isinstance(element, OrdinalType):
            self.report(node.element, f"a set is of integers, chars, booleans or an enumeration, not of {element}")
            return UNKNOWN
        count = element.high - element.low + 1
        if count > LARGEST_SET:
            hint = "write SET OF 0..255" if is_integer(element) else None
            self.report(node.element, f"{element} has {count} values; a set holds at most {LARGEST_SET}", hint)
            return UNKNOWN
        return SetType.of(element, name)

    def _field_of(self, made: RecordType, name: syntax.Name, kind: PascalType) -> None:
        if name.name in made.fields:
            self.report(name, f"two fields are called '{name.written}'", "rename one of them")
            return
        made.fields[name.name] = (len(made.fields), kind)
        if made.size > LARGEST_ARRAY:
            self.report(name, f"this record has more than {LARGEST_ARRAY} values", "make it smaller")
            made.fields[name.name] = (len(made.fields) - 1, CHAR)

    # ---------------------------------------------------------------- statements

    def _list(self, block: syntax.CompoundStatement) -> None:
        for each in block.body:
            self.statement(each)

    def statement(self, node: syntax.Statement) -> None:
        """Check one statement."""
        self._STATEMENTS[node.__class__](self, node)

    # ---------------------------------------------------------------- loops

    def _loop(self, node: syntax.SyntaxNode, body: Callable[[], None]) -> None:
        self._loops += 1
        if self._loops > _MAX_LOOPS:
            self.report(node, f"more than {_MAX_LOOPS} nested loops", "put the inner loops into a procedure")
        body()
        self._loops -= 1

    def _while(self, node: syntax.While) -> None:
        self.condition(node.condition)
        self._loop(node, lambda: self.statement(node.body))

    def _repeat(self, node: syntax.Repeat) -> None:
        self._loop(node, lambda: self._list(node.body))
        self.condition(node.condition)

    def _for(self, node: syntax.For) -> None:
        kind = self.variable(node.variable, "the counter of a FOR loop")
        symbol = node.variable.symbol
        for bound in (node.first, node.last):
            self.check(bound)
            alike = (
                isinstance(bound.type, OrdinalType) and isinstance(kind, OrdinalType) and bound.type.host is kind.host
            )
            if not alike and not isinstance(kind, UnknownType) and not isinstance(bound.type, UnknownType):
                self.report(bound, f"'{node.variable.written}' is of type {kind}, but this is of type {bound.type}")
        if not isinstance(kind, (OrdinalType, UnknownType)):
            self.report(node.variable, f"the counter of a FOR loop must be an ordinal, not {kind}")
        if isinstance(symbol, WithField) or (isinstance(symbol, VariableSymbol) and symbol.by_reference):
            self.report(node.variable, "the counter of a FOR loop must be a plain variable", "declare one")
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
        kind = self.variable(target, "the target of an assignment")
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
        """Declare a routine of ScorPas that the thesis does not list: it does nothing, and that is reported."""
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
            self.report(node.selector, f"CASE needs an ordinal value, but this is of type {kind}")
        seen: list[tuple[int, int]] = []
        for branch in node.branches:
            for low, high in branch.labels:
                limits = self._limits(low, high, kind)
                if limits is None:
                    continue
                if any(a <= limits[1] and limits[0] <= b for a, b in seen):
                    self.report(low, "another branch already has this value")
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
                self.report(each, f"the CASE is of type {kind}, but this value is of type {found[0]}")
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
                    self.report(each, f"WITH needs a record, but this is of type {kind}")
                continue
            self.scope = SymbolTable(self.scope)
            for name, (place, inner) in kind.fields.items():
                self.scope.names[name] = WithField(name, inner, node.temps[-1], place)
        self.statement(node.body)
        self.scope = outer

    def _empty(self, node: syntax.Empty) -> None:
        pass

    # ---------------------------------------------------------------- standard procedures

    def _standard_procedure(self, node: syntax.Call, name: str) -> None:
        given = node.arguments
        match name, len(given):
            case (("write" | "writeln"), _):
                for each in given:
                    self._printed(each)
            case (("read" | "readln"), _):
                for each in given:
                    self.variable(each, f"the argument of {name}")
            case (("inc" | "dec"), (1 | 2)):
                kind = self.variable(given[0], f"the argument of {name}")
                if not isinstance(kind, (OrdinalType, UnknownType)) or is_boolean(kind):
                    self.report(given[0], f"{name} needs an integer, char or enumeration, but this is of type {kind}")
                for each in given[1:]:
                    self.check(each)
                    self.fits(each, LONGINT, "the step")
            case "str", 2:
                self._printed(given[0])
                self._string_variable(given[1], "str")
            case "val", 3:
                self.check(given[0])
                self.fits(given[0], STRING, "the text of val")
                kind = self.variable(given[1], "the result of val")
                if not is_number(kind) and not isinstance(kind, UnknownType):
                    self.report(given[1], f"val sets a number, but this is of type {kind}")
                if not is_integer(self.variable(given[2], "the code of val")):
                    self.report(given[2], "the code of val must be an integer")
            case "insert", 3:
                if not is_text(self.check(given[0])):
                    self.report(given[0], "insert needs a string")
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
                    self.report(given[0], f"{name} changes a set, but this is of type {kind}")
            case (("break" | "continue"), 0):
                self._leave(node, name)
            case "randomize", 0:
                pass
            case _:
                self.report(node, f"wrong number of arguments for {name}", f"write {EXAMPLES.get(name, name)}")

    def _printed(self, node: syntax.Expression) -> None:
        value = node
        if isinstance(node, syntax.Formatted):
            value, node.type = node.value, INTEGER
            self._integers([each for each in (node.width, node.decimals) if each is not None])
        kind = self.check(value)
        if isinstance(node, syntax.Formatted) and node.decimals is not None and not is_number(kind):
            self.report(node.decimals, f"only numbers have decimals, but this is of type {kind}")
        if not (is_number(kind) or is_text(kind) or is_boolean(kind) or isinstance(kind, UnknownType)):
            hint = "write ord(…) of it" if isinstance(kind, OrdinalType) else None
            self.report(value, f"a value of type {kind} cannot be written", hint)

    def _string_variable(self, node: syntax.Expression, name: str) -> None:
        kind = self.variable(node, f"the string of {name}")
        if not isinstance(kind, (StringType, UnknownType)):
            self.report(node, f"{name} changes a string, but this is of type {kind}")

    def _integers(self, nodes: list[syntax.Expression]) -> None:
        for each in nodes:
            self.check(each)
            self.fits(each, LONGINT, "this argument")

    def _exit(self, given: list[syntax.Expression]) -> None:
        for each in given:
            self.check(each)
            if self.routine.result is None:
                self.report(each, "only a function can exit with a value")
            else:
                self.fits(each, self.routine.result, f"the result of {self.routine.written}")

    def _leave(self, node: syntax.Call, name: str) -> None:
        if not self._loops:
            self.report(node, f"{name} is not inside a loop")

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
        """Set and return the type of an expression."""
        node.type = kind = self._CHECKS[node.__class__](self, node)
        if isinstance(node, (syntax.Unary, syntax.Binary)) and is_integer(kind):
            value = constant(node)
            if isinstance(value, int):  # operations on constants do not overflow: only the result is checked
                node.type = kind = integers_from(value, value)
        return kind

    def condition(self, node: syntax.Expression) -> None:
        """Check that an expression is a boolean."""
        kind = self.check(node)
        if not is_boolean(kind) and not isinstance(kind, UnknownType):
            self.report(node, f"a condition must be a boolean, but this is of type {kind}")

    def variable(self, node: syntax.Expression, purpose: str) -> PascalType:
        """Check that an expression is a variable that can be changed here, and return its type."""
        kind = self.check(node)
        symbol = node.symbol if isinstance(node, syntax.Name) else None
        if isinstance(symbol, VariableSymbol) and symbol.counting:
            self.report(node, f"'{symbol.written}' is the counter of this FOR loop and cannot be changed inside it")
        whole = node
        while isinstance(whole, (syntax.Index, syntax.FieldAccess)):
            whole = whole.of
        held = whole.symbol if isinstance(whole, syntax.Name) else None
        if isinstance(held, VariableSymbol) and held.constant:
            self.report(node, f"'{held.written}' is a CONST parameter and cannot be changed", "remove CONST")
        if not self.is_variable(node) and not isinstance(kind, UnknownType):
            self.report(node, f"{purpose} must be a variable")
        return kind

    def is_variable(self, node: syntax.Expression) -> bool:
        """Whether an expression can be assigned to."""
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
        if node.value > MAX_LONGINT:
            hint = f"use {MIN_LONGINT} to {MAX_LONGINT}, or a real such as {node.value}.0"
            self.report(node, f"{node.value} is too large for an integer", hint)
        return integers_from(node.value, node.value)

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
        self.report(node, f"'{node.written}' is a type, not a value")
        return UNKNOWN

    def _index(self, node: syntax.Index) -> PascalType:
        of, index = self.check(node.of), self.check(node.index)
        if isinstance(of, UnknownType) or isinstance(index, UnknownType):
            return UNKNOWN
        if isinstance(of, StringType):
            if not is_integer(index):
                self.report(node.index, f"the index of a string must be an integer, but this is of type {index}")
            return CHAR
        if not isinstance(of, ArrayType):
            self.report(node.of, f"only arrays and strings have an index, but this is of type {of}")
            return UNKNOWN
        self.fits(node.index, of.index, f"the index of {self.excerpt(node.of)}")
        return of.element

    def _field(self, node: syntax.FieldAccess) -> PascalType:
        of = self.check(node.of)
        if isinstance(of, UnknownType):
            return UNKNOWN
        if not isinstance(of, RecordType):
            self.report_at(node.at, node.end, f"only records have fields, but this is of type {of}")
            return UNKNOWN
        found = of.fields.get(node.name)
        if found is None:
            self.report_at(
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
                    self.report(each, f"a set is of integers, chars, booleans or an enumeration, not of {kind}")
                    return UNKNOWN
                single = SetType.of(OrdinalType(kind.host.name, kind.host, *bounds(each)))
                if not made.goes_with(single):
                    self.report(each, f"this is a {made}, this value is of type {kind}")
                    return UNKNOWN
                made = made.joined(single)
            count = 1 if high is None else bounds(high)[0] - bounds(low)[1] + 1
            if count > LARGEST_SET:
                self.report_at(low.start, node.end, f"this range has {count} values; a set holds at most {LARGEST_SET}")
                return UNKNOWN
        return made

    def _formatted(self, node: syntax.Formatted) -> PascalType:
        self.check(node.value)
        self.report(node, "only WRITE, WRITELN and STR accept a width")
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
                return integer_type(node.operand)
            self.report(node, f"NOT needs a boolean or an integer, but this is of type {kind}")
            return UNKNOWN
        if is_integer(kind):
            found = integer_type(node.operand)
            return LONGINT if found.low == 0 else found
        if kind is not REAL:
            self.report(node, f"'{node.operator}' needs a number, but this is of type {kind}")
            return UNKNOWN
        return REAL

    def _binary(self, node: syntax.Binary) -> PascalType:
        left, right = self.check(node.left), self.check(node.right)
        if isinstance(left, UnknownType) or isinstance(right, UnknownType):
            return BOOLEAN if node.operator in COMPARISONS or node.operator == "in" else UNKNOWN
        found = operation(node.operator, left, right)
        if isinstance(found, PascalType):
            if node.operator in ("/", "div", "mod") and constant(node.right) == 0:
                self.report(node.right, "division by zero")
            if is_integer(found):
                return (
                    integer_type(node.left) if node.operator in ("shl", "shr") else integer_type(node.left, node.right)
                )
            return found
        self.report_at(node.at, node.at + len(node.operator), found.what, found.hint)
        return UNKNOWN

    def call(self, node: syntax.Call, *, statement: bool = False) -> PascalType | None:
        """Check a call, and return the type of its result; None for a procedure."""
        target = node.target
        symbol = target.symbol = self.scope.find(target.name)
        match symbol:
            case RoutineSymbol():
                return self._called(node, symbol, node.arguments, statement=statement)
            case Builtin() if symbol.name in FUNCTIONS:
                kind = self._standard(node, symbol.name, node.arguments)
                if statement:
                    self.report(node, f"the result of function {symbol.written} is not used", "assign it")
                return kind
            case Builtin():
                self.report(target, f"{symbol.written} is a procedure and has no value")
                return UNKNOWN
            case TypeSymbol():
                return self._cast(node, symbol)
        for each in node.arguments:
            self.check(each)
        if symbol is None:
            self.unknown(target, "procedure or function", RoutineSymbol, Builtin)
        else:
            self.report(target, f"'{target.written}' is neither a procedure nor a function")
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
            self.report(
                node, f"{routine.written} takes {_arguments(len(wanted))}, not {len(given)}", f"they are {names}"
            )
        else:
            for argument, parameter in zip(given, wanted, strict=True):
                self._argument(argument, parameter)
        if routine.result is None and not statement:
            self.report(node, f"{routine.written} is a procedure and has no value")
        return routine.result or UNKNOWN

    def _argument(self, node: syntax.Expression, parameter: VariableSymbol) -> None:
        if not parameter.by_reference:
            self.check(node)
            self.fits(node, parameter.type, f"the parameter '{parameter.written}'")
            return
        kind = self.variable(node, f"the argument for the VAR parameter '{parameter.written}'")
        if isinstance(kind, UnknownType) or isinstance(parameter.type, UnknownType):
            return
        if isinstance(node, syntax.Index) and isinstance(node.of.type, StringType):
            self.report(node, "a character of a string cannot be a VAR argument", "assign it to a variable first")
        elif kind is not parameter.type:
            self.report(
                node,
                f"the VAR parameter '{parameter.written}' is of type {parameter.type}, but this is of type {kind}",
                "both must have the same type",
            )
        symbol = node.symbol if isinstance(node, syntax.Name) else None
        if isinstance(symbol, VariableSymbol) and not symbol.by_reference and not kind.structured:
            symbol.boxed = True

    def _standard(self, node: syntax.Expression, name: str, given: list[syntax.Expression]) -> PascalType:
        if name not in FUNCTIONS:
            self.report(node, f"{name} is a procedure and has no value")
            return UNKNOWN
        signature = FUNCTIONS[name]
        kinds = [self.check(each) for each in given]
        if not signature.accepts(len(given)):
            self.report(node, f"{name} takes {_arguments(len(signature.arguments))}, not {len(given)}")
            return UNKNOWN
        for place, (each, kind) in enumerate(zip(given, kinds, strict=True)):
            wanted = signature.kind(place)
            if not isinstance(kind, UnknownType) and not wanted.test(kind):
                self.report(each, f"{name} needs {wanted.words}, but this is of type {kind}")
                return UNKNOWN
        found = result_of(name, kinds)
        return integer_type(given[0]) if signature.result is not found and is_integer(found) else found

    def _cast(self, node: syntax.Call, symbol: TypeSymbol) -> PascalType:
        kinds = [self.check(each) for each in node.arguments]
        if (
            isinstance(symbol.type, OrdinalType)
            and len(kinds) == 1
            and isinstance(kinds[0], (OrdinalType, UnknownType))
        ):
            return symbol.type
        self.report(node, f"this cannot be converted to type {symbol.type}")
        return UNKNOWN

    def excerpt(self, node: syntax.SyntaxNode) -> str:
        """The text of a node, quoted for a message."""
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

    def report(self, node: syntax.SyntaxNode, what: str, hint: str | None = None) -> None:
        """Report a mistake at a node."""
        self.report_at(node.start, node.end, what, hint)

    def report_at(self, start: int, end: int, what: str, hint: str | None = None) -> None:
        """Report a mistake in a part of the text."""
        self.diagnostics.add(Diagnostic(self.source.span(start, max(end, start + 1)), what, hint))

    def unknown(self, node: syntax.Name | syntax.TypeName, what: str, *kinds: type[Symbol]) -> None:
        """Report an unknown name, and suggest similar names of these kinds of symbols."""
        name, written = node.name, node.written
        if name not in self.skipped:
            hint = self.hints.get(name) or did_you_mean(written, self.scope.known(*kinds))
            self.report(node, f"unknown {what} '{written}'", hint)
            self.skipped.add(name)  # reported once

    def declare(self, name: syntax.Name, symbol: Symbol) -> None:
        """Declare a name in the current scope."""
        if name.name in self.scope.names:
            self.report(name, f"'{name.written}' is already declared in this block", "rename one of them")
            return
        self.scope.names[name.name] = symbol

    def fits(self, node: syntax.Expression, target: PascalType, purpose: str) -> None:
        """Check that a value can be assigned to a type. The range of constants is checked, too."""
        kind = node.type
        if not assignable(target, kind):
            hint = None
            if isinstance(target, OrdinalType) and kind.name == "real":
                hint = "convert it with trunc or round"
            elif isinstance(target, ArrayType) or target.structured:
                hint = "types that look alike are different types: name the type, and use the name for both"
            self.report(node, f"{purpose} is of type {target}, but this is of type {kind}", hint)
            return
        value = constant(node)
        element = target.element if isinstance(target, SetType) else target
        if isinstance(element, OrdinalType) and value is not None:
            for each in sorted(value, key=number_of) if isinstance(value, frozenset) else (value,):
                if not in_range(element, each):
                    shown = element.show(each) if isinstance(each, (int, str)) else str(each)
                    self.report(node, f"{purpose} must be in {element.limits}, but this is {shown}")
        if (
            isinstance(target, ArrayType)
            and isinstance(node, syntax.StringLiteral)
            and len(node.value) != target.length
        ):
            self.report(node, f"{purpose} holds {target.length} characters, but this has {len(node.value)}")

    def ordinal_constant(self, node: syntax.Expression, purpose: str) -> tuple[OrdinalType, int] | None:
        """The type and number of a constant that must be an ordinal; None if it is not, which has been reported."""
        value = constant(node)
        if isinstance(node.type, OrdinalType) and value is not None and not isinstance(value, (float, frozenset)):
            return node.type, number_of(value)
        if node.type.name != "?":
            self.report(node, f"{purpose} must be a constant integer, char, boolean or name of an enumeration")
        return None


def standard_scope() -> SymbolTable:
    """The names that every program knows without a declaration."""
    scope = SymbolTable()
    for name, kind in STANDARD.items():
        scope.names[name] = TypeSymbol(name, kind)
    for name in (*FUNCTIONS, *PROCEDURES):
        scope.names[name] = Builtin(name, name)
    scope.names["true"] = ConstantSymbol("true", True, BOOLEAN)
    scope.names["false"] = ConstantSymbol("false", False, BOOLEAN)
    scope.names["maxint"] = ConstantSymbol("maxint", INTEGER.high, INTEGER)
    scope.names["maxlongint"] = ConstantSymbol("maxlongint", MAX_LONGINT, LONGINT)
    return scope


def _arguments(count: int) -> str:
    return "no arguments" if count == 0 else "1 argument" if count == 1 else f"{count} arguments"
