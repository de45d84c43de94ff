"""The page in the browser, panel by panel. A panel builds its elements and asks the host; nothing more."""
