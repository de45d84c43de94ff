// Overlays: floor and axes, frames and workpoints, sensor volumes and detections, tool path, contacts and clearances.
import { THREE } from "nicegui-scene";
import { AMBER, RED } from "cellview_bodies";
import { AXIS_COLOURS, Dot, emptied, Strokes, Tripod } from "cellview_strokes";

const SEEN = 0x2e9e4f, IDLE = 0x5c93c4, PATH = 0x8e24aa, PATH_DARK = 0xce93d8;
const LAMPS = { green: SEEN, amber: AMBER, red: RED };
const GAPS = { collision: RED, near: AMBER, clear: 0x78909c }; // clear: close, but farther than the clearance
const vector = (a, k = 0) => new THREE.Vector3(a[k], a[k + 1], a[k + 2]);
const posed = (node, p) => { node.position.set(p[0], p[1], p[2]); node.quaternion.set(p[4], p[5], p[6], p[3]); node.updateMatrix(); return node; };

export class Overlays {
  constructor(bodies, labels, canvas, changed) {
    Object.assign(this, { bodies, labels, canvas, changed, dark: false, shown: {} });
    this.group = new THREE.Group();
    this.floor = new THREE.Group();
    this.shaded = false;
    this.axes = new Tripod(48, false);
    this.tripods = new THREE.Group(); // of the selected body, TCPs and workpoints
    this.signs = new THREE.Group(); // small markers of constant size
    this.volumes = new THREE.Group();
    this.beams = new Strokes(1.6, canvas);
    this.paths = new Strokes(2.2, canvas);
    this.gaps = new Strokes(2.2, canvas, { through: true });
    this.group.add(this.floor, this.axes, this.tripods, this.signs, this.volumes, this.beams, this.paths, this.gaps);
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
    this.shape();
    this.refresh();
  }

  show(what) {
    this.shown = { ...this.shown, ...what };
    this.axes.visible = !!this.shown.axes;
    this.floor.visible = !!this.shown.grid;
    this.refresh();
  }

  theme(dark) { this.dark = dark; if (this.box) this.lay(this.box); this.refresh(); }

  // ------------------------------------------------------------------ floor

