"""The look of the Build panel: dense rows of small fields."""

from typing import Final

STYLE: Final = """
.build { width: 100%; gap: 0; font-size: 12px; flex-wrap: nowrap; }
.build-section { width: 100%; padding: 6px 8px 8px; gap: 4px; border-bottom: 1px solid var(--drycell-line); }
.build-row { width: 100%; gap: 4px; align-items: center; flex-wrap: nowrap; }
.build-wrap { width: 100%; gap: 4px; align-items: center; flex-wrap: wrap; }
.build-title { font-size: 11px; font-weight: 600; color: var(--drycell-quiet); }
.build-label { flex: 0 0 104px; color: var(--drycell-quiet); line-height: 1.2; overflow-wrap: anywhere; }
.build-must { color: inherit; font-weight: 500; }
.build-field { flex: 1 1 0; min-width: 0; }
.build .q-btn { min-height: 24px; font-size: 12px; padding: 0 7px; }
.build .q-btn .q-icon { font-size: 17px; }
.build .q-btn.build-icon { padding: 0 3px; min-width: 24px; }
.build .q-field__control, .build .q-field__marginal, .build .q-field__native { min-height: 26px; height: 26px;
  font-size: 12px; }
.build .q-field__native, .build .q-field__input { padding: 0; }
.build .q-field--outlined .q-field__control { padding: 0 6px; }
.build .q-field__append .q-icon { font-size: 16px; }
.build .q-field--with-bottom { padding-bottom: 0; }
.build .q-field__bottom { position: static; transform: none; min-height: 0; padding: 2px 2px 0; font-size: 11px; }
.build .q-field__prefix { font-size: 11px; color: var(--drycell-quiet); padding: 0 3px 0 0; }
.build .q-checkbox__inner { font-size: 30px; }
.build .q-expansion-item .q-item { min-height: 26px; padding: 0 2px; font-size: 12px; }
.build .nicegui-expansion-content, .build .nicegui-expansion .q-expansion-item__content > div { padding: 0 !important; }
.build-nested { width: 100%; gap: 4px; padding: 2px 0 4px 10px; border-left: 2px solid var(--drycell-line); }
.build-tiles { display: grid; grid-template-columns: repeat(auto-fill, minmax(92px, 1fr)); gap: 4px; width: 100%; }
.build-tile { display: flex; flex-direction: column; align-items: center; gap: 1px; padding: 4px 3px; font: inherit;
  font-size: 11px; line-height: 1.15; text-align: center; border: 1px solid var(--drycell-line); border-radius: 4px;
  background: var(--drycell-face); color: inherit; cursor: pointer; overflow-wrap: anywhere; }
.build-tile .q-icon { font-size: 19px; color: var(--drycell-accent); }
.build-tile:hover, .build-tile:focus-visible { border-color: var(--drycell-accent); background: var(--drycell-hover); }
.build-note { width: 100%; padding: 4px 8px; gap: 6px; font-size: 12px; align-items: flex-start; flex-wrap: nowrap;
  border-bottom: 1px solid var(--drycell-line); white-space: pre-line; }
.build-wrong { color: var(--q-negative); }
.build-unsaved { color: var(--q-warning); font-weight: 500; white-space: nowrap; }
.build-plot { width: 100%; height: 110px; }
.build-caption { font-size: 11px; line-height: 13px; }
"""
