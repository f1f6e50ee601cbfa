"""The panel: stepping an environment by hand."""
