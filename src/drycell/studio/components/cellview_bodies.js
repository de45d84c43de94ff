// Bodies: meshes with edges, moved by frames, in one of three display styles, highlighted when selected or in a collision.
import { THREE } from "nicegui-scene";
import { mesh } from "cellview_mesh";

export const RED = 0xe53935, AMBER = 0xf9a825;
const MODES = { shaded: [true, false], edges: [true, true], wireframe: [false, true] };

export class Bodies {
  constructor(changed) {
    this.group = new THREE.Group();
    this.ghosts = new THREE.Group();
    this.list = []; // by number
    this.named = new Map();
    this.mode = "edges";
    this.dark = false;
    this.materials = new Map();
    this.chosen = new Set();
    this.marked = new Map(); // number → "collision" or "near"
    this.hidden = new Set();
    this.changed = changed;
    this.loading = 0;
    this.poses = new Float32Array(0);
    this.lines = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 });
    this.chosenLines = new THREE.LineBasicMaterial({});
    this.markedLines = { collision: new THREE.LineBasicMaterial({ color: RED }), near: new THREE.LineBasicMaterial({ color: AMBER }) };
  }

  /** Sets all bodies of another scene, by number. Bodies that are in both are kept, whatever their number was. */
  replace(entries) {
    const key = ({ name, mesh }) => `${name} ${mesh}`, before = new Map();
    for (const body of this.list) if (!before.has(key(body.entry))) before.set(key(body.entry), body);
    const kept = entries.map((entry) => {
      const body = before.get(key(entry));
      before.delete(key(entry)); // a name can come twice: of a body that has gone, and of its successor
      return body;
    });
    for (const body of this.list) if (!kept.includes(body)) this.remove(body);
    this.list = [];
    this.named.clear();
    this.chosen.clear();
    this.marked.clear();
    entries.forEach((entry, number) => this.put(entry, kept[number] ?? this.make(entry)));
  }

  /** Adds or updates bodies of the same scene. */
  take(entries) {
    for (const entry of entries) {
      const old = this.list[entry.number];
      if (old && old.entry.mesh !== entry.mesh) this.remove(old);
      this.put(entry, old && old.entry.mesh === entry.mesh ? old : this.make(entry));
    }
    this.move(this.poses);
  }

  put(entry, body) {
    body.entry = entry;
    this.list[entry.number] = body;
    this.named.set(entry.name, body);
    this.paint(body);
  }

  make(entry) {
    const node = new THREE.Group();
    node.visible = false;
    node.matrixAutoUpdate = false;
    const body = { entry, node, solid: null, edges: null, there: false };
    node.userData.body = body;
    this.group.add(node);
    if (entry.mesh) {
      this.loading++;
      mesh(entry.mesh).then(({ surface, edges }) => {
        if (body.dropped) return;
        body.solid = new THREE.Mesh(surface, undefined);
        body.edges = new THREE.LineSegments(edges, this.lines);
        body.solid.userData.body = body;
        node.add(body.solid, body.edges);
        this.paint(body);
      }).catch((error) => console.warn(error.message)).finally(() => { this.loading--; this.changed(); });
    }
    return body;
  }

  remove(body) {
    body.dropped = true;
    this.group.remove(body.node);
    if (this.named.get(body.entry.name) === body) this.named.delete(body.entry.name);
  }

  /** Moves all bodies to the poses of a frame. Returns how many moved. */
  move(poses) {
    this.poses = poses;
    let moved = 0;
    for (let i = 0, k = 0; i < this.list.length; i++, k += 7) {
      const body = this.list[i], node = body.node, there = k + 6 < poses.length && !Number.isNaN(poses[k]);
      if (there) {
        const p = node.position, q = node.quaternion;
        if (!body.there || p.x !== poses[k] || p.y !== poses[k + 1] || p.z !== poses[k + 2]
          || q.w !== poses[k + 3] || q.x !== poses[k + 4] || q.y !== poses[k + 5] || q.z !== poses[k + 6]) {
          p.set(poses[k], poses[k + 1], poses[k + 2]);
          q.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
          node.updateMatrix();
          node.matrixWorldNeedsUpdate = true;
          moved++;
        }
      } else if (body.there) moved++;
      body.there = there;
      node.visible = there && !this.hidden.has(body.entry.name);
    }
    return moved;
  }

  material(colour, state) {
    const name = `${colour}/${state}`;
    let made = this.materials.get(name);
    if (!made) {
      made = new THREE.MeshPhongMaterial({ color: colour, specular: 0x1c1c1c, shininess: 28, polygonOffset: true, polygonOffsetFactor: 1.5, polygonOffsetUnits: 2 });
      if (state === "chosen") { made.color.lerp(new THREE.Color(this.accent), 0.35); made.emissive.set(this.accent).multiplyScalar(0.22); }
      if (state === "collision" || state === "near") { made.color.set(state === "collision" ? RED : AMBER); made.emissive.copy(made.color).multiplyScalar(0.25); }
      this.materials.set(name, made);
    }
    return made;
  }

  paint(body) {
    if (!body.solid) return;
    const state = this.marked.get(body.entry.number) ?? (this.chosen.has(body.entry.number) ? "chosen" : "plain");
    const [solid, edges] = MODES[this.mode];
    body.solid.material = this.material(body.entry.colour, state);
    body.solid.visible = solid;
    body.solid.castShadow = body.solid.receiveShadow = true;
    body.edges.material = { ...this.markedLines, chosen: this.chosenLines, plain: this.lines }[state];
    body.edges.visible = edges || state !== "plain";
  }

  repaint() {
    this.list.forEach((body) => this.paint(body));
    this.changed();
  }

  theme(dark) {
    this.dark = dark;
    this.accent = dark ? 0x64b5f6 : 0x1565c0;
    this.materials.clear();
    this.colourLines();
    this.repaint();
  }

  colourLines() {
    const wire = this.mode === "wireframe";
    this.lines.color.set(wire ? (this.dark ? 0xb0bec5 : 0x37474f) : this.dark ? 0x0c0e10 : 0x263038);
    this.lines.opacity = wire ? 0.9 : this.dark ? 0.7 : 0.5;
    this.chosenLines.color.set(this.accent);
  }

  show(mode) {
    this.mode = MODES[mode] ? mode : "edges";
    this.colourLines();
    this.repaint();
  }

  choose(numbers) { this.chosen = new Set(numbers); this.repaint(); }
  highlight(numbers, colour) { this.marked = new Map(numbers.map((number) => [number, colour])); this.repaint(); }

  hide(names) {
    this.hidden = new Set(names);
    this.move(this.poses);
    this.changed();
  }

  /** Shows transparent copies of bodies: [number, pose, opacity]. */
  showGhosts(copies) {
    const shown = copies.filter(([number]) => this.list[number]?.solid);
    // The same copies at other poses, as during a drag, are moved: new materials would have to be compiled each time.
    const same = shown.length === this.ghosts.children.length && shown.every(([number, , share], place) => {
      const { userData, children } = this.ghosts.children[place];
      return userData.body === this.list[number] && userData.share === share && userData.dark === this.dark
        && children[0].geometry === userData.body.solid.geometry;
    });
    if (!same) {
      this.ghosts.traverse((node) => node.material?.dispose());
      this.ghosts.clear();
      for (const [number, , share] of shown) this.ghosts.add(this.ghost(this.list[number], share));
    }
    shown.forEach(([, pose], place) => {
      this.ghosts.children[place].position.set(pose[0], pose[1], pose[2]);
      this.ghosts.children[place].quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    });
    this.changed();
  }

  ghost(body, share) {
    const pale = { transparent: true, opacity: 0.14 + 0.3 * share, depthWrite: false };
    const solid = new THREE.Mesh(body.solid.geometry, new THREE.MeshLambertMaterial({ color: body.entry.colour, ...pale }));
    const lines = new THREE.LineSegments(body.edges.geometry, new THREE.LineBasicMaterial({ color: this.dark ? 0xcfd8dc : 0x37474f, ...pale }));
    const node = new THREE.Group().add(solid, lines);
    node.userData = { body, share, dark: this.dark };
    return node;
  }

  /** The surfaces that a ray can hit, in wireframe too. */
  solids() { return this.list.filter((body) => body.solid && body.node.visible).map((body) => body.solid); }

  /** The corners of the bounding boxes of some bodies, or of all visible ones. */
  corners(numbers = null) {
    const points = [];
    for (const body of numbers ? numbers.map((n) => this.list[n]) : this.list) {
      if (!body?.solid || !body.there || (!numbers && !body.node.visible)) continue;
      const { min, max } = body.solid.geometry.boundingBox;
      for (let k = 0; k < 8; k++) {
        points.push(new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(body.node.matrix));
      }
    }
    return points;
  }
}
