"""No text of a file becomes markup, a property or a script of the studio's page: only constants do.

``element.props("…")``, scripts, slots and HTML have a syntax of their own. Values reach them through the functions of
``studio/page/elements.py``, which pass them as data.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

STUDIO = Path(__file__).parents[2] / "src" / "drycell" / "studio"
CHECKED = {
    "props", "style", "html", "run_javascript", "add_head_html", "add_body_html", "add_css", "add_slot", "Markup",
    "run_script", "query", "markdown", "sanitize", "set_content", "teleport",
}  # fmt: skip
HELPERS = {"run_script", "show_markup"}  # in elements.py: they are the ones that may


def violations(source: str) -> Iterator[int]:
    """The lines at which something other than a constant is used as markup, properties or a script."""
    tree = ast.parse(source)
    helpers = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in HELPERS]
    inside = {id(each) for helper in helpers for each in ast.walk(helper)}
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or id(call) in inside:
            continue
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        given = [each.value for each in call.keywords if each.arg in ("js_handler", "remove", "template")]
        if name in CHECKED:
            # The arguments of a script are data, and so is the name of a slot.
            given += call.args[1:2] if name in ("run_script", "add_slot") else call.args
        if not all(map(constant, given)):
            yield call.lineno


def constant(node: ast.expr) -> bool:
    """Whether an expression is a constant, or a choice of constants. Constants of modules are in capitals."""
    match node:
        case ast.Constant():
            return True
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name.isupper()
        case ast.BinOp(op=ast.Div(), left=left, right=right):  # a file of the package
            return constant(left) and constant(right)
        case ast.IfExp(body=body, orelse=orelse):
            return constant(body) and constant(orelse)
    return False


@pytest.mark.parametrize("file", sorted(STUDIO.rglob("*.py")), ids=lambda file: str(file.relative_to(STUDIO)))
def test_only_constants_are_markup_properties_and_scripts(file: Path) -> None:
    assert list(violations(file.read_text())) == []


@pytest.mark.parametrize(
    "source",
    [
        "field.props(f'suffix=\"{unit}\"')",
        "field.props('suffix=' + unit)",
        "field.props('suffix=%s' % unit)",
        "field.props(text)",
        "ui.html(f'<b>{name}</b>')",
        "Markup(f'<b>{name}</b>')",
        "client.run_javascript(f'select({name})')",
        "run_script(client, f'() => {name}')",
        "made.style(f'left:{x}%')",
        "made.on('click', js_handler=f'() => {name}')",
    ],
)
def test_the_check_finds_values_in_texts(source: str) -> None:
    assert list(violations(source)) == [1]
