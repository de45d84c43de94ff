"""What can be told of a run up to an instant, from its signals, its journal and its bodies: live or recorded alike."""
