"""How the form looks: plain CSS on the front end's own variables.

Front ends that drop it show the same controls in the same order, each with its name.
"""

FORM_CSS = """
.openenv-panel .openenv-form {
  overflow: visible; margin: 0; font-size: 13px; container-type: inline-size; color: var(--oe-text);
}
.openenv-panel .openenv-form .widget-box, .openenv-panel .openenv-form .widget-vbox,
.openenv-panel .openenv-form .widget-hbox { overflow: visible; margin: 0; flex: 0 0 auto; }
.openenv-panel .openenv-form .openenv-fields, .openenv-panel .openenv-form .openenv-entries,
.openenv-panel .openenv-form .openenv-branch { gap: 7px; }
.openenv-panel .openenv-form .openenv-field { gap: 1px; }
.openenv-panel .openenv-form .openenv-form-head { gap: 6px; align-items: flex-start; }
.openenv-panel .openenv-form .openenv-form-head > * { margin: 0; }
.openenv-panel .openenv-form :is(.openenv-control, .openenv-form-code, .openenv-check, .openenv-holder) {
  flex: 1 1 0; margin: 0; min-width: 0; height: auto; gap: 8px; }
.openenv-panel .openenv-form .openenv-holder { overflow: visible; }
.openenv-panel .openenv-form :is(.openenv-control, .openenv-form-code, .openenv-form-filter) > .widget-label,
.openenv-panel .openenv-form .openenv-check span, .openenv-panel .openenv-form .openenv-label {
  color: var(--oe-text); font-size: 12.5px; font-weight: 550; text-align: left; line-height: 28px; height: 28px;
  margin: 0; padding: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; flex: none; }
.openenv-panel .openenv-form .openenv-label { flex: 0 1 auto; width: auto; min-width: 48px; padding-right: 4px; }
.openenv-panel .openenv-form .openenv-form-facts { flex: 1 1 0; min-width: 0; height: 28px; overflow: hidden; }
.openenv-panel .openenv-form .openenv-form-facts :is(.widget-html-content, .openenv-hint) { line-height: 28px;
  height: 28px; padding: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.openenv-panel .openenv-form :is(input[type=text], input[type=password], select) {
  height: 28px; padding: 2px 8px; margin: 0; flex: 1 1 0; min-width: 0; width: 100%; }
.openenv-panel .openenv-form textarea { margin: 0; flex: 1 1 0; min-width: 0; width: 100%; height: auto;
  padding: 4px 8px; resize: vertical; line-height: 1.4; }
.openenv-panel .openenv-form .openenv-form-code textarea { font-family: var(--oe-mono); font-size: 12px;
  white-space: pre; overflow: auto; tab-size: 4; }
.openenv-panel .openenv-form ::placeholder { color: var(--oe-muted); opacity: .75; }

.openenv-panel .openenv-form .openenv-tick { flex: 0 0 16px; width: 16px !important; min-width: 16px !important;
  height: 28px; margin: 0; }
.openenv-panel .openenv-form :is(.openenv-tick, .openenv-null, .openenv-check) :is(label, .widget-label-basic) {
  display: flex; align-items: center; height: 28px; margin: 0; line-height: 28px; }
.openenv-panel .openenv-form .openenv-tick span { position: absolute; width: 1px; height: 1px; overflow: hidden;
  clip-path: inset(50%); white-space: nowrap; }
.openenv-panel .openenv-form input[type=checkbox] { margin: 0; width: 15px; height: 15px; flex: none;
  accent-color: var(--oe-brand); }
.openenv-panel .openenv-form .openenv-null { flex: none; width: auto; font-size: 12px; color: var(--oe-muted); }
.openenv-panel .openenv-form .openenv-null label { gap: 4px; color: var(--oe-muted); }
.openenv-panel .openenv-form .openenv-check label { flex-direction: row-reverse; justify-content: flex-end; gap: 8px;
  width: 100%; }
.openenv-panel .openenv-form .openenv-check span { width: 112px; }

.openenv-panel .openenv-form .openenv-note { margin: 0; height: auto; min-height: 0; overflow: visible; }
.openenv-panel .openenv-form .openenv-note > .widget-html-content { font-size: 11.5px; line-height: 1.4; padding: 0;
  height: auto; min-height: 0; overflow: visible; overflow-wrap: anywhere; }
.openenv-panel .openenv-form .openenv-field > .openenv-note { padding-left: 142px; }
.openenv-panel .openenv-form .openenv-labelled > .openenv-note { padding-left: 22px; }
.openenv-panel .openenv-form .openenv-note:has(> .widget-html-content:empty) { display: none; }
.openenv-panel .openenv-form .openenv-hint { color: var(--oe-muted); font-size: 11.5px; }
.openenv-panel .openenv-form .openenv-hint details { display: inline; }
.openenv-panel .openenv-form .openenv-hint summary { display: inline; list-style: none; cursor: pointer; }
.openenv-panel .openenv-form .openenv-hint summary::-webkit-details-marker { display: none; }
.openenv-panel .openenv-form .openenv-hint details[open] summary span { display: none; }
.openenv-panel .openenv-form .openenv-hint summary:focus-visible { outline: 2px solid var(--oe-brand); }
.openenv-panel .openenv-form .openenv-error { color: var(--oe-bad); font-size: 12px; font-weight: 550; }
.openenv-panel .openenv-form .openenv-error > div::before { content: "▲ "; font-size: 9px; }
.openenv-panel .openenv-form .openenv-wrong > .openenv-form-head
  :is(input[type=text], input[type=password], select, textarea) {
  border-color: var(--oe-bad); }
.openenv-panel .openenv-form .openenv-off > .openenv-form-head .widget-label,
.openenv-panel .openenv-form .openenv-off > .openenv-form-head .openenv-label { color: var(--oe-muted);
  font-weight: 400; }
.openenv-panel .openenv-form .openenv-off > .openenv-form-head
  :is(input[type=text], input[type=password], select, textarea) {
  color: var(--oe-muted); border-style: dashed; }
.openenv-panel .openenv-form .openenv-off > .openenv-form-head textarea:not(:focus) { height: 28px; overflow: hidden;
  resize: none; }
.openenv-panel .openenv-form .openenv-off > .openenv-form-head > :is(.openenv-add, .openenv-switch) { display: none; }

.openenv-panel .openenv-form :is(.openenv-entries, .openenv-fields .openenv-fields, .openenv-branch) {
  padding-left: 10px; margin: 2px 0 2px 7px; width: auto !important; border-left: 2px solid var(--oe-line); }
.openenv-panel .openenv-form .openenv-branch .openenv-fields { border: 0; padding: 0; margin: 0; }
.openenv-panel .openenv-form :is(.openenv-entries, .openenv-branch):not(:has(> *)) { display: none; }
.openenv-panel .openenv-form .openenv-entry { gap: 6px; align-items: flex-start; }
.openenv-panel .openenv-form .openenv-entry > :first-child { flex: 1 1 0; min-width: 0; width: auto; }
.openenv-panel .openenv-form :is(.openenv-entry, .openenv-pair) > .openenv-field > .openenv-form-head > .openenv-tick {
  display: none; }
.openenv-panel .openenv-form .openenv-entry > .openenv-field > .openenv-form-head .widget-label {
  width: 34px !important; color: var(--oe-muted); font-weight: 400; }
.openenv-panel .openenv-form .openenv-entry > .openenv-field > .openenv-note { padding-left: 42px; }
.openenv-panel .openenv-form .openenv-pair { gap: 4px; }
.openenv-panel .openenv-form .openenv-entry .openenv-pair .widget-label { width: 44px !important; font-weight: 400;
  color: var(--oe-muted); }
.openenv-panel .openenv-form .openenv-pair .openenv-note { padding-left: 52px; }
.openenv-panel .openenv-form .openenv-form-moves { gap: 2px; width: auto !important; flex: none; }
.openenv-panel .openenv-form .jupyter-button { height: 26px; line-height: 24px; margin: 1px 0; padding: 0 8px;
  font-size: 12px; flex: none; width: auto; }
.openenv-panel .openenv-form .openenv-form-moves .jupyter-button { padding: 0; width: 24px; min-width: 24px;
  background: none; border-color: transparent; color: var(--oe-muted); }
.openenv-panel .openenv-form .openenv-form-moves .jupyter-button:hover:enabled { border-color: var(--oe-line); }
.openenv-panel .openenv-form .openenv-form-moves .openenv-remove:hover:enabled { color: var(--oe-bad); }
.openenv-panel .openenv-form .openenv-form-more { align-self: flex-start; background: none; border-color: transparent;
  color: var(--oe-muted); padding: 0 6px 0 2px; }
.openenv-panel .openenv-form .openenv-form-filter { height: 28px; margin: 0; gap: 8px; }

[data-jp-theme-light=false] .openenv-panel .openenv-form { color-scheme: dark; }
@container (max-width: 380px) {
  .openenv-panel .openenv-form :is(.openenv-control, .openenv-form-code) > .widget-label,
  .openenv-panel .openenv-form .openenv-check span { width: 84px !important; }
  .openenv-panel .openenv-form .openenv-field > .openenv-note { padding-left: 22px; }
}
"""
