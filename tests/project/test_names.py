"""One name for one concept: no class name is used for two concepts."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "drycell"

# The syntax trees of different languages have nodes for the same concepts: a number, a call, a loop.
TREES_OF_LANGUAGES = {
    "devices/logic_rules.py", "languages/arla/syntax.py", "languages/emula/syntax.py", "languages/pascal/syntax.py",
}  # fmt: skip


def test_no_class_name_stands_for_two_ideas() -> None:
    places = defaultdict(list)
    for path in sorted(SOURCE.rglob("*.py")):
        name = path.relative_to(SOURCE).as_posix()
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(name)
    found = {name: where for name, where in places.items() if len(where) > 1 and not set(where) <= TREES_OF_LANGUAGES}
    assert found == {}
