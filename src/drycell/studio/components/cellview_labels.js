// Labels: names beside things. Where two overlap, the nearer one is shown.
import { THREE } from "nicegui-scene";

const MOST = 200;

export class Labels {
  constructor(parent) {
    this.layer = document.createElement("div");
    this.layer.className = "cellview-labels";
    parent.appendChild(this.layer);
    this.groups = new Map(); // group → [{ text, at() → Vector3 | null, kind }]
    this.pool = [];
  }

  set(group, entries) { entries.length ? this.groups.set(group, entries) : this.groups.delete(group); }

  place(eye, width, height) {
    const point = new THREE.Vector3(), shown = [];
    for (const entries of this.groups.values()) for (const entry of entries) {
      const at = entry.at();
      if (!at) continue;
      point.copy(at).project(eye.camera);
      if (Math.abs(point.z) > 1 || Math.abs(point.x) > 1 || Math.abs(point.y) > 1) continue;
      shown.push({ entry, x: ((point.x + 1) / 2) * width, y: ((1 - point.y) / 2) * height, depth: point.z + (entry.first ? -4 : 0) });
    }
    shown.sort((a, b) => a.depth - b.depth);
    const taken = [];
    let used = 0;
    for (const { entry, x, y } of shown) {
      const wide = 6.2 * entry.text.length + 10, box = [x + 6, y - 9, x + 6 + wide, y + 9];
      if (used >= MOST || taken.some((t) => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3])) continue;
      taken.push(box);
      const element = (this.pool[used] ??= this.layer.appendChild(document.createElement("span")));
      used++;
      if (element.textContent !== entry.text) element.textContent = entry.text;
      const name = `cellview-label cellview-${entry.kind ?? "body"}`;
      if (element.className !== name) element.className = name;
      element.style.transform = `translate(${Math.round(x + 8)}px, ${Math.round(y - 9)}px)`;
      element.style.display = "";
    }
    for (let k = used; k < this.pool.length; k++) this.pool[k].style.display = "none";
  }
}
