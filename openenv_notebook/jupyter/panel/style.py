"""The looks of the panel: one style sheet, in the front end's own colours.

Where a front end drops it, the controls stand below each other in the order of work, and everything still functions.
"""

from __future__ import annotations

PANEL_CSS = """
.openenv-panel {
  --oe-text: var(--jp-ui-font-color1, var(--vscode-editor-foreground, #1f2328));
  --oe-muted: var(--jp-ui-font-color2, var(--vscode-descriptionForeground, #656d76));
  --oe-line: var(--jp-border-color2, var(--vscode-panel-border, #d8dce2));
  --oe-card: var(--jp-layout-color1, var(--vscode-editor-background, #fff));
  --oe-soft: color-mix(in srgb, var(--jp-layout-color2, var(--vscode-sideBar-background, #f0f3f7)) 55%, var(--oe-card));
  --oe-brand: var(--jp-brand-color1, var(--vscode-button-background, #1976d2));
  --oe-on-brand: var(--jp-ui-inverse-font-color1, var(--vscode-button-foreground, #fff));
  --oe-chosen: color-mix(in srgb, var(--oe-brand) 16%, var(--oe-card));
  --oe-good: var(--jp-success-color1, #1a7f37);
  --oe-bad: var(--jp-error-color1, var(--vscode-errorForeground, #c62828));
  --oe-mono: var(--jp-code-font-family, var(--vscode-editor-font-family, ui-monospace, Menlo, Consolas, monospace));
  container-type: inline-size; box-sizing: border-box; width: 100%; max-width: 1280px; margin: 4px 0;
  color: var(--oe-text); background: var(--oe-card); border: 1px solid var(--oe-line); border-radius: 10px;
  overflow: hidden; font-size: 13px; font-variant-numeric: tabular-nums; }
.openenv-panel * { box-sizing: border-box; }
.openenv-panel .widget-html-content, .openenv-panel .jupyter-widgets { line-height: 1.45; }
.openenv-panel .widget-html { margin: 0; min-width: 0; height: auto; overflow: visible; }
.openenv-panel .widget-html > .widget-html-content { color: var(--oe-text); font-size: 13px; overflow: visible; }
.openenv-panel .openenv-style { display: none; }
.openenv-panel .widget-label { color: var(--oe-muted); font-size: 12px; width: auto; min-width: 0; padding: 0; }
.openenv-panel .openenv-quiet > .widget-label, .openenv-panel .openenv-quiet > label {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.openenv-panel input[type=text], .openenv-panel input[type=password], .openenv-panel input[type=number],
.openenv-panel textarea, .openenv-panel select {
  font: inherit; color: var(--oe-text); background-color: var(--oe-card); border: 1px solid var(--oe-line);
  border-radius: 6px; padding: 4px 8px; min-width: 0; box-shadow: none; }
.openenv-panel input[type=text], .openenv-panel input[type=password], .openenv-panel select { height: 30px; }
.openenv-panel select:not([size]), .openenv-panel .openenv-form select:not([size]) {
  appearance: none; padding-right: 24px; background-image: linear-gradient(45deg, transparent 50%, var(--oe-muted) 50%),
  linear-gradient(135deg, var(--oe-muted) 50%, transparent 50%); background-repeat: no-repeat;
  background-size: 5px 5px; background-position: right 13px center, right 8px center; }
.openenv-panel .jupyter-button {
  font: inherit; font-weight: 550; height: 30px; line-height: 28px; width: auto; margin: 0; padding: 0 12px;
  color: var(--oe-text); background: var(--oe-soft); border: 1px solid var(--oe-line); border-radius: 6px;
  box-shadow: none; text-overflow: ellipsis; overflow: hidden; }
.openenv-panel .jupyter-button:hover:enabled { border-color: var(--oe-brand); box-shadow: none; }
.openenv-panel .jupyter-button:disabled { opacity: .5; cursor: default; }
.openenv-panel .jupyter-button.mod-active { border-color: var(--oe-brand); color: var(--oe-brand); box-shadow: none; }
.openenv-panel .jupyter-button.openenv-danger { color: var(--oe-bad); }
.openenv-panel .jupyter-button:is(.openenv-primary, .openenv-chosen) {
  background: var(--oe-brand); border-color: var(--oe-brand); color: var(--oe-on-brand); }
.openenv-panel :is(input, textarea, select, button):focus-visible {
  outline: 2px solid var(--oe-brand); outline-offset: 1px; }
.openenv-panel .openenv-row { display: flex; gap: 8px; align-items: center; overflow: visible; flex-wrap: wrap; }
.openenv-panel .openenv-row > * { margin: 0; flex: none; }

.openenv-panel .openenv-row > :is(.widget-text, .widget-dropdown, .widget-combobox) { width: auto; height: 30px; }
.openenv-panel .openenv-header { padding: 8px 14px; min-height: 48px; gap: 10px 12px; }
.openenv-panel .openenv-row > .openenv-title { flex: 0 1 auto; margin-right: auto; max-width: 100%; overflow: hidden; }
.openenv-panel .openenv-title .widget-html-content, .openenv-panel .openenv-facts .widget-html-content {
  display: flex; gap: 12px; align-items: center; white-space: nowrap; }
.openenv-panel .openenv-name { font-weight: 650; font-size: 15px; overflow: hidden; text-overflow: ellipsis;
  max-width: 320px; }
.openenv-panel .openenv-address { color: var(--oe-muted); font-family: var(--oe-mono); font-size: 12px;
  overflow: hidden; text-overflow: ellipsis; max-width: 260px; }
.openenv-panel .openenv-chip { border-radius: 99px; padding: 1px 9px; font-size: 12px; font-weight: 600;
  border: 1px solid currentColor; color: var(--oe-muted); }
.openenv-panel .openenv-chip[data-state=open] { color: var(--oe-good); }
.openenv-panel .openenv-chip[data-state=lost] { color: var(--oe-bad); }
.openenv-panel .openenv-facts span { color: var(--oe-muted); }
.openenv-panel .openenv-facts b { color: var(--oe-text); font-weight: 600; }
.openenv-panel .openenv-seed { display: flex; align-items: center; gap: 8px; }
.openenv-panel .openenv-seed input { width: 64px; flex: none; }
.openenv-panel .openenv-more { padding: 0 14px 8px; gap: 8px 12px; }
.openenv-panel .openenv-arguments { flex: 1 1 220px; display: flex; align-items: center; gap: 8px; }
.openenv-panel .openenv-arguments input { flex: 1; }

.openenv-panel .openenv-body {
  display: grid; grid-template-columns: minmax(0, 1.35fr) minmax(0, 1fr);
  grid-template-areas: "observation action" "log run"; border-top: 1px solid var(--oe-line); overflow: visible; }
.openenv-panel .openenv-area { padding: 9px 14px; min-width: 0; overflow: hidden; }
.openenv-panel .openenv-area > * { margin: 0; }
.openenv-panel .openenv-area-observation { grid-area: observation; height: 366px; }
.openenv-panel .openenv-area-action { grid-area: action; height: 366px; border-left: 1px solid var(--oe-line); }
.openenv-panel .openenv-area-run { grid-area: run; height: 178px; border-left: 1px solid var(--oe-line);
  border-top: 1px solid var(--oe-line); }
.openenv-panel .openenv-area-log { grid-area: log; height: 178px; border-top: 1px solid var(--oe-line); }
.openenv-panel .openenv-heading { font-size: 11px; letter-spacing: .06em; text-transform: uppercase; font-weight: 600;
  color: var(--oe-muted); }
.openenv-panel .openenv-hint { color: var(--oe-muted); font-size: 12px; }

.openenv-panel .openenv-sends { background: var(--oe-soft); border: 1px solid var(--oe-line); border-radius: 6px;
  padding: 0 6px 0 10px; margin: 6px 0; display: flex; align-items: center; gap: 8px; flex: none; height: 46px;
  flex-wrap: nowrap; overflow: hidden; }
.openenv-panel .openenv-sends > .widget-html { flex: 1 1 0; overflow: hidden; }
.openenv-panel .openenv-sends code { font-family: var(--oe-mono); font-size: 12.5px; color: var(--oe-text);
  background: none; padding: 0; display: block; max-height: 37px; overflow: auto; white-space: pre-wrap;
  overflow-wrap: anywhere; }
.openenv-panel .openenv-sends code:has(+ .openenv-hint), .openenv-panel .openenv-sends .openenv-hint {
  max-height: 19px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.openenv-panel .openenv-scroll { overflow: hidden auto; flex: 1 1 0; min-height: 0; display: flex;
  flex-direction: column; padding: 3px 3px 4px; margin: -3px -3px 0; }
.openenv-panel .openenv-scroll > * { flex: none; margin: 0 0 6px; }
.openenv-panel .openenv-moves { gap: 6px; }
.openenv-panel .openenv-moves .jupyter-button { min-width: 36px; padding: 0 10px; max-width: 180px; }
.openenv-panel :is(.openenv-move, .openenv-tool) { display: flex; align-items: center; gap: 8px; width: 100%;
  height: 30px; }
.openenv-panel .openenv-move input { flex: 1; }
.openenv-panel .openenv-scroll > :is(.openenv-move, .openenv-tool) > .widget-label { margin: 0; }
.openenv-panel .openenv-scroll:has(.openenv-form:not([style*="display: none"]))
  > :is(.openenv-move, .openenv-tool) > .widget-label { width: 134px; padding-left: 22px; text-align: left; }
.openenv-panel .openenv-tool select { flex: 1; }

.openenv-panel .openenv-run-row { margin-top: 6px; gap: 5px; }
.openenv-panel .openenv-run-row .jupyter-button { padding: 0 9px; }
.openenv-panel .openenv-run-row input { width: 46px; flex: none; }
.openenv-panel .openenv-run-row select { width: auto; max-width: 128px; padding-right: 22px; }
.openenv-panel .openenv-run-row > .widget-text > .widget-label { margin: 0; }
.openenv-panel .openenv-count { display: flex; align-items: center; gap: 6px; }
.openenv-panel .openenv-area-run > * { flex: none; }
.openenv-panel .openenv-area-run > .openenv-chart { flex: 0 1 98px; min-height: 0; padding-top: 6px; overflow: hidden; }
.openenv-panel .openenv-chart .widget-html-content, .openenv-panel .openenv-chart svg { max-height: 100%; }
.openenv-panel .openenv-remark:has(.openenv-hint) { margin-top: 4px; }
.openenv-panel .openenv-remark .widget-html-content { line-height: 1.3; }
.openenv-panel .openenv-area-observation > .openenv-observation { margin-top: 4px; }

.openenv-panel .openenv-log-head { height: 30px; gap: 5px; flex-wrap: nowrap; }
.openenv-panel .openenv-log-head > .openenv-viewing { flex: 1 1 90px; min-width: 0; overflow: hidden; }
.openenv-panel .openenv-viewing .widget-html-content { text-align: right; white-space: nowrap; overflow: hidden;
  text-overflow: ellipsis; }
.openenv-panel .openenv-log-head .jupyter-button { height: 24px; line-height: 22px; padding: 0 7px; font-size: 12px; }
.openenv-panel .openenv-log-head > .openenv-number { width: 46px; height: 24px; }
.openenv-panel .openenv-log-head > .openenv-number input { height: 24px; width: 46px; padding: 0 2px 0 7px;
  font-size: 12px; margin: 0; }
.openenv-panel .openenv-log-head > .widget-hslider { flex: 0 1 84px; width: 84px; min-width: 56px; height: 24px;
  margin: 0 8px 0 6px; }
/* Core widgets cannot name the slider's handle: it is for pointers; the box beside it, which has a name and takes the
   arrow keys, does the same for keys and screen readers. */
.openenv-panel .openenv-log-head .noUi-handle { visibility: hidden; }
.openenv-panel .openenv-log-head .noUi-handle .noUi-touch-area { visibility: visible; border-radius: 50%;
  background: var(--oe-card); border: 1px solid var(--oe-muted); cursor: pointer; }
.openenv-panel .openenv-above { flex-wrap: nowrap; gap: 4px; border-bottom: 1px solid var(--oe-line); }
.openenv-panel .openenv-above > .openenv-columns { flex: 1 1 0; min-width: 0; overflow: hidden; }
.openenv-panel .openenv-above .jupyter-button { height: 18px; line-height: 16px; padding: 0 6px; font-size: 11px; }
.openenv-panel .openenv-columns { font-family: var(--oe-mono); font-size: 12px; font-weight: 600; }
.openenv-panel .openenv-columns .widget-html-content { color: var(--oe-muted); font-family: var(--oe-mono);
  font-size: 12px; white-space: nowrap; padding: 0 5px; overflow: hidden; }
/* Whole rows of 19 px. */
.openenv-panel .openenv-steps { width: 100%; flex: 1 1 0; min-height: 0; height: auto; max-height: 95px; }
.openenv-panel .openenv-steps select { width: 100%; height: 100%; border: 0; padding: 0; border-radius: 0;
  font-family: var(--oe-mono); font-size: 12px; background: transparent; overflow: auto; }
.openenv-panel .openenv-steps option { padding: 2px 5px; border-bottom: 1px solid var(--oe-line); }
.openenv-panel .openenv-steps option:checked { color: var(--oe-text); background: var(--oe-chosen)
  linear-gradient(var(--oe-chosen), var(--oe-chosen)); font-weight: 650; }
.openenv-panel .openenv-code { width: 100%; flex: 1 1 0; min-height: 0; height: auto; }
.openenv-panel .openenv-code textarea { width: 100%; height: 100%; font-family: var(--oe-mono); font-size: 12px;
  resize: none; white-space: pre; overflow: auto; }

/* Two lines, filled or not: an error moves nothing. */
.openenv-panel .openenv-status { padding: 3px 14px; height: 42px; border-top: 1px solid var(--oe-line);
  background: var(--oe-soft); flex-wrap: nowrap; }
.openenv-panel .openenv-status > .openenv-said { flex: 1 1 0; min-width: 0; }
.openenv-panel .openenv-said .widget-html-content { font-size: 12px; color: var(--oe-muted); white-space: nowrap;
  overflow: hidden; text-overflow: ellipsis; }
.openenv-panel .openenv-said [role=alert] { color: var(--oe-bad); font-weight: 550; white-space: normal;
  display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-height: 1.4; overflow: hidden;
  overflow-wrap: anywhere; }

/* All columns of the log, also beside a list of files. */
@container (min-width: 760.1px) and (max-width: 860px) {
  .openenv-panel .openenv-steps select, .openenv-panel .openenv-columns .widget-html-content { font-size: 11px; }
  .openenv-panel .openenv-steps option { padding: 2.5px 5px; }
}
@container (max-width: 760px) {
  .openenv-panel .openenv-body { grid-template-columns: minmax(0, 1fr);
    grid-template-areas: "observation" "action" "run" "log"; }
  .openenv-panel .openenv-area-action, .openenv-panel .openenv-area-run {
    border-left: 0; border-top: 1px solid var(--oe-line); }
  .openenv-panel .openenv-area-action { height: 204px; }
  .openenv-panel .openenv-area-run { height: 176px; }
  .openenv-panel .openenv-area-log { height: 168px; }
}
@media (forced-colors: active) {
  .openenv-panel .jupyter-button { border: 1px solid ButtonText; }
  .openenv-panel .jupyter-button:is(.openenv-primary, .openenv-chosen) { outline: 2px solid Highlight; }
}
/* The still picture of the episode is for notebooks without a living panel. */
.jp-OutputArea:has(.openenv-panel) .jp-OutputArea-child:has(.openenv-still) { display: none; }
.jp-OutputArea:has(.openenv-panel) .openenv-still { display: none; }
"""


def style_sheet(*parts: str) -> str:
    """Write the style element for an HTML widget, with further rules: of the form and of the observation."""
    return f"<style>{PANEL_CSS}{''.join(parts)}</style>"
