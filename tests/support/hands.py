"""Hands that type and click at a pace of their own, by real events of keyboard and mouse."""

from __future__ import annotations

from playwright.sync_api import Locator, Page


class Hands:
    """A person's hands on a page.

    Args:
        page: The page.
        gap_ms: The least time between one key going down and the next; 0 as fast as it goes.
    """

    def __init__(self, page: Page, gap_ms: float = 0.0) -> None:
        self.page, self.gap_ms = page, gap_ms

    def click(self, place: Locator) -> None:
        """Click in the middle of something."""
        place.click(delay=self.gap_ms)

    def type(self, box: Locator, text: str) -> None:
        """Click into a box of one line, and type over what stands there; ``\\n`` is Enter, at the same pace."""
        # Three clicks choose what is in the line.
        box.click(click_count=3)
        self.page.keyboard.type(text, delay=self.gap_ms)

    def enter(self) -> None:
        """Press Enter where the hands are."""
        self.page.keyboard.press("Enter", delay=self.gap_ms)
