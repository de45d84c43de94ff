// The program editor: the open files of a cell, one of which is shown, each with its own undo history.
//
// A file has a version on disk (its stamp is the base of what is typed), perhaps an older one in the run, and one in the
// editor. What is typed is put into the browser's storage at once and sent to the server a moment later, so that neither
// a reload nor a crash loses it.
import * as CM from "nicegui-codemirror";
import { afterView } from "after_view";
import { languageOf } from "program_editor_languages";
import {
  breakGutter, breaks, fault, findings, places, pointed, positions, setBreaks, setFault, setFindings, setPlaces, setPointed,
  setStops, snapped, tooltips,
} from "program_editor_marks";
import { theme } from "program_editor_theme";

const PAUSE = 350; // ms without typing until the text is sent
const LONGEST = 900; // ms until it is sent in any case
const STORE = "drycell draft ";
const quiet = CM.Annotation.define(); // marks changes that the user did not type

// The smallest change from one text to another: it keeps cursor, breakpoints and undo history.
function difference(before, after) {
  let from = 0;
  const most = Math.min(before.length, after.length);
  while (from < most && before.charCodeAt(from) === after.charCodeAt(from)) from++;
  let end = 0;
  while (end < most - from && before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)) end++;
  return { from, to: before.length - end, insert: after.slice(from, after.length - end) };
}

// The offset of a line and column counted from 1, columns in characters (not in UTF-16 units).
function offset(doc, line, column) {
  const found = doc.line(Math.max(1, Math.min(line, doc.lines)));
  if (column == null) return found.from + (found.text.length - found.text.trimStart().length);
  const units = /[\uD800-\uDBFF]/.test(found.text)
    ? [...found.text].slice(0, column - 1).join("").length
    : column - 1;
  return found.from + Math.max(0, Math.min(units, found.length));
}

class File {
  constructor(name, key) {
    this.name = name;
    this.key = STORE + key;
    this.version = 0; // grows with each change
    this.sent = 0; // the version that was sent to the server
  }
  get text() { return this.state.doc.toString(); }
  lines() { return positions(this.state.field(breaks)).map((at) => this.state.doc.lineAt(at).number); }
  // The breakpoints as lines of the running text, for the host.
  runningLines() {
    const back = this.since.invertedDesc;
    return [...new Set(positions(this.state.field(breaks)).map((at) => {
      const text = this.state.doc.lineAt(at);
      return this.running.lineAt(back.mapPos(text.from + (text.text.length - text.text.trimStart().length), 1)).number;
    }))];
  }
  // The present position of a line of the running text.
  place(line) {
    if (line < 1 || line > this.running.lines) return null;
    const from = offset(this.running, line);
    return this.state.doc.lineAt(this.since.mapPos(from, 1)).from;
  }
}