  /** A grid below everything that fades at its edge; its spacing is a round number of millimetres. */
  lay(box) {
    this.box = box.clone();
    emptied(this.floor);
    const middle = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3());
    const reach = 1.1 * Math.max(size.x, size.y, 0.3);
    const step = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 50].find((s) => reach / s <= 24) ?? 100;
    const z = Math.min(box.min.z, 0) - 0.002;
    const cells = Math.ceil(reach / step), [x0, y0] = [Math.round(middle.x / step), Math.round(middle.y / step)];
    const points = [], tints = [], colour = new THREE.Color(this.dark ? 0x7f8c99 : 0x6b7a88);
    const put = (i, j, strong) => {
      points.push((x0 + i) * step, (y0 + j) * step, z);
      const fade = Math.max(0, 1 - Math.hypot(i, j) / cells);
      tints.push(colour.r, colour.g, colour.b, (strong ? 0.62 : 0.3) * fade * fade ** 0.3);
    };
    for (let i = -cells; i <= cells; i++) for (let j = -cells; j < cells; j++) {
      put(i, j, (x0 + i) % 5 === 0); put(i, j + 1, (x0 + i) % 5 === 0);
      put(j, i, (y0 + i) % 5 === 0); put(j + 1, i, (y0 + i) % 5 === 0);
    }
    const lines = new THREE.BufferGeometry();
    lines.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    lines.setAttribute("color", new THREE.Float32BufferAttribute(tints, 4));
    this.floor.add(new THREE.LineSegments(lines, new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, depthWrite: false })));
    const ground = new THREE.Mesh(new THREE.PlaneGeometry(8 * reach, 8 * reach), new THREE.ShadowMaterial({ opacity: this.dark ? 0.35 : 0.16 }));
    ground.position.set(middle.x, middle.y, z - 0.001);
    ground.receiveShadow = true;
    ground.visible = this.shaded;
    this.floor.add((this.ground = ground));
    this.step = step;
  }

  /** The ground only shows shadows: without shadows it is not drawn. */
  shade(on) {
    this.shaded = on;
    if (this.ground) this.ground.visible = on;
  }

  // ------------------------------------------------------------------ redrawn on change

  set(what, value) {
    this[what] = value;
    if (what === "sensors") { this.detections.clear(); this.shape(); }
    this.refresh();
  }

  detect(found) {
    for (const each of found) this.detections.set(each.name, each);
    this.light();
    this.ride();
    this.changed();
  }

  /** The volumes of all sensors, each on its sensor's body. */
  shape() {
    emptied(this.volumes);
    for (const sensor of this.sensors) {
      sensor.node = new THREE.Group();
      for (const volume of sensor.volumes) {
        const surface = new THREE.BufferGeometry();
        surface.setAttribute("position", new THREE.Float32BufferAttribute(volume.vertices, 3));
        surface.setIndex(volume.faces);
        const solid = new THREE.Mesh(surface, new THREE.MeshBasicMaterial({ transparent: true, depthWrite: false, side: THREE.DoubleSide }));
        solid.renderOrder = 4;
        const rim = new THREE.LineSegments(new THREE.EdgesGeometry(surface, 30), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.7 }));
        sensor.node.add(posed(new THREE.Group().add(solid, rim), volume.pose));
      }
      sensor.node.matrixAutoUpdate = false;
      this.volumes.add(sensor.node);
    }
  }

  light() {
    for (const sensor of this.sensors) {
      const on = !!this.detections.get(sensor.name)?.on;
      for (const holder of sensor.node.children) {
        const [solid, rim] = holder.children;
        solid.material.color.set(on ? SEEN : IDLE);
        solid.material.opacity = on ? 0.34 : 0.13;
        rim.material.color.set(on ? SEEN : IDLE);
      }
    }
  }

  refresh() {
    const { shown } = this;
    this.volumes.visible = !!shown.sensors;
    this.light();
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
    const tripod = new Tripod(pixels);
    tripod.matrixAutoUpdate = true;
    tripod.userData = { body, pose };
    source.tripod = tripod;
    this.tripods.add(tripod);
  }

  spot(at, colour, pixels) { this.signs.add(new Dot(at, colour, pixels)); }

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
    const beams = [];
    for (const sensor of this.sensors) {
      const carrier = list[sensor.body];
      if (!carrier || !sensor.node) continue;
      sensor.node.visible = carrier.node.visible;
      sensor.node.matrix.copy(carrier.node.matrix);
      sensor.node.matrixWorldNeedsUpdate = true;
      if (!this.shown.sensors || !carrier.node.visible) continue;
      const found = this.detections.get(sensor.name)?.lines ?? [];
      sensor.lines.forEach((line, k) => {
        const hit = found[k] ?? null, length = hit ?? line[6];
        const from = vector(line).applyMatrix4(carrier.node.matrix);
        const to = vector(line).addScaledVector(vector(line, 3), length).applyMatrix4(carrier.node.matrix);
        beams.push([...from.toArray(), ...to.toArray(), hit === null ? IDLE : SEEN, hit === null ? 0.55 : 0.95]);
      });
    }
    this.beams.draw(beams);
  }

  resize(eye, height) {
    this.axes.resize(eye, height);
    for (const tripod of this.tripods.children) tripod.resize(eye, height);
    for (const sign of this.signs.children) sign.resize(eye, height);
  }

  // ------------------------------------------------------------------ names

  name() {
    const { shown, labels } = this;
    const at = (entry) => () => (entry.tripod?.visible ? entry.tripod.position : null);
    labels.set("workpoints", shown.workpoints && shown.names ? this.workpoints.map((p) => ({ text: p.name, at: at(p), kind: "workpoint" })) : []);
    labels.set("taught", this.taught.map((p) => ({ text: p.name, at: at(p), kind: "workpoint" })));
    labels.set("tools", shown.frames && shown.names ? this.tools.map((p) => ({ text: p.name, at: at(p), kind: "tool" })) : []);
    labels.set("bodies", shown.names ? this.bodies.list.filter((b) => b?.solid && !b.entry.name.includes("/")).map((b) => ({ text: b.entry.name, at: () => middle(b) })) : []);
    labels.set("sensors", shown.sensors && shown.names ? this.sensors.map((s) => ({ text: s.name, at: () => (this.bodies.list[s.body]?.there ? this.bodies.list[s.body].node.position : null), kind: "sensor" })) : []);
    labels.set("gaps", this.near().filter((t) => t.start).map((t) => {
      const half = vector(t.start).lerp(vector(t.end), 0.5);
      return { text: t.text, at: () => half, kind: t.kind, first: true };
    }));
  }
}

function middle(body) {
  if (!body.node.visible) return null;
  return body.solid.geometry.boundingBox.getCenter(new THREE.Vector3()).applyMatrix4(body.node.matrix);
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
