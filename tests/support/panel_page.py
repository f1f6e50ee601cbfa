"""A panel in a page, found by roles and names as a person finds it."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Locator, expect

from support.notebook_page import NotebookPage
from support.real_servers import RealServer

_BOXES = """root => [...root.querySelectorAll('button, input, select, textarea, [role=heading], .openenv-area')]
    .filter(node => node.offsetParent)
    .map(node => { const box = node.getBoundingClientRect(), edge = root.getBoundingClientRect();
        const name = node.tagName === 'BUTTON' ? node.textContent : node.tagName;
        return [name, box.x - edge.x, box.y - edge.y, box.width, box.height]
            .map(value => typeof value === 'number' ? Math.round(value) : value); })"""


class PanelPage:
    """A panel that is seen.

    Args:
        notebook: Its notebook.
        root: Its place in the page.
        server: Its server.
    """

    def __init__(self, notebook: NotebookPage, root: Locator, server: RealServer | None = None) -> None:
        self.notebook, self.root, self.server = notebook, root, server
        self.page = notebook.page
        expect(root).to_be_visible()

    def button(self, name: str) -> Locator:
        """A button, by all that stands on it."""
        return self.root.get_by_role("button", name=name, exact=True)

    @property
    def step(self) -> Locator:
        """The button that makes the call."""
        return self.button("Step ▸")

    def box(self, name: str) -> Locator:
        """A box of one line, by its name."""
        return self.root.get_by_role("textbox", name=name, exact=True)

    @property
    def move(self) -> Locator:
        """The box for a move."""
        return self.root.locator(".openenv-move input")

    @property
    def said(self) -> Locator:
        """The line at the bottom."""
        return self.root.locator(".openenv-said")

    @property
    def sends(self) -> Locator:
        """The code that Step will do."""
        return self.root.locator(".openenv-sends code")

    @property
    def list(self) -> Locator:
        """The log."""
        return self.root.locator(".openenv-steps select")

    @property
    def viewing(self) -> Locator:
        """What the log says is looked at."""
        return self.root.locator(".openenv-viewing")

    @property
    def observation(self) -> Locator:
        """The observation."""
        return self.root.locator(".openenv-observation")

    def expect_facts(self, episode: int, step: str, total: str) -> None:
        """Wait until the head says where the episode stands."""
        expect(self.root.locator(".openenv-facts")).to_have_text(f"episode {episode}step {step}return {total}")

    def rows(self) -> list[str]:
        """The log, the newest first, blanks folded."""
        return [" ".join(text.replace("\xa0", " ").split()) for text in self.list.locator("option").all_inner_texts()]

    def reset(self) -> None:
        """Click Reset and wait for the episode."""
        self.button("Reset").click()
        expect(self.said).to_contain_text("Ready")

    def boxes(self) -> list[list[Any]]:
        """Where all that can be touched is, within the panel."""
        found: list[list[Any]] = self.root.evaluate(_BOXES)
        return found
