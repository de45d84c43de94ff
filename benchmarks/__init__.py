"""Speed of drycell, measured against the libraries it is built on or could have been; not part of the wheel."""
