"""How observations look in the panel. Variables of the front end's theme, with fallbacks."""

from __future__ import annotations

_S = ".openenv-panel .openenv-observation"

OBSERVATION_CSS = f"""
{_S} {{ --ob-text: var(--oe-text, var(--jp-content-font-color1, #1f2328));
  --ob-muted: var(--oe-muted, var(--jp-content-font-color2, #656d76));
  --ob-line: var(--oe-line, var(--jp-border-color2, #d5dae1));
  --ob-soft: var(--oe-soft, var(--jp-layout-color2, #f5f7fa));
  --ob-brand: var(--oe-brand, var(--jp-brand-color1, #1976d2));
  --ob-mono: var(--oe-mono, var(--jp-code-font-family, ui-monospace, Menlo, Consolas, monospace)); }}
{_S} .jupyter-button {{ flex: none; font-size: 12px; line-height: 22px; padding: 0 8px; }}
{_S} .openenv-seen {{ color: var(--ob-text); font-size: 13px; line-height: 1.5; padding: 2px 2px 8px;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }}
{_S} .openenv-what {{ color: var(--ob-muted); font-size: 12px; line-height: 28px; white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }}
{_S} .openenv-unseen {{ position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%);
  white-space: nowrap; }}
{_S} pre {{ font-family: var(--ob-mono); font-size: 12.5px; line-height: 1.5; color: var(--ob-text); background: none;
  border: 0; margin: 0; padding: 0; white-space: pre-wrap; overflow-wrap: anywhere; }}
{_S} details > summary {{ cursor: pointer; color: var(--ob-muted); }}

{_S} table {{ border: 0; background: none; margin: 0; color: inherit; font-size: inherit; table-layout: auto; }}
{_S} tr, {_S} tr:nth-child(odd), {_S} tr:hover {{ background: none; }}
{_S} .openenv-fields {{ border-collapse: collapse; margin-top: 4px; }}
{_S} .openenv-fields > tbody > tr > th {{ position: relative; font-weight: 400; color: var(--ob-muted);
  text-align: left; vertical-align: top; min-width: 96px; max-width: 200px; padding: 1px 14px 1px 0;
  white-space: nowrap; overflow: hidden; text-overflow: ellipsis; background: none; border: 0; }}
{_S} .openenv-fields > tbody > tr > th > b {{ font-weight: 650; color: var(--ob-text); }}
{_S} .openenv-fields > tbody > tr > td {{ text-align: left; vertical-align: top; padding: 1px 0; border: 0; }}

{_S} .openenv-board {{ border-collapse: separate; border-spacing: var(--openenv-gap); margin: 0 0 4px -4px; }}
{_S} .openenv-board th {{ font: 400 11px/1 var(--ob-mono); color: var(--ob-muted); text-align: center; padding: 0 2px;
  min-width: 10px; white-space: nowrap; background: none; border: 0; }}
{_S} .openenv-board td {{ position: relative; box-sizing: border-box; width: var(--openenv-cell);
  min-width: var(--openenv-cell); max-width: var(--openenv-cell); height: var(--openenv-cell); padding: 0;
  text-align: center; vertical-align: middle; font: 400 var(--openenv-letter)/1 var(--ob-mono); color: var(--ob-text);
  background: color-mix(in srgb, var(--ob-soft) 65%, transparent);
  border: 1px solid var(--ob-line); overflow: visible; white-space: nowrap; }}
{_S} .openenv-board tr:first-child > td {{ background: none; border: 0; height: auto; width: auto; min-width: 0; }}
{_S} .openenv-board td b {{ font-weight: 700; }}
{_S} .openenv-pieces td {{ border-radius: 50%; }}
{_S} .openenv-tiles td {{ border-radius: 2px; border-color: transparent; }}
{_S} .openenv-tiles th[scope="col"] {{ padding: 0; font-size: 9px; max-width: var(--openenv-cell); }}
{_S} .openenv-chess td {{ border: 0; font-size: calc(var(--openenv-cell) * 0.72);
  font-family: "DejaVu Sans", "Segoe UI Symbol", "Noto Sans Symbols2", sans-serif;
  color: #14181d; background: #f3ead9; }}
{_S} .openenv-chess td b {{ font-weight: 400; }}
{_S} .openenv-chess tr:nth-child(odd):not(:first-child) td:nth-child(even),
{_S} .openenv-chess tr:nth-child(even) td:nth-child(odd) {{ background: #cdb591; }}
{_S} .openenv-board td.openenv-p1 {{ background: #f2c94c; color: #5d4a00; border-color: #d8ad2a; }}
{_S} .openenv-board td.openenv-p2 {{ background: #eb6f6f; color: #4d0b0b; border-color: #c94f4f; }}
{_S} .openenv-board td.openenv-p3 {{ background: #7fb3f5; color: #0b2a52; border-color: #5a93dd; }}
{_S} .openenv-board td.openenv-p4 {{ background: #7cc893; color: #0b3b1b; border-color: #58a873; }}
{_S} .openenv-board td.openenv-p5 {{ background: #b79cf0; color: #2c1463; border-color: #9678d6; }}
{_S} .openenv-board td.openenv-p6 {{ background: #f2a25c; color: #552a00; border-color: #d4833b; }}
{_S} .openenv-board td.openenv-wall {{ background: #9aa4af; color: #14181d; border-color: #7f8994; }}
{_S} .openenv-board td.openenv-ring {{ outline: 2px solid var(--ob-brand); outline-offset: 1px; z-index: 1; }}
{_S} .openenv-tiles td.openenv-ring {{ outline-offset: 0; }}
{_S} .openenv-chess td.openenv-ring {{ outline-offset: -2px; outline-width: 3px; }}

{_S} .openenv-end {{ display: flex; flex-direction: column-reverse; max-height: 240px; overflow: auto; }}
{_S} .openenv-turn pre {{ font: inherit; }}
{_S} .openenv-talk {{ display: flex; flex-direction: column; align-items: flex-start; gap: 8px; }}
{_S} .openenv-earlier {{ color: var(--ob-muted); font-size: 12px; }}
{_S} .openenv-turn {{ max-width: 86%; box-sizing: border-box; padding: 5px 11px 7px; border: 1px solid var(--ob-line);
  border-radius: 4px 12px 12px 12px; }}
{_S} .openenv-mine {{ align-self: flex-end; border-radius: 12px 4px 12px 12px; background: var(--ob-soft); }}
{_S} .openenv-who {{ font-size: 11px; font-weight: 650; letter-spacing: 0.02em; line-height: 1.6; }}
{_S} .openenv-new {{ font-weight: 600; color: var(--ob-text); border: 1px solid var(--ob-brand); border-radius: 99px;
  padding: 0 6px; margin-left: 4px; }}

{_S} .openenv-curve {{ display: block; width: min(100%, 340px); height: 40px; color: var(--ob-brand); margin: 3px 0; }}
{_S} .openenv-beside {{ display: flex; flex-wrap: wrap; gap: 4px 28px; align-items: flex-start; }}
{_S} .openenv-picture {{ display: block; margin: 0 0 6px; max-width: 100%; object-fit: contain; object-position: left;
  height: auto; background: none; border-radius: 3px; }}
{_S} .openenv-sharp {{ image-rendering: pixelated; }}
@media (forced-colors: active) {{
  {_S} .openenv-board td {{ border: 1px solid CanvasText; }}
  {_S} .openenv-board td.openenv-ring {{ outline-color: Highlight; outline-width: 3px; }}
}}
"""
