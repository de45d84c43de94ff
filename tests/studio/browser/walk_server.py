"""The studio with one more address, for the random walk: the poses of all bodies as the record has them.

``walk_server.py --no-browser --port 0 CELL`` takes the arguments of ``drycell studio``. The frames of a page come from
``FrameMaker`` by the numbers of bodies; the poses here are queries of the world by their names.
"""

import sys

from nicegui import app

from drycell.base import DrycellError
from drycell.cli.main import main
from drycell.studio.page import shell
from drycell.studio.server.studio import Studio

_MOST = 500  # names in one query
_add_routes = shell.add_routes


def add_routes(studio: Studio) -> None:
    """Add the routes of the studio, and that of the walk."""
    _add_routes(studio)

    @app.get("/walk/record")
    async def record(t: int = 0) -> dict[str, object]:
        tree, poses = studio.tree, {}
        roots = list(dict.fromkeys(body.name.partition("/")[0] for body in tree.bodies if body.mesh))
        for start in range(0, len(roots), _MOST):
            try:
                found = await studio.host.scene.exposures(t, t, 1, tuple(roots[start : start + _MOST]))
            except DrycellError:  # another cell is open now, or the host has ended
                return {"scene": None, "mode": "empty", "poses": {}}
            poses.update(found[0].poses)
        opened, same = studio.latest, studio.tree.scene == tree.scene
        return {"scene": tree.scene if same else None, "mode": opened.mode, "poses": poses}

    @app.get("/walk/host")
    def host() -> int | None:
        return None if studio.client is None else studio.client.pid


if __name__ == "__main__":
    shell.add_routes = add_routes
    sys.exit(main(["studio", *sys.argv[1:]]))
