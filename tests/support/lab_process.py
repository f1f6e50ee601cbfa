"""JupyterLab, whose kernels may be forked; its arguments are those of ``jupyter lab``."""

from __future__ import annotations

import importlib

from support.nursery import offer_provisioners
from support.quick_imports import be_quick

if __name__ == "__main__":
    be_quick()
    offer_provisioners()
    importlib.import_module("jupyterlab.labapp").main()
