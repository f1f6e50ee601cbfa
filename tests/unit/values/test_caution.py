"""Whose line a warning names."""

from __future__ import annotations

import pytest

from openenv_notebook import OpenEnvWarning
from openenv_notebook.values.caution import caution


def test_a_warning_names_who_called() -> None:
    """The first frame that is none of this package's is named."""
    with pytest.warns(OpenEnvWarning, match="careful") as caught:
        caution("careful")
    assert caught[0].filename == __file__
