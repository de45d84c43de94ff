// The journal as a list of any length: only visible rows exist, and only pages near them are cached.
//
// It requests rows with `rows` events (answered by `page`), and emits `pick` when a row is clicked.
import { afterView } from "after_view";

const ROW = 20, HEAD = 22, PAGE = 100, KEPT = 40; // pixels, pixels, rows, pages
const TALLEST = 8e6; // pixels that a browser can scroll; longer journals are scaled
const STYLE = `
.drycell-journal { position: relative; width: 100%; height: 100%; font-size: 12px; outline: none; }
.drycell-journal .head, .drycell-journal .row { display: grid; grid-template-columns: 84px 74px minmax(80px, 150px) 1fr; column-gap: 9px; padding: 0 8px 0 5px;
  border-left: 3px solid transparent; white-space: pre; }
.drycell-journal .head { height: ${HEAD}px; line-height: ${HEAD}px; background: var(--drycell-bar); color: var(--drycell-quiet); border-bottom: 1px solid var(--drycell-line); font-size: 11px; }
.drycell-journal .scroller { position: absolute; top: ${HEAD}px; left: 0; right: 0; bottom: 0; overflow-y: auto; overflow-x: hidden; }
.drycell-journal .row { position: absolute; left: 0; right: 0; height: ${ROW}px; line-height: ${ROW}px; cursor: pointer; }
.drycell-journal .row > * { overflow: hidden; text-overflow: ellipsis; }
.drycell-journal .row > :first-child { text-align: right; font-variant-numeric: tabular-nums; }
.drycell-journal .row:hover { background: var(--drycell-hover); }
.drycell-journal .kind { color: var(--drycell-quiet); }
.drycell-journal .later:not(.chosen) { opacity: .45; }
.drycell-journal .now { border-left-color: var(--drycell-accent); }
.drycell-journal .chosen { background: var(--drycell-hover); outline: 1px solid var(--drycell-accent); outline-offset: -1px; }
.drycell-journal .bad { background: rgba(198,40,40,.13); } .drycell-journal .bad .kind { color: var(--q-negative); font-weight: 600; }
.drycell-journal .near { background: rgba(249,168,37,.14); } .drycell-journal .near .kind { color: #b26a00; font-weight: 600; }
.body--dark .drycell-journal .near .kind { color: #ffb74d; }
.drycell-journal .note .kind { color: var(--drycell-accent); }
.drycell-journal .empty { position: absolute; top: 45%; width: 100%; text-align: center; color: var(--drycell-quiet); }`;
const LOOKS = { collision: "bad", "collision over": "bad", lost: "bad", failed: "bad", blocked: "bad", "near miss": "near", fault: "near", post: "note", start: "note", end: "note" };

function clock(t) {
  const s = Math.floor(t / 1e6), rest = String(t % 1e6).padStart(6, "0").slice(0, 3), two = (n) => String(n).padStart(2, "0");
  return s < 3600 ? `${Math.floor(s / 60)}:${two(s % 60)}.${rest}` : `${Math.floor(s / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}.${rest}`;
}

