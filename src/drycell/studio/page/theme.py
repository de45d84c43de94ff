"""The look of the page: small type, one accent colour, light or dark as the system says or the user chose."""

from typing import Final

from nicegui import ui

from drycell.studio.page.desk import Desk

_STYLE: Final = """
:root { --drycell-line: #d0d7de; --drycell-quiet: #5f6b76; --drycell-face: #ffffff; --drycell-bar: #f3f5f7;
  --drycell-accent: #1565c0; --drycell-hover: rgba(21,101,192,.10); }
.body--dark { --drycell-line: #2d333b; --drycell-quiet: #9aa5b1; --drycell-face: #1b1f24; --drycell-bar: #22272e;
  --drycell-accent: #64b5f6; --drycell-hover: rgba(100,181,246,.14); }
body { --q-primary: #1565c0 !important; --q-negative: #c62828 !important; --q-warning: #f9a825 !important;
  --q-positive: #2e7d32 !important; --q-dark: #22272e !important; --q-dark-page: #1b1f24 !important; }
body.body--dark { --q-primary: #64b5f6 !important; --q-negative: #ef5350 !important; --q-positive: #66bb6a !important; }
body { font-size: 13px; background: var(--drycell-face); overflow: hidden; }
.nicegui-content { padding: 0; gap: 0; }
.drycell-shell { width: 100vw; height: 100vh; gap: 0; flex-wrap: nowrap; background: var(--drycell-face); }
.drycell-column { width: 100%; height: 100%; gap: 0; flex-wrap: nowrap; min-height: 0; }
.drycell-grow { width: 100%; flex: 1 1 0; min-height: 0; overflow: hidden; position: relative;
  background: transparent; }
.drycell-split { width: 100%; flex: 1 1 0; min-height: 0; height: 100%; }
.drycell-split > .q-splitter__panel { overflow: hidden; }
.drycell-split > .q-splitter__separator { background: var(--drycell-line); }
.drycell-split > .q-splitter__separator:hover { background: var(--drycell-accent); }
.drycell-panel { padding: 0; height: 100%; overflow: auto; }
.drycell-bar { width: 100%; flex: none; flex-wrap: nowrap; align-items: center; gap: 2px; padding: 0 6px;
  min-height: 34px; max-height: 40px; background: var(--drycell-bar); border-bottom: 1px solid var(--drycell-line); }
.drycell-transport { border-top: 1px solid var(--drycell-line); border-bottom: none; }
.drycell-asking { flex-wrap: wrap; max-height: none; }
.drycell-tabs { width: 100%; flex: none; min-height: 28px; background: var(--drycell-bar); color: var(--drycell-quiet);
  border-bottom: 1px solid var(--drycell-line); }
.drycell-tabs .q-tab { min-height: 28px; padding: 0 10px; font-size: 12px; }
.drycell-tabs .q-tab--active { color: var(--drycell-accent); }
.drycell-tabs .q-tab__label { font-size: 12px; }
.drycell-clock { font-variant-numeric: tabular-nums; font-size: 12px; white-space: nowrap; }
.drycell-now { min-width: 96px; text-align: right; }
.drycell-quiet { color: var(--drycell-quiet); }
.q-notification { max-width: 440px; }
.q-notification__message { white-space: pre-line; font-size: 13px; }
.q-notification__actions .q-btn .q-btn__content { color: #fff; }
.drycell-mark { display: flex; padding: 0 4px; }
.drycell-seed { width: 44px; font-size: 12px; padding: 0 4px; } .drycell-seed input { padding: 0; }
.drycell-transport .q-field__control, .drycell-transport .q-field__native, .drycell-transport .q-field__marginal {
  min-height: 28px; height: 28px; font-size: 12px; }
.drycell-transport .q-field__append { padding-left: 0; }
.drycell-transport .q-field__append .q-icon { font-size: 18px; }
.drycell-speed { width: 62px; font-size: 12px; }
.drycell-scrubber { flex: 1 1 0; min-width: 60px; margin: 0 6px; }
.drycell-narrow { padding: 0; min-width: 14px; margin-left: -4px; }
.drycell-key { font-family: ui-monospace, monospace; font-size: 12px; padding: 0 6px;
  border: 1px solid var(--drycell-line); border-radius: 3px; background: var(--drycell-bar); justify-self: start; }
.drycell-opening { width: 860px; max-width: 92vw; max-height: 86vh; overflow: auto; }
.drycell-section { color: var(--drycell-quiet); font-size: 12px; text-transform: uppercase; letter-spacing: .04em; }
.drycell-tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(240px, 1fr)); gap: 8px; width: 100%; }
.drycell-tile { text-align: left; border: 1px solid var(--drycell-line); border-radius: 4px; padding: 8px 10px;
  cursor: pointer; display: flex; flex-direction: column;
  background: var(--drycell-face); color: inherit; font: inherit; min-height: 64px; }
.drycell-tile:hover, .drycell-tile:focus-visible { border-color: var(--drycell-accent);
  background: var(--drycell-hover); }
.drycell-tile-text { font-size: 12px; line-height: 1.35; }
.drycell-recent { font-size: 12px; font-weight: 400; }
.drycell-start { width: 960px; max-width: 94vw; margin: 0 auto; padding: 24px 0; gap: 16px; }
.drycell-scroll { width: 100%; flex: 1 1 0; overflow: auto; }
.drycell-mono { font-family: ui-monospace, "DejaVu Sans Mono", monospace; font-size: 12px; line-height: 1.4;
  white-space: pre-wrap; overflow-wrap: anywhere; }
.drycell-typed { color: var(--drycell-accent); }
.drycell-small { font-size: 12px; }
.drycell-drawing { width: 100%; background: #fff; max-height: 300px; }
.drycell-error { width: 100%; flex: none; flex-wrap: nowrap; align-items: flex-start; gap: 8px; padding: 4px 10px;
  color: var(--q-negative); border-bottom: 1px solid var(--drycell-line); max-height: 160px; overflow: auto; }
.drycell-state { font-size: 11px; margin-left: 8px; }
.drycell-row { display: flex; width: 100%; gap: 10px; padding: 2px 10px; font: inherit; font-size: 12px;
  text-align: left; color: inherit; background: none; border: none; cursor: pointer; }
.drycell-row:hover { background: var(--drycell-hover); }
.drycell-chosen { background: var(--drycell-hover); box-shadow: inset 2px 0 0 var(--drycell-accent); }
.drycell-when { flex: 0 0 70px; } .drycell-who { flex: 0 0 110px; font-weight: 500; } .drycell-what { flex: 1; }
.q-btn--dense { font-size: 12px; }
.q-tooltip { font-size: 12px; }
"""


def theme(desk: Desk) -> ui.dark_mode:
    """Colours and type of the page; returns the switch between light and dark (None follows the system)."""
    kept = desk.keeps.get("dark")
    ui.add_css(_STYLE)
    return ui.dark_mode(kept if isinstance(kept, bool) else None)
