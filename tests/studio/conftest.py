"""Fixtures for tests of the studio: one with real host processes, and a user who sees its page without a browser."""

import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest
from nicegui import core, ui
from nicegui.client import Client
from nicegui.testing import User
from nicegui.testing.user_simulation import user_simulation

from drycell.studio.page.tab import BrowserTab
from drycell.studio.server.studio import Studio

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"

Opener = Callable[[Callable[[BrowserTab], object]], Awaitable[tuple[User, BrowserTab]]]


@pytest.fixture(autouse=True)
def own_memory(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The studio's settings are stored in a folder of the test, never in that of the user."""
    folder = tmp_path_factory.mktemp("state")
    monkeypatch.setenv("XDG_STATE_HOME", str(folder))
    return folder


@pytest.fixture
async def studio() -> AsyncIterator[Studio]:
    """A studio with nothing open; its hosts are real processes."""
    made = Studio(spares=False)
    yield made
    await made.close()


@asynccontextmanager
async def simulated() -> AsyncIterator[User]:
    """A user whose page gets every message at once. It acknowledges none, and must not pass for one that is behind."""
    async with user_simulation() as user:
        core.app.config.message_history_length = 0
        yield user


@pytest.fixture
async def page_user(studio: Studio) -> AsyncIterator[User]:
    """Looks at the whole page of the studio: ``await page_user.open("/")``."""
    from drycell.studio.page.shell import add_routes

    home = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "drycell"}
    async with simulated() as user:
        add_routes(studio)
        yield user
    sys.modules.update(home)  # NiceGUI takes out the module of each page, and all above it


@pytest.fixture
async def panel(studio: Studio) -> AsyncIterator[Opener]:
    """Opens a page that holds one panel: ``user, tab = await panel(JournalPanel)``."""
    async with AsyncExitStack() as stack:

        async def opened(build: Callable[[BrowserTab], object]) -> tuple[User, BrowserTab]:
            tabs: list[BrowserTab] = []
            user = await stack.enter_async_context(simulated())

            @ui.page("/")
            def page(client: Client) -> None:
                tab = BrowserTab(studio, client, browser="test")
                tabs.append(tab)
                build(tab)

            await user.open("/")
            return user, tabs[-1]

        yield opened
