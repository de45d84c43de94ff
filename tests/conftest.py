"""Settings for all tests: property tests draw the same examples every time, and none is timed by the wall clock.

What fails is shrunk but not explained. For that, Hypothesis traces; a run was seen to hang in a frame of Hypothesis,
and whether tracing beside greenlets did it is not known.

Cells of the repository and of the tests' own folders are trusted; whom the user trusts plays no part.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import Phase, settings

settings.register_profile(
    "drycell",
    derandomize=True,
    deadline=None,
    print_blob=True,
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("drycell")


@pytest.fixture(scope="session", autouse=True)
def trusted_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """The repository and all temporary folders of the tests, for commands that run no code without trust."""
    config = tmp_path_factory.mktemp("config")
    (config / "drycell").mkdir()
    folders = (Path(__file__).parents[1].resolve(), tmp_path_factory.getbasetemp().resolve())
    (config / "drycell" / "trusted").write_text("".join(f"{each}\n" for each in folders))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CONFIG_HOME", str(config))
        yield
