"""JupyterLab, whose kernels may be forked; its arguments are those of ``jupyter lab``."""

from __future__ import annotations

from jupyterlab.labapp import main

from support.nursery import offer_provisioners

if __name__ == "__main__":
    offer_provisioners()
    main()
