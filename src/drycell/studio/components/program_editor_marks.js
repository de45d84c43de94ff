// Marks in a text that move with it: breakpoints, current lines of programs, findings, the error of a run.
import * as CM from "nicegui-codemirror";

// -------------------------------------------------------------------- breakpoints

export const setBreaks = CM.StateEffect.define(); // positions of all breakpoints
export const setStops = CM.StateEffect.define(); // positions of the lines that can have a breakpoint

class Stop extends CM.RangeValue {}
const stop = new Stop();

// Lines that can have a breakpoint, kept through edits until the next check; null: not known.
export const stops = CM.StateField.define({
  create: () => null,
  update(value, tr) {
    if (value && tr.docChanged) value = value.map(tr.changes);
    for (const effect of tr.effects)
      if (effect.is(setStops)) value = CM.RangeSet.of(effect.value.map((at) => stop.range(at)), true);
    return value;
  },
});

class Point extends CM.RangeValue {}
const point = new Point();
point.mapMode = CM.MapMode.TrackDel;

export const breaks = CM.StateField.define({
  create: () => CM.RangeSet.empty,
  update(value, tr) {
    if (tr.docChanged) value = moved(value, tr);
    for (const effect of tr.effects)
      if (effect.is(setBreaks)) value = CM.RangeSet.of(effect.value.map((at) => point.range(at)), true);
    return value;
  },
});

// Each breakpoint stays at the start of its line; two on one line are merged.
function moved(value, tr) {
  const places = new Set();
  for (let at = value.iter(); at.value; at.next()) {
    const line = tr.startState.doc.lineAt(at.from);
    const text = line.from + (line.text.length - line.text.trimStart().length);
    places.add(tr.state.doc.lineAt(tr.changes.mapPos(text, 1)).from);
  }
  return CM.RangeSet.of([...places].sort((a, b) => a - b).map((at) => point.range(at)));
}

export function positions(set) {
  const found = [];
  for (let at = set.iter(); at.value; at.next()) found.push(at.from);
  return found;
}

export const stoppable = (state, line) => {
  const known = state.field(stops);
  if (!known) return true;
  let found = false;
  known.between(line.from, line.to, () => { found = true; return false; });
  return found;
};

// The line for a breakpoint that was requested at a line: the next one that can have a breakpoint, if it is near.
export function snapped(state, line) {
  for (let number = line.number; number <= Math.min(line.number + 20, state.doc.lines); number++) {
    const each = state.doc.line(number);
    if (stoppable(state, each)) return each;
  }
  return line;
}

class Dot extends CM.GutterMarker {
  constructor(hollow) { super(); this.hollow = hollow; }
  eq(other) { return this.hollow === other.hollow; }
  toDOM() {
    const dot = document.createElement("div");
    dot.className = this.hollow ? "dc-break dc-hollow" : "dc-break";
    dot.title = this.hollow ? "this line is never executed" : "breakpoint";
    return dot;
  }
}
const [full, hollow] = [new Dot(false), new Dot(true)];

export const breakGutter = (toggle) => [
  stops,
  breaks,
  CM.gutter({
    class: "dc-breaks",
    renderEmptyElements: true,
    initialSpacer: () => full,
    lineMarker(view, block) {
      let found = false;
      view.state.field(breaks).between(block.from, block.from, () => { found = true; return false; });
      return found ? (stoppable(view.state, view.state.doc.lineAt(block.from)) ? full : hollow) : null;
    },
    lineMarkerChange: (update) =>
      update.startState.field(breaks) !== update.state.field(breaks) ||
      update.startState.field(stops) !== update.state.field(stops),
    domEventHandlers: {
      mousedown(view, block) {
        toggle(view, view.state.doc.lineAt(block.from));
        return true;
      },
    },
  }),
];

// -------------------------------------------------------------------- current lines

export const setPlaces = CM.StateEffect.define(); // [{at, names: [{name, colour, held, title}]}]

class Who extends CM.WidgetType {
  constructor(each) { super(); this.each = each; }
  eq(other) { return JSON.stringify(other.each) === JSON.stringify(this.each); }
  toDOM() {
    const tag = document.createElement("span");
    tag.className = "dc-who";
    tag.style.setProperty("--dc-colour", this.each.colour);
    tag.textContent = this.each.held ? `▶ ${this.each.name}` : this.each.name;
    tag.title = this.each.title;
    return tag;
  }
}

const drawn = (effect, make) =>
  CM.StateField.define({
    create: () => CM.Decoration.none,
    update(value, tr) {
      if (tr.docChanged) value = value.map(tr.changes);
      for (const each of tr.effects) if (each.is(effect)) value = CM.Decoration.set(make(each.value, tr.state), true);
      return value;
    },
    provide: (field) => CM.EditorView.decorations.from(field),
  });

export const places = drawn(setPlaces, (lines, state) =>
  lines.flatMap(({ at, names }) => {
    const line = state.doc.lineAt(Math.min(at, state.doc.length));
    const first = names.find((each) => each.held) || names[0];
    const attributes = { style: `--dc-colour: ${first.colour}` };
    return [
      CM.Decoration.line({ class: first.held ? "dc-at dc-held" : "dc-at", attributes }).range(line.from),
      ...names.map((each, number) => CM.Decoration.widget({ widget: new Who(each), side: 10 + number }).range(line.to)),
    ];
  }),
);

// The line that was last shown on request.
export const setPointed = CM.StateEffect.define(); // [] or [at]
export const pointed = drawn(setPointed, (found, state) =>
  found.map((at) => CM.Decoration.line({ class: "dc-pointed" }).range(state.doc.lineAt(Math.min(at, state.doc.length)).from)),
);

// -------------------------------------------------------------------- findings, and the error of a run

export const setFindings = CM.StateEffect.define(); // [{from, to, severity, text, hint}]
export const setFault = CM.StateEffect.define(); // [] or [{at, text, hint}]

export const findings = drawn(setFindings, (found) =>
  found.filter((each) => each.to > each.from).map((each) =>
    CM.Decoration.mark({ class: `dc-${each.severity}`, finding: each }).range(each.from, each.to),
  ),
);

class Fault extends CM.WidgetType {
  constructor(each) { super(); this.each = each; }
  eq(other) { return other.each.text === this.each.text && other.each.hint === this.each.hint; }
  toDOM() { return describe(this.each, "dc-fault"); }
}

export const fault = drawn(setFault, (found, state) =>
  found.flatMap((each) => {
    const line = state.doc.lineAt(Math.min(each.at, state.doc.length));
    return [
      CM.Decoration.line({ class: "dc-fault-line" }).range(line.from),
      CM.Decoration.widget({ widget: new Fault(each), block: true, side: 1 }).range(line.to),
    ];
  }),
);

function describe(each, name) {
  const box = document.createElement("div");
  box.className = name;
  box.textContent = each.text;
  if (each.hint) {
    const hint = document.createElement("div");
    hint.className = "dc-hint";
    hint.textContent = `try: ${each.hint}`;
    box.append(hint);
  }
  return box;
}

export const tooltips = CM.hoverTooltip((view, at) => {
  const here = [];
  view.state.field(findings).between(at, at, (from, to, value) => { here.push({ from, to, finding: value.spec.finding }); });
  if (!here.length) return null;
  return {
    pos: here[0].from,
    end: here[0].to,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      for (const each of here) dom.append(describe(each.finding, "dc-finding"));
      return { dom };
    },
  };
}, { hideOnChange: true }); // the change may have corrected it
