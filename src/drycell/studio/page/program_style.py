"""The look of the program panel."""

from typing import Final

STYLE: Final = """
.drycell-editor { width: 100%; height: 100%; overflow: hidden; }
.drycell-files { display: flex; flex: 1 1 0; min-width: 0; overflow-x: auto; overflow-y: hidden; height: 34px;
  scrollbar-width: none; }
.drycell-files::-webkit-scrollbar { display: none; }
.drycell-file { display: flex; align-items: center; gap: 4px; padding: 0 4px 0 8px; font-size: 12px; cursor: pointer;
  white-space: nowrap; border-right: 1px solid var(--drycell-line); color: var(--drycell-quiet); flex: none; }
.drycell-file:hover { background: var(--drycell-hover); }
.drycell-file.drycell-shown { color: inherit; background: var(--drycell-face);
  box-shadow: inset 0 -2px 0 var(--drycell-accent); }
.drycell-file .q-icon { font-size: 13px; border-radius: 3px; padding: 2px; opacity: .55; }
.drycell-file .q-icon:hover { background: var(--drycell-hover); opacity: 1; }
.drycell-unsaved { width: 8px; height: 8px; border-radius: 50%; background: var(--drycell-accent); margin: 0 5px; }
.drycell-told { width: 100%; flex: none; flex-wrap: wrap; align-items: center; gap: 2px 6px; padding: 2px 8px;
  font-size: 12px; background: color-mix(in srgb, #f9a825 16%, var(--drycell-face));
  border-bottom: 1px solid var(--drycell-line); }
.drycell-told .q-btn { font-size: 12px; padding: 0 6px; min-height: 22px; }
.drycell-lower { width: 100%; height: 100%; overflow: hidden; display: flex; flex-direction: column; }
.drycell-lower .q-tab-panels { background: transparent; }
.drycell-problem { display: flex; gap: 6px; align-items: flex-start; padding: 2px 8px; cursor: pointer;
  font-size: 12px; line-height: 1.4; }
.drycell-problem:hover { background: var(--drycell-hover); }
.drycell-problem .q-icon { font-size: 15px; padding-top: 1px; }
.drycell-place { margin-left: auto; padding-left: 8px; color: var(--drycell-quiet); white-space: nowrap; }
.drycell-try { color: var(--drycell-quiet); }
.drycell-stack { border-bottom: 1px solid var(--drycell-line); padding: 2px 0; flex: none; max-height: 40%;
  overflow: auto; }
.drycell-held { min-height: 26px; max-height: 26px; gap: 8px; }
.drycell-call { display: flex; padding: 0 8px; font-size: 12px; cursor: pointer; line-height: 1.6; }
.drycell-call:hover, .drycell-call.drycell-shown { background: var(--drycell-hover); }
.drycell-variables { font-size: 12px; padding: 2px 4px; }
.drycell-variables .q-tree__node-header { padding: 0 2px; min-height: 20px; margin-top: 0; border-radius: 2px; }
.drycell-variables .q-tree__node { padding-bottom: 0; }
.drycell-variables .q-tree__arrow { font-size: 14px; margin-right: 0; }
.drycell-variables .q-tree__node-header-content { flex-wrap: nowrap; min-width: 0; }
.drycell-scope { font-weight: 500; color: var(--drycell-quiet); }
.drycell-value { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 11.5px;
  overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.drycell-type { color: var(--drycell-quiet); padding-left: 10px; white-space: nowrap; font-size: 11px;
  margin-left: auto; }
.drycell-output { width: 100%; height: 100%; overflow: auto; display: flex; flex-direction: column-reverse; }
.drycell-output > * { margin-bottom: auto; padding: 2px 8px; white-space: pre-wrap; overflow-wrap: anywhere;
  font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 12px; }
.drycell-difference { font-family: ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace; font-size: 12px;
  white-space: pre; border-collapse: collapse; width: 100%; }
.drycell-difference td { padding: 0 6px; vertical-align: top; }
.drycell-difference td:nth-child(odd) { color: var(--drycell-quiet); text-align: right; user-select: none; width: 1%; }
.drycell-mine { background: color-mix(in srgb, #2e7d32 16%, transparent); }
.drycell-theirs { background: color-mix(in srgb, #1565c0 16%, transparent); }
.drycell-apart { color: var(--drycell-quiet); text-align: center; }
.drycell-program-select .q-field__control, .drycell-program-select .q-field__native,
.drycell-program-select .q-field__marginal { min-height: 26px; height: 26px; font-size: 12px; }
"""