export default {
  template: `<div class="drycell-journal" tabindex="0">
    <div class="head"><span style="text-align:right">time</span><span>kind</span><span>subject</span><span>what</span></div>
    <div class="scroller" ref="scroller"><div ref="extent" style="position:relative;width:100%"></div></div><div class="empty" ref="empty"></div></div>`,
  mounted() {
    if (!document.getElementById("drycell-journal-style")) {
      const style = document.createElement("style");
      style.id = "drycell-journal-style";
      style.textContent = STYLE;
      document.head.append(style);
    }
    Object.assign(this, { total: 0, shown: 0, chosen: null, pages: new Map(), stale: new Set(), asked: new Map(), era: 0, drawing: false, follows: true });
    const scroller = this.$refs.scroller;
    scroller.addEventListener("scroll", () => this.draw());
    scroller.addEventListener("wheel", () => { if (this.follows) this.$emit("unfollow"); }, { passive: true });
    // Rows are redrawn constantly: a click counts by its position, not by the element.
    scroller.addEventListener("pointerdown", (e) => (this.pressed = e.button === 0 ? this.under(e) : -1));
    scroller.addEventListener("pointerup", (e) => { if (this.pressed >= 0 && this.pressed === this.under(e)) this.pick(this.pressed); });
    this.$el.addEventListener("keydown", (e) => this.key(e));
    this.shape = new ResizeObserver(() => (this.follows ? this.reveal(this.place) : this.draw()));
    this.shape.observe(this.$el);
    (window.__drycell ??= {}).journal = this.hooked = this.hook();
    afterView().then(() => this.$emit("ready"));
  },
  beforeUnmount() {
    this.shape.disconnect();
    if (window.__drycell?.journal === this.hooked) delete window.__drycell.journal;
  },
  methods: {
    /** Clears the list: for another filter or another run. */
    reset() {
      this.era++;
      this.pages.clear();
      this.stale.clear();
      this.asked.clear();
      this.chosen = null;
      this.draw();
    },
    /** The number of rows that pass the filter; those after `final` may still change. */
    size(total, final, empty) {
      for (const page of this.pages.keys()) if ((page + 1) * PAGE > Math.min(this.final ?? 0, this.total)) this.stale.add(page);
      Object.assign(this, { total, final });
      this.$refs.empty.textContent = total ? "" : empty;
      this.draw();
    },
    page(era, page, rows) {
      this.asked.delete(page);
      if (era !== this.era) return;
      this.pages.delete(page); // the newest is dropped last
      this.pages.set(page, rows);
      this.stale.delete(page);
      if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value);
      this.draw();
    },
    /** The time that is shown, and the number of rows up to it. */
    status(shown, place, follows) {
      Object.assign(this, { shown, follows, place });
      if (follows) this.reveal(place);
      this.draw();
    },
    reveal(place) {
      const scroller = this.$refs.scroller, view = scroller.clientHeight, rows = view / ROW;
      if (!view || place === undefined) return;
      const first = this.first(), index = Math.max(place - 1, 0);
      if (index < first + 1 || index > first + rows - 2) this.top(index - rows * 0.7);
    },
    // ---------------------------------------------------------------- scrolling
    height() {
      return Math.min(this.total * ROW, TALLEST);
    },
    /** The number of the first visible row, with a fraction. */
    first() {
      const scroller = this.$refs.scroller, full = this.total * ROW, view = scroller.clientHeight;
      if (full <= TALLEST) return scroller.scrollTop / ROW;
      return (scroller.scrollTop / Math.max(TALLEST - view, 1)) * (this.total - view / ROW);
    },
    top(row) {
      const scroller = this.$refs.scroller, view = scroller.clientHeight, full = this.total * ROW;
      this.$refs.extent.style.height = `${this.height()}px`;
      const bounded = Math.max(0, Math.min(row, this.total - view / ROW));
      scroller.scrollTop = full <= TALLEST ? bounded * ROW : (bounded / (this.total - view / ROW)) * (TALLEST - view);
    },
    /** The number of the row under the pointer; -1 on the scroll bar. */
    under(e) {
      const scroller = this.$refs.scroller, box = scroller.getBoundingClientRect();
      return e.clientX - box.left < scroller.clientWidth ? Math.floor(this.first() + (e.clientY - box.top) / ROW) : -1;
    },
    row(index) {
      return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    },
    draw() {
      if (this.drawing) return;
      this.drawing = true;
      requestAnimationFrame(() => {
        this.drawing = false;
        if (this.$refs.scroller?.clientHeight) this.paint();
      });
    },
    paint() {
      const scroller = this.$refs.scroller, extent = this.$refs.extent, view = scroller.clientHeight;
      extent.style.height = `${this.height()}px`;
      const first = this.first(), from = Math.max(Math.floor(first) - 4, 0), to = Math.min(Math.ceil(first + view / ROW) + 4, this.total);
      const offset = scroller.scrollTop - first * ROW, made = [];
      for (let index = from; index < to; index++) {
        const row = this.row(index), line = document.createElement("div");
        line.className = `row ${row ? this.look(row, index) : ""}`;
        line.style.top = `${offset + index * ROW}px`;
        if (row) {
          line.dataset.n = row.n;
          for (const [text, name] of [[clock(row.t), ""], [row.kind, "kind"], [row.subject, ""], [row.text, ""]]) {
            const cell = document.createElement("span");
            cell.textContent = text;
            cell.className = name;
            if (text.length > 30) cell.title = text;
            line.append(cell);
          }
        }
        made.push(line);
      }
      extent.replaceChildren(...made);
      for (let page = Math.floor(from / PAGE); page <= Math.floor(Math.max(to - 1, 0) / PAGE); page++) this.want(page);
    },
    look(row, index) {
      const next = this.row(index + 1), looks = [LOOKS[row.kind] ?? ""];
      if (row.t > this.shown) looks.push("later");
      else if (index === this.place - 1 || (next && next.t > this.shown)) looks.push("now");
      if (row.n === this.chosen) looks.push("chosen");
      return looks.join(" ");
    },
    want(page) {
      if ((this.pages.has(page) && !this.stale.has(page)) || !this.total || page * PAGE >= this.total) return;
      const since = this.asked.get(page);
      if (since && performance.now() - since < 3000) return;
      this.asked.set(page, performance.now());
      this.$emit("rows", { era: this.era, page, after: page * PAGE, count: PAGE });
    },
    pick(index) {
      const row = this.row(index);
      if (!row) return;
      this.chosen = row.n;
      this.index = index;
      this.$emit("pick", row);
      this.draw();
    },
    key(e) {
      const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20 }[e.key];
      if (!step || e.ctrlKey || e.altKey) return;
      e.preventDefault();
      e.stopPropagation();
      const index = Math.max(0, Math.min((this.index ?? this.place ?? 0) + step, this.total - 1));
      const first = this.first(), rows = this.$refs.scroller.clientHeight / ROW;
      if (index < first || index > first + rows - 1) this.top(step < 0 ? index : index - rows + 1);
      if (this.row(index)) this.pick(index);
    },
    hook() {
      const me = this;
      return {
        get state() {
          const lines = [...me.$refs.extent.querySelectorAll(".row")];
          return { total: me.total, shown: me.shown, chosen: me.chosen, follows: me.follows, first: me.first(), held: me.pages.size,
            rows: lines.filter((line) => line.dataset.n).map((line) => [Number(line.dataset.n), ...[...line.children].map((cell) => cell.textContent)]) };
        },
        scroll: (row) => me.top(row),
      };
    },
  },
};
