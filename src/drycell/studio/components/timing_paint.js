// Draws traces: binary, numbers and texts, reduced by the host to columns that hide no edge and no extreme.
import { clockText, marks, spanText, valueText } from "timing_scale";

export const AXIS = 24; // pixels of the time axis
const FONT = '11px Roboto, "Segoe UI", system-ui, sans-serif';
const LIGHT = {
  face: "#ffffff", bar: "#f3f5f7", line: "#d0d7de", faint: "#edf0f3", ink: "#1f2933", quiet: "#5f6b76", on: "#1565c0",
  off: "#8a97a3", fill: "rgba(21,101,192,.13)", busy: "rgba(21,101,192,.42)", text: "#00695c", textFill: "rgba(0,105,92,.10)",
  cursor: "#1565c0", second: "#b26a00", chosen: "rgba(21,101,192,.08)", later: "rgba(95,107,118,.07)", warn: "#b26a00", bad: "#c62828",
};
const DARK = {
  face: "#1b1f24", bar: "#22272e", line: "#2d333b", faint: "#252a31", ink: "#dfe5eb", quiet: "#9aa5b1", on: "#64b5f6",
  off: "#66717d", fill: "rgba(100,181,246,.16)", busy: "rgba(100,181,246,.48)", text: "#4db6ac", textFill: "rgba(77,182,172,.13)",
  cursor: "#64b5f6", second: "#ffb74d", chosen: "rgba(100,181,246,.10)", later: "rgba(154,165,177,.07)", warn: "#ffb74d", bad: "#ef5350",
};

