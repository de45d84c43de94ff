// Labels: names beside things, each with a thin leader and a dot that shows its state. A label tries eight places about its
// anchor and takes the first that is free. It keeps its place while that stays free, so that labels do not jump. The nearer
// one chooses first.
import { THREE } from "nicegui-scene";

const MOST = 120;
const PLACES = [[0, -30], [44, -24], [-44, -24], [60, -4], [-60, -4], [0, -58], [50, 24], [-50, 24]]; // pixels from anchor to middle
const GAP = 3, ANCHOR = 5; // pixels around a label, and around an anchor

export class Labels {
  constructor(parent) {
    this.layer = parent.appendChild(Object.assign(document.createElement("div"), { className: "cellview-labels" }));
    this.lines = this.layer.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "svg"));
    this.groups = new Map(); // group → [{ text, at() → Vector3 | null, kind, state?() }]
    this.shown = new Map(); // name of a label → its elements and its place
  }

  set(group, entries) { entries.length ? this.groups.set(group, entries) : this.groups.delete(group); }

  make(text) {
    const element = this.layer.appendChild(document.createElement("span")), line = this.lines.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "path"));
    element.className = "cellview-label"; // before it is measured
    element.append(document.createElement("i"), text);
    return { element, line, wide: element.offsetWidth, high: element.offsetHeight, place: 0, written: "" };
  }

  place(eye, width, height) {
    const point = new THREE.Vector3(), wanted = [], used = new Set();
    for (const [group, entries] of this.groups) for (const entry of entries) {
      const at = entry.at();
      if (!at) continue;
      point.copy(at).project(eye.camera);
      if (Math.abs(point.z) > 1 || Math.abs(point.x) > 1 || Math.abs(point.y) > 1) continue;
      let name = `${group}/${entry.text}`;
      while (used.has(name)) name += "'";
      used.add(name);
      wanted.push({ name, entry, x: ((point.x + 1) / 2) * width, y: ((1 - point.y) / 2) * height, depth: point.z + (entry.first ? -4 : 0) });
    }
    wanted.sort((a, b) => a.depth - b.depth).splice(MOST);
    const taken = wanted.map(({ x, y }) => [x - ANCHOR, y - ANCHOR, x + ANCHOR, y + ANCHOR]); // no label on another's anchor
    const free = (b) => b[0] > 2 && b[1] > 2 && b[2] < width - 2 && b[3] < height - 2 && !taken.some((t) => b[0] < t[2] && t[0] < b[2] && b[1] < t[3] && t[1] < b[3]);
    const seen = new Set();
    for (const { name, entry, x, y } of wanted) {
      const label = this.shown.get(name) ?? this.make(entry.text);
      this.shown.set(name, label);
      const boxAt = ([dx, dy]) => [x + dx - label.wide / 2 - GAP, y + dy - label.high / 2 - GAP, x + dx + label.wide / 2 + GAP, y + dy + label.high / 2 + GAP];
      const place = [label.place, ...PLACES.keys()].find((k) => free(boxAt(PLACES[k])));
      if (place === undefined) continue;
      seen.add(name);
      label.place = place;
      const box = boxAt(PLACES[place]);
      taken.push(box);
      this.write(label, entry, x, y, box);
    }
    for (const [name, label] of this.shown) {
      if (seen.has(name)) continue;
      if (used.has(name)) this.hide(label); // there is no room for it now
      else { label.element.remove(); label.line.remove(); this.shown.delete(name); }
    }
  }

  write(label, entry, x, y, box) {
    const { element, line } = label, kind = `cellview-label cellview-${entry.kind ?? "body"} ${entry.state?.() ?? ""}`.trimEnd();
    const [left, top, right, low] = [Math.round(box[0] + GAP), Math.round(box[1] + GAP), box[2] - GAP, box[3] - GAP];
    // The leader ends at the nearest point of the label, not at its corners.
    const to = [Math.min(Math.max(x, left + 6), right - 6), Math.min(Math.max(y, top), low)];
    const drawn = `M${x.toFixed(1)} ${y.toFixed(1)}L${to[0].toFixed(1)} ${to[1].toFixed(1)}`, written = `${kind} ${left} ${top} ${drawn}`;
    if (label.written === written) return;
    label.written = written;
    element.className = kind;
    element.style.display = line.style.display = "";
    element.style.transform = `translate(${left}px, ${top}px)`;
    line.setAttribute("d", drawn);
  }

  hide(label) {
    if (label.written === "hidden") return;
    label.written = "hidden";
    label.element.style.display = label.line.style.display = "none";
  }
}
