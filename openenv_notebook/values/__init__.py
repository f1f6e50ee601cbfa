"""Words, checks and small values: no input or output, nothing awaited, nothing of this package imported."""
