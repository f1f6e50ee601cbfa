"""Finding a Chromium, and the address of what drives it.

Run as a program it prints the browser's path, or nothing and fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

# Not kept by git; pictures of failed tests, and of how things look.
SCREENSHOTS = Path(__file__).parent.parent.parent / "screenshots"
INSTALL = "no Chromium that runs: apt-get install chromium, or python -m playwright install --with-deps chromium"

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge")
_APPLICATIONS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)


def find_chromium() -> str | None:
    """Find a browser that runs: the one of CHROMIUM, the system's, else Playwright's own."""
    named = os.environ.get("CHROMIUM")
    candidates = [named] if named else [shutil.which(name) for name in _NAMES] + list(_APPLICATIONS)
    for candidate in candidates:
        if candidate and _runs(candidate):
            return candidate
    own = None if named else _own()
    return own if own and _runs(own) else None


def _runs(path: str) -> bool:
    """Tell whether it starts: Ubuntu's chromium-browser, for one, can be a note to install a snap."""
    try:
        shown = subprocess.run([path, "--version"], capture_output=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return shown.returncode == 0


def _own() -> str | None:
    """The path of the browser Playwright would install, asked in a process of its own."""
    code = "from playwright.sync_api import sync_playwright as p\nwith p() as q: print(q.chromium.executable_path)"
    try:
        shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return shown.stdout.strip() or None


if __name__ == "__main__":
    found = find_chromium()
    if found is None:
        sys.exit(1)
    print(found)
