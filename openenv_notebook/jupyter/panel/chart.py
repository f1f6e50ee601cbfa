"""Rewards and return of the steps -> a small drawing (SVG). Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from openenv_notebook.jupyter.show.numbers import number
from openenv_notebook.jupyter.show.status_lines import steps

_WIDTH, _HEIGHT, _EDGE, _MOST = 480, 92, 8, 400
_LINE = "var(--jp-border-color2,#c8ccd2)"
_MUTED = "var(--jp-content-font-color2,#656d76)"
_BRAND = "var(--jp-brand-color1,#1976d2)"
_TEXT = f'font-size="11" fill="{_MUTED}"'


@dataclass(frozen=True)
class Point:
    """One step: its reward (0.0 where there is none), the return so far, and whether an episode begins with it."""

    reward: float
    total: float
    begins: bool = False


def draw(points: Sequence[Point], marked: int | None = None) -> str:
    """Draw the return as a line, rewards as dots, beginnings of episodes as upright lines, in the front end's colours.

    The oldest step comes first; of more than 400 the last are drawn. A ring is around the one at the place ``marked``.
    """
    shift = max(0, len(points) - _MOST)
    shown = [point for point in points[shift:] if math.isfinite(point.reward) and math.isfinite(point.total)]
    if not shown:
        return _svg("no step yet", f'<text x="{_EDGE}" y="{_HEIGHT / 2}" {_TEXT}>rewards appear here</text>')
    low = min(0.0, *(min(point.reward, point.total) for point in shown))
    high = max(0.0, *(max(point.reward, point.total) for point in shown))
    scale = _Scale(len(shown), low, high)
    parts = [f'<line x1="0" y1="{scale.y(0)}" x2="{_WIDTH}" y2="{scale.y(0)}" stroke="{_LINE}"/>']
    parts += [
        f'<line x1="{scale.x(place) - 3}" y1="2" x2="{scale.x(place) - 3}" y2="{_HEIGHT - 16}" stroke="{_LINE}" '
        'stroke-dasharray="2 3"/>'
        for place, point in enumerate(shown)
        if point.begins and place
    ]
    parts += [_returns(run, scale) for run in _episodes(shown)]
    parts.append(f'<g fill="{_MUTED}">{_dots(shown, scale)}</g>')
    if marked is not None and 0 <= marked - shift < len(shown):
        at = marked - shift
        parts.append(
            f'<circle cx="{scale.x(at)}" cy="{scale.y(shown[at].total)}" r="4.5" fill="none" stroke="{_BRAND}" '
            'stroke-width="2"/>'
        )
    parts.append(_legend(low, high))
    last = shown[-1]
    return _svg(f"reward and return, {steps(len(points))}, return now {number(last.total)}", "".join(parts))


@dataclass(frozen=True)
class _Scale:
    count: int
    low: float
    high: float

    def x(self, place: int) -> float:
        room = _WIDTH - 2 * _EDGE
        return round(_EDGE + (room * place / (self.count - 1) if self.count > 1 else 0.0), 1)

    def y(self, value: float) -> float:
        span = (self.high - self.low) or 1.0
        return round(4 + (_HEIGHT - 26) * (1 - (value - self.low) / span), 1)


def _episodes(shown: Sequence[Point]) -> list[list[tuple[int, Point]]]:
    runs: list[list[tuple[int, Point]]] = []
    for place, point in enumerate(shown):
        if point.begins or not runs:
            runs.append([])
        runs[-1].append((place, point))
    return runs


def _returns(run: Sequence[tuple[int, Point]], scale: _Scale) -> str:
    points = " ".join(f"{scale.x(place)},{scale.y(point.total)}" for place, point in run)
    return (
        f'<polyline fill="none" stroke="{_BRAND}" stroke-width="2" stroke-linejoin="round" '
        f'stroke-linecap="round" points="{points}"/>'
    )


def _dots(shown: Sequence[Point], scale: _Scale) -> str:
    size = 2.5 if len(shown) <= 60 else 1.5
    return "".join(
        f'<circle cx="{scale.x(place)}" cy="{scale.y(point.reward)}" r="{size}"/>' for place, point in enumerate(shown)
    )


def _legend(low: float, high: float) -> str:
    return (
        f'<text x="{_EDGE}" y="{_HEIGHT - 3}" {_TEXT}>'
        f'<tspan fill="{_BRAND}" font-weight="bold">─</tspan> return &#160;<tspan>●</tspan> reward</text>'
        f'<text x="{_WIDTH - _EDGE}" y="{_HEIGHT - 3}" text-anchor="end" {_TEXT}>'
        f"{number(low)} … {number(high)}</text>"
    )


def _svg(label: str, inside: str) -> str:
    return (
        f'<svg role="img" aria-label="{label}" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        f'style="display:block;width:100%;height:{_HEIGHT}px" preserveAspectRatio="xMinYMid meet">{inside}</svg>'
    )