/** The number of ascending `times` that are ≤ t. */
export function upTo(times, t) {
  let low = 0, high = times.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (times[middle] <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value of a reduced trace at a time; `sure` is false within a column with several changes. */
export function valueAt(trace, t) {
  if (!trace || t < trace.from || t > trace.to) return { value: undefined, sure: false };
  const k = upTo(trace.t, t) - 1;
  if (k < 0) return { value: trace.before, sure: true, since: null, writer: "" };
  return { value: trace.v[k], sure: trace.n[k] === 1 || t >= trace.u[k], since: trace.u[k], n: trace.n[k], k, writer: trace.writers[trace.w[k]] };
}

/** Draws everything of a timing diagram on a canvas. `s` is its state, see timing.js. */
export function paint(canvas, s) {
  const c = (s.colours = s.dark ? DARK : LIGHT);
  const ratio = window.devicePixelRatio || 1, { width, height, labels } = s;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const g = canvas.getContext("2d");
  g.setTransform(ratio, 0, 0, ratio, 0, 0);
  g.font = FONT;
  g.textBaseline = "middle";
  g.fillStyle = c.face;
  g.fillRect(0, 0, width, height);
  const x = (t) => labels + ((t - s.t0) / (s.t1 - s.t0)) * (width - labels);
  const axis = marks(s.t0, s.t1, width - labels);
  clipped(g, labels, 0, width - labels, height, () => {
    g.strokeStyle = c.faint;
    g.lineWidth = 1;
    g.beginPath();
    for (const t of axis.found) column(g, x(t), AXIS, height);
    g.stroke();
    const end = x(s.now);
    if (end < width) {
      g.fillStyle = c.later;
      g.fillRect(Math.max(end, labels), AXIS, width, height);
    }
  });
  clipped(g, 0, AXIS, width, height - AXIS, () => {
    let y = AXIS - s.scroll;
    s.rows.forEach((row, index) => {
      if (y + row.height > AXIS && y < height) rowPainted(g, s, row, index, y, x, c);
      y += row.height;
    });
  });
  axisPainted(g, s, axis, x, c);
  cursors(g, s, x, c);
  g.strokeStyle = c.line;
  g.beginPath();
  column(g, labels, 0, height);
  g.stroke();
}

function rowPainted(g, s, row, index, y, x, c) {
  const { width, labels } = s, height = row.height;
  if (index === s.chosen) {
    g.fillStyle = c.chosen;
    g.fillRect(0, y, width, height);
  }
  g.strokeStyle = c.faint;
  g.beginPath();
  g.moveTo(0, Math.round(y + height) - 0.5);
  g.lineTo(width, Math.round(y + height) - 0.5);
  g.stroke();
  labelPainted(g, s, row, y, c);
  const trace = s.traces[row.name];
  if (trace) {
    const end = Math.min(s.now, trace.until);
    clipped(g, labels + 1, y, Math.min(x(end), width) - labels - 1, height, () => {
      if (row.type === "bool") switchPainted(g, trace, x, y, height, c, s, end);
      else if (row.type === "str") textPainted(g, trace, x, y, height, c, s, end);
      else numberPainted(g, trace, x, y, height, c, s, end);
    });
    if (row.type !== "bool" && row.type !== "str" && trace.extent) {
      g.textAlign = "right";
      g.fillStyle = c.quiet;
      g.font = '9px Roboto, "Segoe UI", system-ui, sans-serif';
      g.fillText(valueText(Number(trace.extent[1].toPrecision(4))), labels - 4, y + 8);
      g.fillText(valueText(Number(trace.extent[0].toPrecision(4))), labels - 4, y + height - 7);
      g.font = FONT;
    }
  }
}

function labelPainted(g, s, row, y, c) {
  const { labels } = s, middle = y + row.height / 2, number = row.type === "int" || row.type === "float";
  const right = number ? labels - 44 : labels - 8;
  let left = 10;
  if (row.forced !== undefined && row.forced !== null) left = tag(g, "F", left, middle, c.warn, c.face, row.settled);
  if (row.faults?.length) left = tag(g, "!", left, middle, c.bad, c.face, true);
  const found = s.values && s.values.t === s.shown && row.name in s.values.of
    ? { value: s.values.of[row.name], sure: true } : valueAt(s.traces[row.name], s.shown);
  const text = !found.sure ? "…" : valueText(found.value, row.unit);
  g.textAlign = "right";
  g.fillStyle = found.value === true ? c.on : row.type === "str" ? c.text : found.value === false ? c.quiet : c.ink;
  const shown = fitted(g, text, Math.max((right - left) * 0.45, 40));
  g.fillText(shown, right, middle);
  g.textAlign = "left";
  g.fillStyle = c.ink;
  g.fillText(fitted(g, row.name, right - left - g.measureText(shown).width - 8, true), left, middle);
}

/** A letter in a box; outlined while its effect is pending. */
function tag(g, text, left, middle, colour, ink, settled) {
  g.fillStyle = g.strokeStyle = colour;
  g.lineWidth = 1;
  g.beginPath();
  g.roundRect(left + 0.5, middle - 6.5, 12, 13, 3);
  if (settled) g.fill();
  else g.stroke();
  g.fillStyle = settled ? ink : colour;
  g.textAlign = "center";
  g.fillText(text, left + 6.5, middle + 0.5);
  return left + 17;
}

function switchPainted(g, trace, x, y, height, c, s, end) {
  const high = Math.round(y + 5) + 0.5, low = Math.round(y + height - 5) - 0.5;
  let value = trace.before, from = s.labels;
  const level = (to) => {
    if (value === null || value === undefined || to <= from) return;
    if (value) {
      g.fillStyle = c.fill;
      g.fillRect(from, high, to - from, low - high);
    }
    stroke(g, value ? c.on : c.off, 1.5, () => { g.moveTo(from, value ? high : low); g.lineTo(to, value ? high : low); });
  };
  for (let k = 0; k < trace.t.length; k++) {
    const at = x(trace.t[k]);
    if (x(trace.u[k]) < s.labels) { value = trace.v[k]; continue; }
    if (at > s.width) break;
    level(at);
    if (trace.n[k] === 1) {
      if (value !== null && value !== undefined && value !== trace.v[k]) stroke(g, c.on, 1, () => column(g, at, high, low));
      from = Math.max(at, s.labels);
    } else {
      const to = Math.max(x(trace.u[k]), at + 1.5);
      g.fillStyle = c.busy;
      g.fillRect(at, high, to - at, low - high);
      from = Math.max(to, s.labels);
    }
    value = trace.v[k];
  }
  level(Math.min(x(end), s.width));
}

function numberPainted(g, trace, x, y, height, c, s, end) {
  const [least, most] = trace.extent ?? [0, 1];
  const top = y + 5, bottom = y + height - 5;
  const level = (value) => (most > least ? bottom - ((Math.min(Math.max(value, least), most) - least) / (most - least)) * (bottom - top) : (top + bottom) / 2);
  let value = trace.before, at = s.labels;
  if (least < 0 && most > 0) stroke(g, c.line, 1, () => { g.moveTo(s.labels, Math.round(level(0)) + 0.5); g.lineTo(s.width, Math.round(level(0)) + 0.5); });
  g.strokeStyle = c.on;
  g.lineWidth = 1.3;
  g.lineJoin = "round";
  g.beginPath();
  let open = false;
  const bars = [];
  for (let k = 0; k < trace.t.length; k++) {
    const from = x(trace.t[k]), to = x(trace.u[k]);
    if (to < s.labels) { value = trace.v[k]; continue; }
    if (from > s.width) break;
    if (typeof value === "number") {
      if (!open) g.moveTo(Math.max(at, s.labels), level(value));
      g.lineTo(from, level(value));
      open = true;
    }
    if (trace.n[k] > 1 && trace.lo[k] !== null) bars.push([from, to, level(trace.hi[k]), level(trace.lo[k])]);
    value = trace.v[k];
    if (typeof value === "number") {
      if (open) g.lineTo(from, level(value));
      else g.moveTo(from, level(value));
      open = true;
    } else open = false;
    at = to;
  }
  if (typeof value === "number") {
    if (!open) g.moveTo(Math.max(at, s.labels), level(value));
    g.lineTo(Math.min(x(end), s.width), level(value));
  }
  g.stroke();
  g.fillStyle = c.busy;
  for (const [from, to, high, low] of bars) g.fillRect(from, high - 0.7, Math.max(to - from, 1.5), low - high + 1.4);
}

function textPainted(g, trace, x, y, height, c, s, end) {
  const top = Math.round(y + 4) + 0.5, bottom = Math.round(y + height - 4) - 0.5;
  let value = trace.before, from = s.labels;
  const bar = (to) => {
    const left = Math.max(from, s.labels - 4), right = Math.min(to, s.width + 4);
    if (value === null || value === undefined || right - left < 0.5) return;
    const slant = Math.min(3, (right - left) / 2), middle = (top + bottom) / 2;
    g.fillStyle = c.textFill;
    stroke(g, c.text, 1, () => {
      g.moveTo(left, middle); g.lineTo(left + slant, top); g.lineTo(right - slant, top); g.lineTo(right, middle);
      g.lineTo(right - slant, bottom); g.lineTo(left + slant, bottom); g.closePath(); g.fill();
    });
    if (right - left > 18) {
      g.fillStyle = c.ink;
      g.textAlign = "left";
      g.fillText(fitted(g, valueText(value), right - left - 10), Math.max(left, s.labels) + 6, middle + 0.5);
    }
  };
  for (let k = 0; k < trace.t.length; k++) {
    const at = x(trace.t[k]), to = x(trace.u[k]);
    if (to < s.labels) { value = trace.v[k]; from = to; continue; }
    if (at > s.width) break;
    bar(at);
    if (trace.n[k] > 1) {
      g.fillStyle = c.text;
      g.globalAlpha = 0.45;
      g.fillRect(at, top, Math.max(to - at, 1.5), bottom - top);
      g.globalAlpha = 1;
    }
    from = Math.max(to, at);
    value = trace.v[k];
  }
  bar(x(end));
}

function axisPainted(g, s, axis, x, c) {
  const { width, labels } = s;
  g.fillStyle = c.bar;
  g.fillRect(0, 0, width, AXIS);
  clipped(g, labels, 0, width - labels, AXIS, () => {
    g.textAlign = "center";
    g.fillStyle = c.quiet;
    g.strokeStyle = c.quiet;
    g.beginPath();
    for (const t of axis.found) {
      column(g, x(t), AXIS - 5, AXIS);
      const text = clockText(t, axis.step), half = g.measureText(text).width / 2 + 3;
      g.fillText(text, Math.min(Math.max(x(t), labels + half), width - half), AXIS / 2 - 1);
    }
    g.stroke();
  });
  problemsPainted(g, s, x, c);
  g.textAlign = "left";
  g.fillStyle = c.quiet;
  g.fillText(s.second === null ? `${s.rows.length} ${s.rows.length === 1 ? "signal" : "signals"}` : `Δt ${spanText(s.second - s.shown)}`, 10, AXIS / 2);
  stroke(g, c.line, 1, () => { g.moveTo(0, AXIS - 0.5); g.lineTo(width, AXIS - 0.5); });
}

/** Triangles on the time axis: errors over warnings. */
function problemsPainted(g, s, x, c) {
  clipped(g, s.labels, 0, s.width - s.labels, AXIS, () => {
    for (const severity of ["warning", "error"]) {
      g.fillStyle = severity === "error" ? c.bad : c.warn;
      for (const mark of s.problems) {
        if (mark.severity !== severity || mark.t < s.t0 || mark.t > s.t1) continue;
        const at = x(mark.t);
        g.beginPath();
        g.moveTo(at - 4, 0);
        g.lineTo(at + 4, 0);
        g.lineTo(at, 7);
        g.fill();
      }
    }
  });
}

function cursors(g, s, x, c) {
  const { labels, width, height } = s, resolution = (s.t1 - s.t0) / (width - labels);
  clipped(g, labels, 0, width - labels, height, () => {
    if (s.second !== null) {
      const a = x(s.shown), b = x(s.second);
      g.fillStyle = c.second;
      g.globalAlpha = 0.07;
      g.fillRect(Math.min(a, b), AXIS, Math.abs(b - a), height);
      g.globalAlpha = 1;
      g.setLineDash([4, 3]);
      stroke(g, c.second, 1, () => column(g, b, AXIS, height));
      g.setLineDash([]);
      flag(g, s, b, `Δ ${spanText(s.second - s.shown)}`, c.second, c.face);
    }
    stroke(g, c.cursor, 1.5, () => column(g, x(s.shown), AXIS, height));
    flag(g, s, x(s.shown), clockText(s.shown, Math.min(resolution, 1e4)), c.cursor, c.face);
  });
}

function flag(g, s, at, text, colour, ink) {
  const wide = g.measureText(text).width + 10;
  const left = Math.min(Math.max(at - wide / 2, s.labels + 1), s.width - wide - 1);
  if (at < s.labels - 1 || at > s.width + 1) return;
  g.fillStyle = colour;
  g.beginPath();
  g.roundRect(left, 3, wide, AXIS - 7, 3);
  g.fill();
  g.fillStyle = ink;
  g.textAlign = "center";
  g.fillText(text, left + wide / 2, AXIS / 2);
}

function column(g, at, from, to) {
  const sharp = Math.round(at) + 0.5;
  g.moveTo(sharp, from);
  g.lineTo(sharp, to);
}

function stroke(g, colour, width, path) {
  g.strokeStyle = colour;
  g.lineWidth = width;
  g.beginPath();
  path();
  g.stroke();
}

function clipped(g, left, top, width, height, draw) {
  if (width <= 0 || height <= 0) return;
  g.save();
  g.beginPath();
  g.rect(left, top, width, height);
  g.clip();
  draw();
  g.restore();
}

/** Shortens a text to fit: at its end, or for names in the middle, where they differ least. */
function fitted(g, text, room, name = false) {
  if (g.measureText(text).width <= room) return text;
  for (let keep = text.length - 1; keep > 0; keep--) {
    const half = Math.ceil(keep / 2);
    const cut = name ? `${text.slice(0, keep - half)}…${text.slice(text.length - half)}` : `${text.slice(0, keep)}…`;
    if (g.measureText(cut).width <= room) return cut;
  }
  return "";
}
