// A timing diagram: signals over time, with a cursor at the time that the 3-D view shows.
//
// It requests traces with `window` events (answered by `data`), and emits `seek`, `jump`, `order` and `act` for what the
// user does. A click, or a drag on the axis or the cursor, moves the cursor; other drags pan; the wheel zooms around the
// pointer; Shift places the second cursor.
import { afterView } from "after_view";
import { AXIS, paint, upTo, valueAt } from "timing_paint";
import { clockText, spanText, valueText } from "timing_scale";
import { rowMenu } from "timing_menu";

const HEIGHTS = { bool: 24, str: 26, int: 44, float: 44 };
const SOONEST = 50, LIVE = 250; // ms between two requests: for user input, and during a run
const LEAST = 20; // ticks in a window, at least

export default {
  template: `<div class="drycell-timing" style="position:relative;width:100%;height:100%;overflow:hidden">
    <div ref="scroller" style="position:absolute;inset:0;overflow-y:auto;overflow-x:hidden"><div ref="extent" style="width:1px"></div></div>
    <canvas ref="canvas" tabindex="0" style="position:absolute;left:0;top:0;outline:none;touch-action:none"></canvas>
    <div ref="tip" class="drycell-timing-tip" style="position:absolute;display:none;pointer-events:none;white-space:pre;font-size:11px;line-height:15px;
      padding:4px 7px;border-radius:4px;background:var(--drycell-bar);border:1px solid var(--drycell-line);box-shadow:0 1px 5px rgba(0,0,0,.25);z-index:5"></div>
  </div>`,
  props: { labels: { type: Number, default: 220 } },
  mounted() {
    this.s = {
      rows: [], problems: [], traces: {}, values: null, t0: 0, t1: 10e6, shown: 0, now: 0, second: null, scroll: 0, chosen: -1, labels: this.labels,
      width: 0, height: 0, dark: document.body.classList.contains("body--dark"), fitting: true, follows: true, running: false, drag: null,
    };
    Object.assign(this, { number: 0, asked: null, held: null, lastAsked: 0, timer: null, drawing: false, frames: 0, seeking: null });
    const canvas = this.$refs.canvas;
    this.shape = new ResizeObserver(() => this.sized());
    this.shape.observe(this.$el);
    this.look = new MutationObserver(() => { this.s.dark = document.body.classList.contains("body--dark"); this.draw(); });
    this.look.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    canvas.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    canvas.addEventListener("pointerdown", (e) => this.down(e));
    canvas.addEventListener("pointermove", (e) => this.move(e));
    canvas.addEventListener("pointerup", (e) => this.up(e));
    canvas.addEventListener("pointerleave", () => this.tip(null));
    canvas.addEventListener("dblclick", (e) => { if (e.offsetX > this.s.labels) this.fit(); });
    canvas.addEventListener("contextmenu", (e) => this.menu(e));
    canvas.addEventListener("keydown", (e) => this.key(e));
    this.$refs.scroller.addEventListener("scroll", () => { this.s.scroll = this.$refs.scroller.scrollTop; this.draw(); });
    (window.__drycell ??= {}).timing = this.hook();
    this.sized();
    afterView().then(() => this.$emit("ready"));
  },
  beforeUnmount() {
    this.shape.disconnect();
    this.look.disconnect();
    clearTimeout(this.timer);
    clearTimeout(this.seeking?.timer);
    if (window.__drycell?.timing === this.hooked) delete window.__drycell.timing;
  },
  methods: {
    // ---------------------------------------------------------------- called by the page
    /** The signals to show: name, type, unit, forced, faults, and in `locked` why it cannot be forced. */
    setRows(rows) {
      const s = this.s, kept = s.rows[s.chosen]?.name;
      if (s.drag?.ordered) return; // the user is reordering them
      s.rows = rows.map((row) => ({ ...row, height: HEIGHTS[row.type] ?? 24 }));
      s.chosen = s.rows.findIndex((row) => row.name === kept);
      this.sized();
    },
    /** The traces that a `window` event asked for. */
    data(number, answer) {
      if (this.held === number) this.held = null;
      const { t0: from, t1: to, until } = answer;
      for (const [name, trace] of Object.entries(answer.signals)) this.s.traces[name] = { ...trace, from, to, until };
      this.want();
      this.draw();
    },
    /** The exact values at a time, where a reduced trace is ambiguous. */
    setValues(t, of) {
      this.s.values = { t, of };
      this.draw();
    },
    /** Problems of the run: time and severity of each. */
    setMarks(marks) {
      this.s.problems = marks;
      this.draw();
    },
    status(shown, now, running, follows) {
      const s = this.s;
      if (now < s.now) { s.traces = {}; this.asked = null; s.second = null; s.fitting = true; }
      Object.assign(s, { now, running, follows });
      if (!s.drag?.scrubs && !this.seeking) s.shown = shown;
      if (s.fitting) this.fitted();
      else if (follows && running && !s.drag) this.roll();
      this.want();
      this.draw();
    },
    forget() {
      Object.assign(this.s, { traces: {}, values: null, second: null, fitting: true });
      this.asked = this.held = null;
      this.fitted();
      this.want();
      this.draw();
    },
    fit() {
      this.s.fitting = true;
      this.fitted(true);
      this.want();
      this.draw();
    },
    zoom(factor, about = this.s.shown) {
      const s = this.s, longest = Math.max(s.now * 1.2, 10e6) * 1.5;
      const span = Math.min(Math.max((s.t1 - s.t0) * factor, LEAST), longest);
      const share = (about - s.t0) / (s.t1 - s.t0);
      s.fitting = false;
      this.frame(about - share * span, span);
    },
    measure(t) {
      this.s.second = t;
      this.draw();
    },
    /** Places the second cursor at the first, or removes it. */
    mark() {
      this.measure(this.s.second === null ? this.s.shown : null);
    },
    /** Jumps to the next or previous edge of the selected row. */
    hop(forward) {
      const name = this.s.rows[Math.max(this.s.chosen, 0)]?.name;
      if (name) this.$emit("jump", { name, t: this.s.shown, forward });
    },

    // ---------------------------------------------------------------- time window
    /** Fits the whole run; during a run with room to grow, so that the scale changes rarely. */
    fitted(tight = false) {
      const s = this.s;
      const needed = Math.max(s.now, 1e6);
      if (tight || !s.running || s.t0 !== 0 || s.t1 < needed || s.t1 > needed * 4) {
        s.t0 = 0;
        s.t1 = s.running ? needed * 1.5 : needed * 1.02;
      }
    },
    roll() {
      const s = this.s, span = s.t1 - s.t0;
      if (s.shown > s.t1 - 0.1 * span || s.shown < s.t0) this.frame(s.shown - 0.75 * span, span);
    },
    frame(t0, span) {
      const s = this.s;
      s.t0 = Math.round(Math.max(Math.min(t0, Math.max(s.now, span * 0.9) - span * 0.1), -span * 0.05));
      s.t1 = s.t0 + Math.round(span);
      this.want();
      this.draw();
    },
    /** Requests traces unless the present ones suffice. One request at a time, not too often. */
    want() {
      const s = this.s;
      if (this.timer || !s.rows.length || s.width <= s.labels || !this.$el.offsetParent) return;
      const span = s.t1 - s.t0, a = this.asked, names = s.rows.map((row) => row.name);
      const covers = a && a.t0 <= Math.max(s.t0, 0) && a.t1 >= Math.min(s.t1, s.now) && a.names === names.join("\n");
      const fine = a && (a.t1 - a.t0) / a.width <= (1.25 * span) / (s.width - s.labels);
      const fresh = a && (a.now >= s.now || a.now >= s.t1);
      if (covers && fine && fresh) return;
      const due = this.lastAsked + (covers && fine ? LIVE : SOONEST) - performance.now();
      const lost = this.held !== null && performance.now() - this.lastAsked > 5000;
      if (due > 0 || (this.held !== null && !lost)) {
        this.timer = setTimeout(() => { this.timer = null; this.want(); }, Math.max(due, 20));
        return;
      }
      const t0 = Math.max(Math.floor(s.t0 - span / 2), 0), t1 = Math.ceil(s.t1 + span / 2);
      const width = Math.min(2 * (s.width - s.labels), 8192);
      this.asked = { t0, t1, width, now: s.now, names: names.join("\n") };
      this.held = ++this.number;
      this.lastAsked = performance.now();
      this.$emit("window", { number: this.number, names, t0, t1, width });
    },

    // ---------------------------------------------------------------- drawing
    sized() {
      const s = this.s, scroller = this.$refs.scroller;
      this.$refs.extent.style.height = `${AXIS + s.rows.reduce((sum, row) => sum + row.height, 0)}px`;
      s.width = scroller.clientWidth;
      s.height = this.$el.clientHeight;
      s.scroll = scroller.scrollTop;
      const canvas = this.$refs.canvas;
      canvas.style.width = `${s.width}px`;
      canvas.style.height = `${s.height}px`;
      this.want();
      this.draw();
    },
    draw() {
      if (this.drawing) return;
      this.drawing = true;
      requestAnimationFrame(() => {
        this.drawing = false;
        if (!this.$refs.canvas || this.s.width < 2) return;
        paint(this.$refs.canvas, this.s);
        this.frames++;
      });
    },
    time(x) {
      const s = this.s;
      return s.t0 + ((x - s.labels) / (s.width - s.labels)) * (s.t1 - s.t0);
    },
    place(t) {
      const s = this.s;
      return s.labels + ((t - s.t0) / (s.t1 - s.t0)) * (s.width - s.labels);
    },
    rowAt(y) {
      if (y < AXIS) return -1;
      let top = AXIS - this.s.scroll;
      return this.s.rows.findIndex((row) => (top += row.height) > y);
    },

    // ---------------------------------------------------------------- mouse
    wheel(e) {
      const s = this.s;
      if (e.offsetX < s.labels) { this.$refs.scroller.scrollTop += e.deltaY; e.preventDefault(); return; }
      e.preventDefault();
      const span = s.t1 - s.t0, step = e.deltaMode === 1 ? 30 : 1;
      if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) {
        s.fitting = false;
        this.frame(s.t0 + ((e.deltaX || e.deltaY) * step * span) / (s.width - s.labels), span);
      } else this.zoom(Math.exp(Math.max(-1, Math.min(1, e.deltaY * step * 0.0025))), this.time(e.offsetX));
    },
    down(e) {
      const s = this.s;
      this.$refs.canvas.focus({ preventScroll: true });
      if (e.button !== 0) return;
      this.$refs.canvas.setPointerCapture(e.pointerId);
      const row = this.rowAt(e.offsetY), inside = e.offsetX > s.labels;
      if (row >= 0) s.chosen = row;
      const near = Math.abs(e.offsetX - this.place(s.shown)) < 6;
      s.drag = { x: e.offsetX, y: e.offsetY, t0: s.t0, row, inside, moved: false,
        sizes: Math.abs(e.offsetX - s.labels) < 4, measures: inside && e.shiftKey, scrubs: inside && !e.shiftKey && (e.offsetY < AXIS || near) };
      if (s.drag.scrubs) this.seek(this.time(e.offsetX));
      if (s.drag.measures) s.second = this.clamped(this.time(e.offsetX));
      this.draw();
    },
    move(e) {
      const s = this.s, drag = s.drag, canvas = this.$refs.canvas;
      if (!drag) {
        const border = Math.abs(e.offsetX - s.labels) < 4, near = Math.abs(e.offsetX - this.place(s.shown)) < 6;
        canvas.style.cursor = border ? "col-resize" : e.offsetX > s.labels && (e.offsetY < AXIS || near) ? "ew-resize" : "default";
        this.tip(e);
        return;
      }
      drag.moved ||= Math.hypot(e.offsetX - drag.x, e.offsetY - drag.y) > 3;
      if (drag.sizes) { s.labels = Math.min(Math.max(e.offsetX, 120), s.width * 0.6); this.draw(); }
      else if (drag.scrubs) this.seek(this.time(e.offsetX));
      else if (drag.measures) { s.second = this.clamped(this.time(e.offsetX)); this.draw(); }
      else if (drag.inside && drag.moved) {
        s.fitting = false;
        canvas.style.cursor = "grabbing";
        const span = s.t1 - s.t0;
        this.frame(drag.t0 - ((e.offsetX - drag.x) / (s.width - s.labels)) * span, span);
      } else if (drag.row >= 0 && drag.moved) this.carry(e.offsetY);
      this.tip(null);
    },
    up(e) {
      const s = this.s, drag = s.drag;
      s.drag = null;
      this.$refs.canvas.style.cursor = "default";
      if (!drag) return;
      if (drag.sizes) this.$emit("labels", Math.round(s.labels));
      else if (drag.inside && !drag.moved && !drag.scrubs && !drag.measures) this.seek(this.time(e.offsetX));
      else if (!drag.inside && drag.ordered) this.$emit("order", s.rows.map((row) => row.name));
      this.want();
    },
    carry(y) {
      const s = this.s, to = this.rowAt(Math.max(y, AXIS));
      if (to < 0 || to === s.drag.row) return;
      s.rows.splice(to, 0, s.rows.splice(s.drag.row, 1)[0]);
      s.drag.row = s.chosen = to;
      s.drag.ordered = true;
      if (this.asked) this.asked.names = s.rows.map((row) => row.name).join("\n");
      this.draw();
    },
    clamped(t) {
      return Math.round(Math.min(Math.max(t, 0), this.s.now));
    },
    /** Moves the cursor at once, and emits its position at most every 60 ms, including the last one. */
    seek(t) {
      const s = this.s;
      s.shown = this.clamped(t);
      this.draw();
      if (this.seeking) { this.seeking.t = s.shown; return; }
      this.$emit("seek", s.shown);
      const sent = s.shown;
      this.seeking = { t: sent, timer: setTimeout(() => {
        const last = this.seeking.t;
        this.seeking = null;
        if (last !== sent) this.seek(last);
      }, 60) };
    },
    tip(e) {
      const tip = this.$refs.tip, s = this.s, index = e ? this.rowAt(e.offsetY) : -1, row = s.rows[index];
      if (!row || (e.offsetX <= s.labels && !row.faults?.length && !row.locked && row.forced == null)) { tip.style.display = "none"; return; }
      tip.textContent = e.offsetX <= s.labels ? this.rowText(row) : this.textAt(row, this.time(e.offsetX));
      tip.style.display = tip.textContent ? "block" : "none";
      tip.style.left = `${Math.min(e.offsetX + 14, s.width - tip.offsetWidth - 4)}px`;
      tip.style.top = `${e.offsetY + 16 + tip.offsetHeight > s.height ? e.offsetY - tip.offsetHeight - 8 : e.offsetY + 16}px`;
    },
    rowText(row) {
      const lines = [row.name, ...(row.faults ?? []).map((fault) => `fault: ${fault.text}`)];
      if (row.forced !== null && row.forced !== undefined) lines.push(`forced to ${valueText(row.forced, row.unit)}${row.settled ? "" : ", as soon as the run goes on"}`);
      if (row.locked) lines.push(`cannot be forced: ${row.locked}`);
      return lines.join("\n");
    },
    textAt(row, t) {
      const s = this.s, trace = s.traces[row.name], resolution = (s.t1 - s.t0) / (s.width - s.labels);
      if (!trace || t < 0 || t > s.now) return "";
      let found = valueAt(trace, t);
      const next = trace.t[(found.k ?? -1) + 1]; // snap to an edge near the pointer
      if (next !== undefined && next - t < 3 * resolution) found = valueAt(trace, trace.u[(found.k ?? -1) + 1]);
      const head = `${row.name}   ${clockText(t, Math.min(resolution, 1e4))}`;
      if (found.value === null || found.value === undefined) return head;
      if (found.n > 1 && Math.abs(t - found.since) < 4 * resolution) {
        const k = found.k;
        const ends = trace.lo ? `, ${valueText(trace.lo[k])} … ${valueText(trace.hi[k], row.unit)}` : "";
        return `${head}\n${found.n} changes within ${spanText(trace.u[k] - trace.t[k])}${ends}\nlast: ${valueText(found.value, row.unit)}${found.writer ? `  by ${found.writer}` : ""}`;
      }
      const since = found.since === null ? "" : `\nsince ${clockText(found.since, 1)}${found.writer ? `  by ${found.writer}` : ""}`;
      return `${head}\n${valueText(found.value, row.unit)}${since}`;
    },
    menu(e) {
      e.preventDefault();
      this.tip(null);
      const row = this.s.rows[this.rowAt(e.offsetY)];
      if (!row) return;
      this.s.chosen = this.s.rows.indexOf(row);
      this.draw();
      const at = this.clamped(this.time(e.offsetX));
      rowMenu(e.clientX, e.clientY, row, e.offsetX > this.s.labels, (action, value) => {
        if (action === "measure") this.measure(at);
        else if (action === "unmeasure") this.measure(null);
        else this.$emit("act", { action, name: row.name, value: value ?? null });
      }, this.s.second !== null);
    },

    // ---------------------------------------------------------------- keys
    key(e) {
      const s = this.s, row = s.rows[s.chosen], name = row?.name;
      if (e.ctrlKey || e.metaKey) return;
      if (e.key === "ArrowLeft" || e.key === "ArrowRight") {
        this.hop(e.key === "ArrowRight");
      } else if (e.key === "ArrowUp" || e.key === "ArrowDown") {
        const to = s.chosen + (e.key === "ArrowDown" ? 1 : -1);
        if (to < 0 || to >= s.rows.length) return;
        if (e.altKey && row) {
          s.rows.splice(to, 0, s.rows.splice(s.chosen, 1)[0]);
          this.$emit("order", s.rows.map((each) => each.name));
        }
        s.chosen = to;
        this.reveal(to);
      } else if (e.key === "+" || e.key === "=") this.zoom(0.7);
      else if (e.key === "-") this.zoom(1 / 0.7);
      else if (e.key === "f" || e.key === "Home") this.fit();
      else if (e.key === "m") this.mark();
      else if (e.key === "Escape") this.measure(null);
      else if (e.key === "Delete" && name) this.$emit("act", { action: "hide", name, value: null });
      else return;
      e.preventDefault();
      e.stopPropagation();
      this.draw();
    },
    reveal(index) {
      const s = this.s, top = s.rows.slice(0, index).reduce((sum, row) => sum + row.height, 0);
      const view = s.height - AXIS, scroller = this.$refs.scroller;
      if (top < s.scroll) scroller.scrollTop = top;
      else if (top + s.rows[index].height > s.scroll + view) scroller.scrollTop = top + s.rows[index].height - view;
    },
    /** Scrolls to the cursor after a jump. */
    show(t) {
      const s = this.s, span = s.t1 - s.t0;
      s.shown = t;
      if (t < s.t0 || t > s.t1) { s.fitting = false; this.frame(t - span / 2, span); }
      this.draw();
    },
    hook() {
      const me = this;
      return (this.hooked = {
        get state() {
          const { t0, t1, shown, now, second, chosen, fitting } = me.s;
          return { t0, t1, shown, now, second, chosen: me.s.rows[chosen]?.name ?? null, fitting, rows: me.s.rows.map((row) => row.name),
            forced: Object.fromEntries(me.s.rows.map((row) => [row.name, row.forced ?? null])), faults: Object.fromEntries(me.s.rows.map((row) => [row.name, row.faults?.length ?? 0])), frames: me.frames, asked: me.number, waiting: me.held !== null };
        },
        get problems() { return me.s.problems; },
        place: (t) => me.place(t),
        time: (x) => me.time(x),
        top: (name) => AXIS - me.s.scroll + me.s.rows.slice(0, me.s.rows.findIndex((row) => row.name === name)).reduce((sum, row) => sum + row.height, 0),
        trace: (name) => me.s.traces[name],
        value: (name, t) => valueAt(me.s.traces[name], t).value,
        edges: (name, t) => upTo(me.s.traces[name].t, t),
      });
    },
  },
};
