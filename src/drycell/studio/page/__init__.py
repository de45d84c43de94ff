"""What the browser shows, panel by panel. A panel builds its elements and asks the host; it decides nothing."""
