"""The ground that every other package stands on; may use nothing of drycell but its errors."""
