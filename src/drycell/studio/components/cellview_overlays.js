// Overlays: axes, frames and workpoints, what sensors watch and detect, tool paths, contacts and clearances.
import { THREE } from "nicegui-scene";
import { AMBER, RED } from "cellview_bodies";
import { Fields } from "cellview_fields";
import { AXIS_COLOURS, Dot, Paints, Strokes, Tripod } from "cellview_strokes";

const PATH = 0x8e24aa, PATH_DARK = 0xce93d8, IDLE = 0x3f8fd6, SEEN = 0x22b566;
const LAMPS = { green: SEEN, amber: AMBER, red: RED };
const GAPS = { collision: RED, near: AMBER, clear: 0x78909c }; // clear: close, but farther than the clearance
const vector = (a, k = 0) => new THREE.Vector3(a[k], a[k + 1], a[k + 2]);
const posed = (node, p) => { node.position.set(p[0], p[1], p[2]); node.quaternion.set(p[4], p[5], p[6], p[3]); node.updateMatrix(); return node; };

export class Overlays {
  constructor(light, bodies, labels, floor, changed) {
    Object.assign(this, { bodies, labels, floor, changed, dark: false, shown: {} });
    this.paints = new Paints(light);
    this.group = new THREE.Group();
    this.axes = new Tripod(this.paints, 48, false);
    this.tripods = new THREE.Group(); // of the selected body, TCPs and workpoints
    this.signs = new THREE.Group(); // small markers of constant size
    this.fields = new Fields(light, bodies);
    this.paths = new Strokes(light, 2.2);
    this.gaps = new Strokes(light, 2.2, { through: true });
    this.group.add(this.axes, this.tripods, this.signs, this.fields.group, this.paths, this.gaps);
    this.sensors = [];
    this.workpoints = [];
    this.tools = [];
    this.detections = new Map();
    this.path = [];
    this.touches = [];
    this.marked = { point: null, gap: null }; // of a collision or near miss in the journal
    this.taught = []; // points of a lesson: name, pose in the world, lamp, chosen
    this.preview = []; // the tool path of a step that is previewed
    this.chosen = null;
  }

  /** Removes everything that belongs to the scene that was shown. */
  clear() {
    Object.assign(this, { sensors: [], workpoints: [], tools: [], path: [], touches: [], taught: [], preview: [], chosen: null, picked: null });
    this.marked = { point: null, gap: null };
    this.detections.clear();
    this.fields.shape([]);
    this.refresh();
  }

  show(what) {
    this.shown = { ...this.shown, ...what };
    this.axes.visible = !!this.shown.axes;
    this.floor.show(!!this.shown.grid);
    this.refresh();
  }

  theme(dark) { this.dark = dark; this.refresh(); }

  // ------------------------------------------------------------------ redrawn on change

  set(what, value) {
    this[what] = value;
    if (what === "sensors") { this.detections.clear(); this.fields.shape(value); }
    this.refresh();
  }

  detect(found) {
    for (const each of found) this.detections.set(each.name, each);
    this.ride();
    this.changed();
  }

  refresh() {
    const { shown } = this;
    this.tripods.clear();
    this.signs.clear();
    if (shown.frames) for (const tool of this.tools) this.tripod(tool.body, tool.pose, 38, tool);
    if (shown.workpoints) for (const point of this.workpoints) this.tripod(point.body, point.pose, 26, point);
    for (const point of this.taught) {
      this.tripod(null, point.pose, point.chosen ? 48 : 26, point);
      this.spot(vector(point.pose), LAMPS[point.lamp] ?? IDLE, point.chosen ? 5 : 4);
    }
    if (this.chosen !== null && shown.frames) this.tripod(this.chosen, null, 56, {});
    for (const touch of this.near()) if (touch.points) for (const point of touch.points) this.spot(vector(point), touch.kind === "collision" ? RED : AMBER, 5);
    if (this.marked.point) this.spot(vector(this.marked.point), this.marked.colour === "near" ? AMBER : RED, 7);
    if (this.picked) this.spot(vector(this.picked), 0xffc107, 4);
    const colour = this.dark ? PATH_DARK : PATH, path = [];
    for (const { points } of shown.trace ? this.path : []) {
      const last = points.length - 2;
      for (let k = 0; k <= last; k++) path.push([...points[k], ...points[k + 1], colour, 0.18 + (0.8 * (k + 1)) / (last + 1)]);
    }
    for (let k = 1; k < this.preview.length; k++) path.push([...this.preview[k - 1], ...this.preview[k], colour, 0.95]);
    this.paths.draw(path);
    this.gaps.draw(this.near().filter((touch) => touch.start).map((touch) => [...touch.start, ...touch.end, GAPS[touch.kind], 0.95]));
    this.name();
    this.ride();
    this.changed();
  }

