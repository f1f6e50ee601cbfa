"""Which fields hold a secret: see :mod:`openenv_notebook.masking`."""

from __future__ import annotations

from openenv_notebook.masking import HIDDEN, hides, is_secret_name, is_secret_schema

__all__ = ["HIDDEN", "hides", "is_secret_name", "is_secret_schema"]
