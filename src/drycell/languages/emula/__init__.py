"""EMULA: the emulation system for sensory robots of 1981, on drycell; its language, its engine and its console."""
