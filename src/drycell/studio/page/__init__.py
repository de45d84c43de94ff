"""What the browser shows, panel by panel. A panel builds its elements and asks the stage; it decides nothing."""
