"""Base: the schema of data files (types of values, read, checked, written, described) and YAML texts with places."""