  /** Contacts and clearances of all bodies, or of the two in a journal record. */
  near() { return this.marked.gap && !this.shown.contacts ? [this.marked.gap] : this.touches; }

  tripod(body, pose, pixels, source) {
    const tripod = new Tripod(this.paints, pixels);
    tripod.matrixAutoUpdate = true;
    tripod.userData = { body, pose };
    source.tripod = tripod;
    this.tripods.add(tripod);
  }

  spot(at, colour, pixels) { this.signs.add(new Dot(this.paints, at, colour, pixels)); }

  /** Moves everything that is attached to bodies; called after every frame. */
  ride() {
    const list = this.bodies.list;
    for (const tripod of this.tripods.children) {
      const { body, pose } = tripod.userData, carrier = body === null || body === undefined ? null : list[body];
      tripod.visible = carrier === null || !!carrier?.there;
      if (pose) posed(tripod, pose);
      if (!carrier) continue;
      if (!pose) { tripod.position.copy(carrier.node.position); tripod.quaternion.copy(carrier.node.quaternion); continue; }
      tripod.position.applyQuaternion(carrier.node.quaternion).add(carrier.node.position);
      tripod.quaternion.premultiply(carrier.node.quaternion);
    }
    this.fields.show(this.shown.sensors ? this.sensors : [], this.detections);
  }

  resize(eye, height) {
    this.axes.resize(eye, height);
    for (const tripod of this.tripods.children) tripod.resize(eye, height);
    for (const sign of this.signs.children) sign.resize(eye, height);
  }

  // ------------------------------------------------------------------ names

  name() {
    const { shown, labels, bodies } = this;
    const at = (entry) => () => (entry.tripod?.visible ? entry.tripod.position : null);
    const state = (name) => () => this.state(name);
    labels.set("workpoints", shown.workpoints && shown.names ? this.workpoints.map((p) => ({ text: p.name, at: at(p), kind: "workpoint" })) : []);
    labels.set("taught", this.taught.map((p) => ({ text: p.name, at: at(p), kind: "workpoint" })));
    labels.set("tools", shown.frames && shown.names ? this.tools.map((p) => ({ text: p.name, at: at(p), kind: "tool" })) : []);
    const watching = new Set(shown.sensors ? this.sensors.map((sensor) => sensor.name) : []);
    labels.set("bodies", shown.names ? bodies.list.filter((b) => b?.solid && !b.entry.name.includes("/") && !watching.has(b.entry.name)).map((b) => ({ text: b.entry.name, at: () => bodies.anchor(b), state: state(b.entry.name) })) : []);
    labels.set("sensors", shown.sensors && shown.names ? this.sensors.map((s) => ({ text: s.name, at: () => (bodies.list[s.body]?.there ? bodies.list[s.body].node.position : null), kind: "sensor", state: state(s.name) })) : []);
    labels.set("gaps", this.near().filter((t) => t.start).map((t) => {
      const half = vector(t.start).lerp(vector(t.end), 0.5);
      return { text: t.text, at: () => half, kind: t.kind, first: true };
    }));
  }

  /** The state of a thing, as its label shows it: a sensor detects something, or a lamp of a machine is green. */
  state(name) {
    const body = this.bodies.named.get(name), lit = (lamp) => this.bodies.value(body, lamp) > 0.5;
    const on = this.detections.get(name)?.on || (body && lit("green"));
    return [on ? "cellview-on" : "", body && this.bodies.chosen.has(body.entry.number) ? "cellview-chosen" : ""].join(" ").trim();
  }
}

/** A small axis cross in the corner of the image, oriented like the world. */
export class Compass {
  constructor(parent) {
    this.svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    this.svg.setAttribute("class", "cellview-compass");
    this.svg.setAttribute("viewBox", "-40 -40 80 80");
    parent.appendChild(this.svg);
  }

  turn(camera) {
    const back = camera.quaternion.clone().invert();
    const arms = ["x", "y", "z"].map((name, k) => {
      const v = new THREE.Vector3(k === 0 ? 1 : 0, k === 1 ? 1 : 0, k === 2 ? 1 : 0).applyQuaternion(back);
      return { name, k, v };
    }).sort((a, b) => a.v.z - b.v.z);
    this.svg.innerHTML = arms.map(({ name, k, v }) => {
      const colour = `#${AXIS_COLOURS[k].toString(16).padStart(6, "0")}`, [x, y] = [26 * v.x, -26 * v.y];
      return `<line x2="${x.toFixed(1)}" y2="${y.toFixed(1)}" stroke="${colour}" stroke-width="2.2" stroke-linecap="round"/>` +
        `<text x="${(1.34 * x).toFixed(1)}" y="${(1.34 * y).toFixed(1)}" fill="${colour}">${name}</text>`;
    }).join("");
  }
}
