"""drycell."""
