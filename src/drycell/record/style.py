"""The style of a report: on a light background, on paper (A4) and on a phone."""

from typing import Final

STYLE: Final = """
:root { --ink: #1c2733; --soft: #5d6a78; --line: #d8dee5; --pale: #f4f6f8; --main: #1f5f8b; --good: #23744a;
  --bad: #b3261e; --warn: #8a5a00; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; color-scheme: light; }
body { margin: 0; background: #fff; color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; }
main, footer { max-width: 1000px; margin: 0 auto; padding: 0 20px; }
main > * { margin: 0 0 30px; }
header { padding-top: 28px; }
.kicker { margin: 0; color: var(--main); font-size: 12px; font-weight: 600; letter-spacing: .08em;
  text-transform: uppercase; }
h1 { margin: 0 0 10px; font-size: 30px; line-height: 1.2; overflow-wrap: anywhere; }
h2 { margin: 0 0 12px; padding-bottom: 5px; border-bottom: 2px solid var(--ink); font-size: 19px; line-height: 1.3; }
h3 { margin: 20px 0 6px; font-size: 15px; }
p { margin: 0 0 10px; }
.note, figcaption, footer { color: var(--soft); font-size: 13px; }
.verdict { display: flex; flex-wrap: wrap; gap: 8px; margin: 0 0 16px; }
.pill { padding: 3px 12px; border-radius: 99px; color: #fff; font-size: 14px; font-weight: 600; }
.pill.good { background: var(--good); }
.pill.bad { background: var(--bad); }
.pill.warn { background: var(--warn); }
.pill.plain { background: var(--soft); }
.facts { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 10px 24px; margin: 0; }
.facts dt { color: var(--soft); font-size: 12px; }
.facts dd { margin: 0; font-weight: 600; overflow-wrap: anywhere; }
section figure { margin: 0; }
figcaption { margin-top: 6px; }
.picture { border: 1px solid var(--line); border-radius: 6px; padding: 10px; text-align: center; }
.picture img { max-width: 100%; max-height: 560px; }
.cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); gap: 12px; }
.card { padding: 12px 14px; border: 1px solid var(--line); border-radius: 6px; background: var(--pale);
  overflow-wrap: anywhere; }
.card b { display: block; font-size: 24px; line-height: 1.2; font-variant-numeric: tabular-nums; }
.card span { display: block; font-weight: 600; font-size: 13px; }
.card small { display: block; color: var(--soft); font-size: 12px; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 20px; margin-top: 14px; }
.wide { overflow-x: auto; }
table { width: 100%; border-collapse: collapse; margin: 0 0 10px; font-size: 14px; }
table.fit { width: auto; }
table.fit th, table.fit td { padding-right: 34px; }
th { text-align: left; color: var(--soft); font-size: 12px; font-weight: 600; vertical-align: bottom; }
th, td { padding: 5px 14px 5px 0; border-bottom: 1px solid var(--line); }
th:last-child, td:last-child { padding-right: 0; }
td { vertical-align: middle; overflow-wrap: break-word; max-width: 22em; }
.num { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
.num:first-child { text-align: left; }
.num + :not(.num) { padding-left: 16px; }
.draw { width: 1%; }
ul { margin: 0 0 10px; padding-left: 22px; }
code { overflow-wrap: anywhere; font-size: 12px; }
footer { padding-bottom: 30px; }
svg { display: block; max-width: 100%; height: auto; }
svg text { font: 11px system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
  fill: var(--ink); }
svg .mid { text-anchor: middle; }
svg .end { text-anchor: end; }
svg .axis, svg .small { fill: var(--soft); }
svg .small { font-size: 10px; }
svg .in { font-size: 10px; }
svg .group { fill: var(--soft); font-weight: 600; }
.bar, .spark { flex: none; max-width: none; }
.rail { fill: #e6eaee; }
.fill, .area, .use { fill: #6d9fc4; }
.base, .grid { fill: none; stroke: var(--line); }
.mean { fill: none; stroke: var(--bad); stroke-dasharray: 5 3; }
.dots { fill: none; stroke: var(--main); stroke-width: 5; stroke-linecap: round; stroke-opacity: .7; }
.timing { min-width: 720px; width: 100%; }
.wave { fill: none; stroke: var(--main); stroke-width: 1.3; }
.on { fill: #dbe8f2; }
.idle { fill: #edf0f3; }
.bad { fill: #e0857f; }
.wait { fill: #f2d9a4; }
.many { fill: #aab4be; }
.mark { fill: var(--good); }
.hit { fill: none; stroke: var(--bad); stroke-width: 1.5; stroke-dasharray: 4 2; }
.hitbox { fill: var(--bad); }
.s0 { fill: #a9d3b8; } .s1 { fill: #c9bde3; } .s2 { fill: #f0c3a0; }
.s3 { fill: #a8d8dc; } .s4 { fill: #e3b9cf; } .s5 { fill: #d5d8a0; }
@media (max-width: 600px) {
  main, footer { padding: 0 14px; }
  h1 { font-size: 24px; }
  .facts, .cards { grid-template-columns: repeat(2, minmax(0, 1fr)); }
  table { min-width: 480px; }
}
@page { size: A4; margin: 14mm; }
@media print {
  body { font-size: 10.5pt; }
  main, footer { max-width: none; padding: 0; }
  header { padding-top: 0; }
  main > * { margin-bottom: 8mm; }
  * { -webkit-print-color-adjust: exact; print-color-adjust: exact; }
  table, figure, svg, .card, .cards, .pair, tr, dl { break-inside: avoid; }
  h2, h3 { break-after: avoid; }
  h2 + p, h3 + p { break-after: avoid; }
  .wide { overflow: visible; }
  .timing { min-width: 0; }
  .picture img { max-height: 95mm; }
  table { font-size: 9pt; }
}
"""
