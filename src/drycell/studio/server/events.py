"""Who wants to hear of what: callbacks by name of event, called in the order they came."""

from collections import defaultdict
from collections.abc import Callable
from typing import Any

Callback = Callable[[dict[str, Any]], None]
Stop = Callable[[], None]


class Events:
    """Callbacks by event. A callback may stop listening, or others begin to, while it is called."""

    def __init__(self) -> None:
        self._callbacks: dict[str, list[Callback]] = defaultdict(list)

    def listen(self, event: str, callback: Callback) -> Stop:
        """Calls back at every such event, until what is returned is called."""
        callbacks = self._callbacks[event]
        callbacks.append(callback)

        def stop() -> None:
            if callback in callbacks:
                callbacks.remove(callback)

        return stop

    def tell(self, event: str, data: dict[str, Any]) -> None:
        """Calls all who listen to the event."""
        for callback in tuple(self._callbacks[event]):
            callback(data)
