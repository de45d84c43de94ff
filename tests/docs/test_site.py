"""The documentation builds as a site without a warning: all links and anchors work, all docstrings can be read."""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_site_builds_without_warnings(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reference = (tmp_path / "site" / "api" / "drycell.html").read_text(encoding="utf-8")
    assert 'id="drycell.Conveyor"' in reference
    assert "Length along x" in reference  # the table of a thing's fields
    assert "https://" not in re.sub(
        r'(href|content)="https://[^"]*"', "", reference
    )  # nothing is loaded from other sites
    assert "fonts.googleapis" not in reference
    assert (tmp_path / "site" / "files" / "examples" / "36_own_device" / "press.py.txt").is_file()