export default {
  template: '<div class="drycell-editor"></div>',
  mounted() {
    this.files = new Map();
    this.shown = null;
    this.watching = true;
    this.restarts = 0;
    this.where = {};
    this.follows = true; // scrolls to the current line
    this.look = new CM.Compartment();
    this.may = new CM.Compartment();
    this.speech = new CM.Compartment();
    this.isDark = document.body.classList.contains("body--dark");
    this.view = new CM.EditorView({ parent: this.$el, dispatch: (tr) => this.changed(tr) });
    this.observer = new MutationObserver(() => this.dress());
    this.observer.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.leaving = () => this.flush();
    window.addEventListener("pagehide", this.leaving);
    // Scrolling or typing ends following: the text must not move while the user reads it.
    for (const name of ["wheel", "mousedown", "keydown"])
      this.view.scrollDOM.addEventListener(name, () => {
        if (this.follows) this.$emit("unfollow");
        this.follows = false; // at once: pending updates must not scroll any more
      }, { passive: true });
    window.__drycell = window.__drycell || {};
    window.__drycell.editor = this;
    afterView().then(() => this.$emit("ready"));
  },
  beforeUnmount() {
    this.flush();
    window.removeEventListener("pagehide", this.leaving);
    this.observer.disconnect();
    this.view.destroy();
  },
  methods: {
    // ---------------------------------------------------------------- files, called by the page

    // A file: {name, key, text, stamp, language, breaks, stoppable, draft: null | {text, base, time}}.
    open(given) {
      if (this.files.has(given.name)) return;
      const file = new File(given.name, given.key);
      file.stamp = given.stamp;
      file.stoppable = given.stoppable;
      file.disk = CM.Text.of(given.text.split("\n"));
      file.running = file.disk;
      file.since = CM.ChangeSet.empty(file.disk.length).desc;
      file.state = CM.EditorState.create({ doc: file.disk, extensions: this.extensions(file) });
      this.files.set(given.name, file);
      this.restore(file, given.draft);
      this.breakAt(file.name, given.breaks);
      languageOf(given.language).then((found) => this.apply(file, { effects: this.speech.reconfigure(found) }));
    },
    // The version on disk and its draft: {name, text, stamp, draft}.
    refresh(given) {
      const file = this.files.get(given.name);
      if (!file) return;
      if (file.since_typed) return this.sendNow(file); // typed meanwhile: send it first
      this.saved(given.name, given.stamp, given.text);
      this.restore(file, given.draft);
    },
    // Continues with the latest draft: of the server, or of this browser.
    restore(file, draft) {
      const kept = this.watching ? null : this.local(file);
      const [last, other] = kept && (!draft || kept.time > draft.time) ? [kept, draft] : [draft, kept];
      if (last && other && other.text !== last.text)
        this.$emit("aside", { name: file.name, text: other.text, base: other.base });
      if (last) file.stamp = last.base;
      const text = last ? last.text : file.disk.toString();
      if (text !== file.text) this.apply(file, { changes: difference(file.text, text), annotations: quiet.of(true) });
      if (last && last === kept) this.send(file);
      this.$emit("opened", {
        name: file.name, text, base: file.stamp, version: file.version, restored: last ? last.time : null,
      });
    },
    show(name, line, column) {
      const file = this.files.get(name);
      if (!file) return;
      if (this.shown !== name) {
        if (this.shown && this.files.has(this.shown)) this.files.get(this.shown).scroll = this.view.scrollDOM.scrollTop;
        this.shown = name;
        this.view.setState(file.state);
        this.dress();
        if (!line && file.scroll) this.view.scrollDOM.scrollTop = file.scroll;
      }
      if (line) {
        const at = offset(file.state.doc, line, column);
        this.view.dispatch({ selection: { anchor: at }, effects: CM.EditorView.scrollIntoView(at, { y: "center" }) });
        if (column) this.view.focus();
      }
    },
    // Shows a line of the running text and points at it, unless it has its own mark.
    showRunning(name, line, points) {
      const file = this.files.get(name);
      if (!file) return;
      this.show(name);
      const at = file.place(line);
      for (const each of this.files.values()) this.apply(each, { effects: setPointed.of(each === file && points && at != null ? [at] : []) });
      if (at != null) this.view.dispatch({ effects: CM.EditorView.scrollIntoView(at, { y: "center" }) });
    },
    close(name) {
      const file = this.files.get(name);
      if (!file) return;
      this.sendNow(file);
      this.files.delete(name);
      if (this.shown === name) this.shown = null;
    },
    closeAll() {
      this.flush();
      this.files.clear();
      this.shown = null;
      this.view.setState(CM.EditorState.create({ extensions: [theme(this.isDark), CM.EditorState.readOnly.of(true)] }));
    },
    // Replaces the text as one step that can be undone.
    replace(name, text) {
      const file = this.files.get(name);
      if (file && file.text !== text) this.apply(file, { changes: difference(file.text, text) });
    },
    breakAt(name, lines) {
      const file = this.files.get(name);
      if (!file) return;
      const doc = file.state.doc;
      this.apply(file, { effects: setBreaks.of(lines.filter((line) => line <= doc.lines).map((line) => doc.line(line).from)) });
    },
    // The text was saved.
    saved(name, stamp, text) {
      const file = this.files.get(name);
      if (!file) return;
      file.stamp = stamp;
      file.disk = CM.Text.of(text.split("\n"));
      if (file.text !== text) return;
      clearTimeout(file.timer);
      file.since_typed = 0;
      this.forget(file);
    },
    // The server has kept the draft up to this version.
    kept(name, version) {
      const file = this.files.get(name);
      if (file && file.version === version) this.forget(file);
    },
    // A new run uses the version on disk.
    restarted() {
      this.restarts += 1;
      for (const file of this.files.values()) {
        file.running = file.disk;
        const change = difference(file.disk.toString(), file.text);
        file.since = CM.ChangeSet.of(change, file.disk.length).desc;
        this.apply(file, { effects: [setFault.of([]), setPlaces.of([]), setPointed.of([])] });
      }
    },
    // Whether this page has no control.
    readonly(on) {
      if (on === this.watching) return;
      if (on) this.flush();
      this.watching = on;
      this.dress();
    },
    checked(name) {
      const file = this.files.get(name);
      return Boolean(file) && file.looked === file.version;
    },
    lines(name) {
      const file = this.files.get(name);
      return file ? { shown: file.lines(), running: file.runningLines() } : null;
    },

    // ---------------------------------------------------------------- marks, called by the page

    // The current lines of programs: {file: [{line, name, colour, held, title}]}, in the running text; and whether they
    // run, no quicker than one can look.
    stand(where, going) {
      Object.assign(this, { where, going });
      for (const file of this.files.values()) {
        const lines = new Map();
        for (const each of where[file.name] || []) {
          const at = file.place(each.line);
          if (at != null) lines.set(at, [...(lines.get(at) || []), each]);
        }
        this.apply(file, { effects: setPlaces.of([...lines].map(([at, names]) => ({ at, names }))) });
      }
      this.reveal();
    },
    follow(on) {
      this.follows = on;
      this.reveal();
    },
    // Brings a line that a program stands at into sight, unless one is.
    reveal() {
      const file = this.files.get(this.shown);
      const at = file && this.follows && this.going ? (this.where[file.name] || []).map((each) => file.place(each.line)) : [];
      const known = at.filter((each) => each != null);
      const { scrollTop, clientHeight } = this.view.scrollDOM;
      const seen = (each) => {
        const block = this.view.lineBlockAt(each);
        return block.top >= scrollTop && block.bottom <= scrollTop + clientHeight;
      };
      if (known.length && clientHeight && !known.some(seen))
        this.view.dispatch({ effects: CM.EditorView.scrollIntoView(known[0], { y: "center" }) });
    },
    // What a check of a version has found, and where a run can be held.
    found(name, version, listed, stoppable) {
      const file = this.files.get(name);
      if (!file || file.version !== version) return;
      file.looked = version;
      const doc = file.state.doc;
      const effects = [
        setFindings.of(listed.map((each) => ({
          ...each, from: offset(doc, each.line, each.column),
          to: Math.max(offset(doc, each.end_line, each.end_column), offset(doc, each.line, each.column)),
        })).map((each) => (each.to > each.from ? each : { ...each, from: Math.max(doc.lineAt(each.from).from, each.from - 1) }))),
      ];
      if (stoppable) effects.push(setStops.of(stoppable.filter((line) => line <= doc.lines).map((line) => doc.line(line).from)));
      this.apply(file, { effects });
    },
    // The error of a run, shown below its line; null: none.
    fault(name, line, text, hint) {
      for (const file of this.files.values()) this.apply(file, { effects: setFault.of([]) });
      const file = this.files.get(name);
      const at = file ? file.place(line) : null;
      if (at != null) this.apply(file, { effects: setFault.of([{ at, text, hint }]) });
    },

    // ---------------------------------------------------------------- typing

    save() {
      const file = this.files.get(this.shown);
      if (file && !this.watching) this.$emit("save", { ...this.message(file), restart: false });
      return true;
    },
    // All files with unsaved changes, for saving all of them.
    unsaved() {
      return [...this.files.values()].filter((file) => !file.state.doc.eq(file.disk)).map((file) => this.message(file));
    },
    message(file) {
      file.sent = file.version;
      return { name: file.name, text: file.text, base: file.stamp, version: file.version, lines: file.lines() };
    },
    changed(tr) {
      const file = this.files.get(this.shown);
      this.view.update([tr]);
      if (file) this.learn(file, tr, this.view.state);
    },
    apply(file, spec) {
      const tr = file.state.update(spec);
      if (file.name === this.shown && this.files.get(file.name) === file) this.view.update([tr]);
      this.learn(file, tr, tr.state);
    },
    learn(file, tr, state) {
      file.state = state;
      if (!tr.docChanged) return;
      file.since = file.since.composeDesc(tr.changes.desc);
      file.version += 1;
      if (tr.annotation(quiet)) return;
      try {
        localStorage.setItem(file.key, JSON.stringify({ text: file.text, base: file.stamp, time: Date.now() / 1000 }));
      } catch { /* storage is full or blocked: the server gets the text in a moment */ }
      this.send(file);
    },
    send(file) {
      const now = Date.now();
      file.since_typed = file.since_typed || now;
      clearTimeout(file.timer);
      file.timer = setTimeout(() => this.sendNow(file), Math.max(0, Math.min(PAUSE, file.since_typed + LONGEST - now)));
    },
    sendNow(file) {
      if (!file.since_typed) return;
      clearTimeout(file.timer);
      file.since_typed = 0;
      this.$emit("edit", { ...this.message(file), dirty: !file.state.doc.eq(file.disk) });
    },
    flush() {
      for (const file of this.files.values()) this.sendNow(file);
    },
    local(file) {
      try {
        const kept = JSON.parse(localStorage.getItem(file.key));
        return kept && typeof kept.text === "string" && typeof kept.base === "string" ? kept : null;
      } catch { return null; }
    },
    forget(file) {
      try { localStorage.removeItem(file.key); } catch { /* there is no store */ }
    },
    toggleHere(file, view) {
      if (file.stoppable) this.toggle(file, view, view.state.doc.lineAt(view.state.selection.main.head));
      return true;
    },
    toggle(file, view, line) {
      if (this.watching) return;
      const at = positions(view.state.field(breaks));
      const there = at.includes(line.from);
      const on = there ? line : snapped(view.state, line);
      const next = there ? at.filter((each) => each !== line.from) : [...new Set([...at, on.from])];
      view.dispatch({ effects: setBreaks.of(next) });
      this.$emit("breaks", { name: file.name, lines: file.lines(), running: file.runningLines() });
    },

    // ---------------------------------------------------------------- the look

    extensions(file) {
      return [
        CM.EditorView.contentAttributes.of({ "aria-label": "program text", tabindex: "0" }),
        file.stoppable ? breakGutter((view, line) => this.toggle(file, view, line)) : [],
        file.stoppable ? [] : breaks,
        CM.keymap.of([
          { key: "Mod-s", run: () => this.save(), preventDefault: true },
          { key: "Mod-Shift-s", run: () => this.$emit("restart") || true, preventDefault: true },
          { key: "F9", run: (view) => this.toggleHere(file, view), preventDefault: true },
          { key: "F10", run: () => emitEvent("drycell_key", "F10") || true, preventDefault: true },
          CM.indentWithTab,
        ]),
        CM.basicSetup,
        places, pointed, findings, fault, tooltips,
        CM.EditorState.tabSize.of(4),
        CM.indentUnit.of(/\.(py|arl)$/.test(file.name) ? "    " : "  "),
        this.speech.of([]),
        this.look.of(theme(this.isDark)),
        this.may.of(CM.EditorState.readOnly.of(this.watching)),
      ];
    },
    dress() {
      this.isDark = document.body.classList.contains("body--dark");
      for (const file of this.files.values())
        this.apply(file, {
          effects: [
            this.look.reconfigure(theme(this.isDark)),
            this.may.reconfigure(CM.EditorState.readOnly.of(this.watching)),
          ],
        });
    },
  },
};
