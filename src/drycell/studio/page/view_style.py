"""The look of what lies over the 3-D view: labels, hints, the little cross of axes."""

from typing import Final

STYLE: Final = """
.cellview-host { width: 100%; flex: 1 1 0; min-height: 0; position: relative; overflow: hidden; outline: none;
  background: linear-gradient(#fbfcfd, #d9e1e8); }
.cellview-host.cellview-dark { background: linear-gradient(#353c44, #15181b); }
.cellview-host canvas { display: block; touch-action: none; }
.cellview-labels { position: absolute; inset: 0; overflow: hidden; pointer-events: none; }
.cellview-label { position: absolute; left: 0; top: 0; padding: 0 4px; font-size: 11px; line-height: 17px;
  white-space: nowrap;
  color: #263238; background: rgba(255,255,255,.78); border-radius: 3px; }
.cellview-dark .cellview-label { color: #e3e8ec; background: rgba(24,28,32,.72); }
.cellview-label.cellview-workpoint { color: #1565c0; }
.cellview-dark .cellview-label.cellview-workpoint { color: #90caf9; }
.cellview-label.cellview-sensor { color: #1b6e36; }
.cellview-dark .cellview-label.cellview-sensor { color: #a5d6a7; }
.cellview-label.cellview-near { color: #8a5a00; font-weight: 600; }
.cellview-dark .cellview-label.cellview-near { color: #ffcc80; }
.cellview-label.cellview-collision { color: #b71c1c; font-weight: 600; }
.cellview-dark .cellview-label.cellview-collision { color: #ff8a80; }
.cellview-compass { position: absolute; left: 6px; bottom: 6px; width: 64px; height: 64px;
  pointer-events: none; overflow: visible; }
.cellview-compass text { font: 600 11px sans-serif; text-anchor: middle; dominant-baseline: central; }
.cellview-hint { display: none; position: absolute; left: 50%; top: 10px; transform: translateX(-50%);
  padding: 3px 12px;
  font-size: 12px; color: #fff; background: var(--drycell-accent, #1565c0); border-radius: 12px; pointer-events: none; }
.cellview-dark .cellview-hint { color: #10202e; }
.cellview-hover { display: none; position: absolute; left: 0; top: 0; padding: 1px 6px; font-size: 11px;
  line-height: 16px;
  color: #fff; background: rgba(38,50,56,.88); border-radius: 3px; pointer-events: none; white-space: nowrap; }
.cellview-lost::after { content: "no connection"; position: absolute; right: 10px; bottom: 8px; padding: 1px 8px;
  font-size: 11px;
  color: #fff; background: #c62828; border-radius: 3px; }
"""
