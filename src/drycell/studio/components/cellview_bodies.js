// Bodies: looks with their edges, moved by frames, in one of three display styles, marked in a collision.
import { THREE } from "nicegui-scene";
import { ink } from "cellview_light";
import { look } from "cellview_look";
import { castsShadow } from "cellview_shadows";
import { depthMaterial, edgeMaterial, ghostMaterial, solidMaterial } from "cellview_solids";

export const RED = 0xe53935, AMBER = 0xf9a825;
const MODES = { shaded: [true, false], edges: [true, true], wireframe: [false, true] };
const MARKS = { plain: null, collision: RED, near: AMBER };
const RADII = [0.06, 0.03, 0.015, 0.008]; // metres: of the parts at which lists may be cut
const SOLID = 1.6, EDGE = 5; // pixels below which parts and their edges are left out
const BARE = 0.2; // points of edges a triangle below which a wireframe shows triangles, too
const DIM = 0.5, BRIGHT = 1.3; // of lamps
const vector = (a) => new THREE.Vector3(a[0], a[1], a[2]);

/** A geometry with the same arrays, of which another part may be drawn. */
function alike(geometry) {
  const made = new THREE.BufferGeometry();
  Object.assign(made, { attributes: geometry.attributes, index: geometry.index, boundingBox: geometry.boundingBox, boundingSphere: geometry.boundingSphere });
  return made;
}

export class Bodies {
  constructor(light, changed) {
    this.light = light;
    this.group = new THREE.Group();
    this.ghosts = new THREE.Group();
    this.list = []; // by number
    this.named = new Map();
    this.mode = "edges";
    this.materials = new Map();
    this.chosen = new Set();
    this.marked = new Map(); // number → "collision" or "near"
    this.hidden = new Set();
    this.changed = changed;
    this.loading = 0;
    this.poses = new Float32Array(0);
    this.channels = new Float32Array(0);
    this.beneath = depthMaterial(light, [0, 0], THREE.FrontSide);
    this.beneath.transparent = true; // in the order of what is transparent
  }

  /** Sets all bodies of another scene, by number. Bodies that are in both are kept, whatever their number was. */
  replace(entries) {
    const key = ({ name, look: shape }) => `${name} ${shape}`, before = new Map();
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
      if (old && old.entry.look !== entry.look) this.remove(old);
      this.put(entry, old && old.entry.look === entry.look ? old : this.make(entry));
    }
    this.move(this.poses, this.channels);
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
    const body = { entry, node, solid: null, there: false, moved: false, values: [] };
    node.userData.body = body;
    this.group.add(node);
    if (entry.look) {
      this.loading++;
      look(entry.look).then((found) => { if (!body.dropped) this.dress(body, found); })
        .catch((error) => console.warn(error.message)).finally(() => { this.loading--; this.changed(); });
    }
    return body;
  }

  /** Gives a body its look: a mesh with its edges for each group, below a node for each channel that moves it. */
  dress(body, { groups, channels, box }) {
    const nodes = new Map(), lamps = new Map(), kinds = Object.fromEntries(channels);
    body.solid = { box, drawn: [], channels, nodes, lamps };
    for (const { channel, finish, detail, surface, edges } of groups) {
      const kind = kinds[channel]?.kind, moves = kind === "turn" || kind === "slide";
      if (moves && !nodes.has(channel)) {
        const joint = new THREE.Group();
        joint.matrixAutoUpdate = false;
        body.node.add(joint);
        nodes.set(channel, joint);
      }
      const own = kind === "glow" || kind === "scroll" ? solidMaterial(this.light, kind === "glow" ? "lamp" : finish) : null;
      if (own) { if (!lamps.has(channel)) lamps.set(channel, []); lamps.get(channel).push(own); }
      const mesh = new THREE.Mesh(alike(surface)), lines = edges ? new THREE.LineSegments(alike(edges)) : null, through = finish === "glass" || finish === "mesh";
      mesh.matrixAutoUpdate = false;
      mesh.userData.body = body;
      if (through) { mesh.layers.set(3); mesh.renderOrder = finish === "glass" ? 6 : 5; }
      (moves ? nodes.get(channel) : body.node).add(mesh);
      if (lines) {
        lines.matrixAutoUpdate = false;
        lines.layers.set(1);
        lines.renderOrder = 2;
        mesh.parent.add(lines);
      }
      body.solid.drawn.push({ mesh, lines, detail, finish, own, through, bare: !edges || edges.attributes.position.count < (BARE * surface.index.count) / 3 });
    }
    this.paint(body);
    this.showValues(body);
    body.node.matrixWorldNeedsUpdate = true;
  }

  remove(body) {
    body.dropped = true;
    for (const { own } of body.solid?.drawn ?? []) own?.dispose();
    this.group.remove(body.node);
    if (this.named.get(body.entry.name) === body) this.named.delete(body.entry.name);
  }

  /** Moves all bodies to the poses of a frame, and sets their channels. Returns how many changed. */
  move(poses, channels = new Float32Array(0)) {
    this.poses = poses;
    this.channels = channels;
    let moved = 0, at = 0;
    for (let i = 0, k = 0; i < this.list.length; i++, k += 7) {
      const body = this.list[i], node = body.node, there = k + 6 < poses.length && !Number.isNaN(poses[k]);
      if (there) {
        const p = node.position, q = node.quaternion;
        if (!body.there || p.x !== poses[k] || p.y !== poses[k + 1] || p.z !== poses[k + 2]
          || q.w !== poses[k + 3] || q.x !== poses[k + 4] || q.y !== poses[k + 5] || q.z !== poses[k + 6]) {
          if (body.placed && !body.moved) this.leave(body);
          p.set(poses[k], poses[k + 1], poses[k + 2]);
          q.set(poses[k + 4], poses[k + 5], poses[k + 6], poses[k + 3]);
          node.updateMatrix();
          node.matrixWorldNeedsUpdate = true;
          body.placed = true;
          moved++;
        }
      } else if (body.there) moved++;
      body.there = there;
      node.visible = there && !this.hidden.has(body.entry.name);
      const count = body.entry.channels?.length ?? 0;
      if (count && at + count <= channels.length) {
        const values = channels.subarray(at, at + count);
        if (there && values.some((value, n) => value !== body.values[n])) {
          body.values = Array.from(values);
          this.showValues(body);
          moved++;
        }
      }
      at += count;
    }
    return moved;
  }

  /** A body moves for the first time: it no longer casts a contact shadow, which is made once. */
  leave(body) {
    body.moved = true;
    this.paint(body);
  }

  /** Moves and lights the groups of a body as its channels say. */
  showValues(body) {
    if (!body.solid) return;
    body.solid.channels.forEach(([name, channel], number) => {
      const value = Number.isFinite(body.values[number]) ? body.values[number] : 0;
      const joint = body.solid.nodes.get(name);
      if (joint) {
        if (channel.kind === "slide") joint.matrix.makeTranslation(vector(channel.vector).multiplyScalar(value));
        else {
          const pivot = vector(channel.pivot), about = vector(channel.axis).normalize();
          joint.matrix.makeRotationAxis(about, channel.scale * value).setPosition(pivot.clone().sub(pivot.clone().applyAxisAngle(about, channel.scale * value)));
        }
        joint.matrixWorldNeedsUpdate = true;
      }
      for (const { uniforms } of body.solid.lamps.get(name) ?? []) {
        if (channel.kind === "scroll") uniforms.travel.value = value;
        else uniforms.glow.value.set(channel.off).lerp(new THREE.Color(channel.on), value).multiplyScalar(DIM + (BRIGHT - DIM) * value);
      }
    });
  }

  /** The value of a channel of a body now, or undefined. */
  value(body, name) { return body.values[body.solid?.channels.findIndex(([each]) => each === name) ?? -1]; }

  marking(state, strength) { // as shown
    const { r, g, b } = MARKS[state] === null ? { r: 0, g: 0, b: 0 } : ink(MARKS[state]);
    return new THREE.Vector4(r, g, b, MARKS[state] === null ? 0 : strength);
  }

  material(finish, state) {
    const name = `${finish}/${state}`;
    if (!this.materials.has(name)) {
      const made = finish === "edge" ? edgeMaterial(this.light) : solidMaterial(this.light, finish);
      made.uniforms.mark.value = this.marking(state, finish === "edge" ? 1 : 0.7);
      this.materials.set(name, made);
    }
    return this.materials.get(name);
  }

  /** The material of triangles in a wireframe: for what has hardly any edges. */
  wires(state) {
    const name = `wires/${state}`;
    if (!this.materials.has(name)) {
      const made = edgeMaterial(this.light);
      made.wireframe = true;
      made.uniforms.mark.value = MARKS[state] === null ? new THREE.Vector4() : this.marking(state, 0.4);
      made.uniforms.faint.value = 0.3;
      this.materials.set(name, made);
    }
    return this.materials.get(name);
  }

  paint(body) {
    if (!body.solid) return;
    const state = this.marked.get(body.entry.number) ?? "plain", [solid, edges] = MODES[this.mode];
    for (const { mesh, lines, finish, own, bare, through } of body.solid.drawn) {
      mesh.material = solid ? (own ?? this.material(finish, state)) : this.wires(state);
      own?.uniforms.mark.value.copy(this.marking(state, 0.7));
      mesh.visible = solid || bare;
      if (!through && solid) castsShadow(mesh, !body.moved);
      else if (!through) mesh.layers.set(1); // wires cast none
      if (!lines) continue;
      lines.material = this.material("edge", state);
      lines.visible = edges || state !== "plain";
    }
  }

  repaint() {
    this.light.shared.wires.value = +(this.mode === "wireframe");
    this.list.forEach((body) => this.paint(body));
    this.changed();
  }

  show(mode) {
    this.mode = MODES[mode] ? mode : "edges";
    this.repaint();
  }

  choose(numbers) { this.chosen = new Set(numbers); this.changed(); }
  highlight(numbers, colour) { this.marked = new Map(numbers.map((number) => [number, colour])); this.repaint(); }

  hide(names) {
    this.hidden = new Set(names);
    this.move(this.poses, this.channels);
    this.changed();
  }

  /** The meshes of some bodies. */
  meshes(numbers) {
    return [...numbers].flatMap((number) => this.list[number]?.solid?.drawn.map(({ mesh }) => mesh) ?? []);
  }

  /** From afar, leaves out parts smaller than a pixel or two: lists begin with the large ones. */
  cut(eye, height) {
    const at = new THREE.Vector3();
    for (const { solid, node } of this.list) {
      if (!solid || !node.visible) continue;
      for (const { mesh, lines, detail } of solid.drawn) {
        const { center, radius } = mesh.geometry.boundingSphere;
        at.copy(center).applyMatrix4(mesh.matrixWorld);
        const nearer = eye.isParallel ? 1 : 1 - (0.7 * radius) / Math.max(eye.camera.position.distanceTo(at), 1e-6);
        const pixel = eye.pixel(at, height) * Math.max(nearer, 0.02); // metres
        const most = (pixels, which) => {
          const k = RADII.findIndex((least) => least < pixels * pixel);
          return k < 0 ? Infinity : detail[Math.max(0, k - 1)][which];
        };
        mesh.geometry.drawRange.count = most(SOLID, 0);
        if (lines) lines.geometry.drawRange.count = most(EDGE, 1);
      }
    }
  }

  /** Shows transparent copies of bodies: [number, pose, opacity]. */
  showGhosts(copies) {
    const shown = copies.filter(([number]) => this.list[number]?.solid);
    // The same copies at other poses, as during a drag, are moved.
    const same = shown.length === this.ghosts.children.length && shown.every(([number, , share], place) => {
      const { userData } = this.ghosts.children[place];
      return userData.body === this.list[number] && userData.share === share;
    });
    if (!same) {
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
    const node = new THREE.Group(), step = Math.round(20 * share) / 20, name = `ghost/${step}`;
    if (!this.materials.has(name)) this.materials.set(name, ghostMaterial(this.light, step));
    for (const { mesh, lines } of body.solid.drawn) {
      // First only the depth: the inside of a ghost does not show.
      [this.beneath, this.materials.get(name)].forEach((material, k) => {
        const copy = new THREE.Mesh(mesh.geometry, material);
        copy.renderOrder = 6.5 + 0.1 * k;
        node.add(copy);
      });
      if (lines) {
        const rims = new THREE.LineSegments(lines.geometry, this.ghostEdges());
        rims.renderOrder = 6.7;
        node.add(rims);
      }
    }
    node.traverse((each) => each.layers.set(3));
    node.userData = { body, share };
    return node;
  }

  ghostEdges() {
    if (!this.materials.has("ghost edges")) {
      const made = edgeMaterial(this.light);
      made.uniforms.mark = this.light.shared.accentMark;
      this.materials.set("ghost edges", made);
    }
    return this.materials.get("ghost edges");
  }

  /** The surfaces that a ray can hit, in wireframe too. */
  solids() { return this.list.flatMap((body) => (body.solid && body.node.visible ? body.solid.drawn.map(({ mesh }) => mesh) : [])); }

  /** The corners of the bounding boxes of some bodies, or of all visible ones. */
  corners(numbers = null) {
    const points = [];
    for (const body of numbers ? numbers.map((n) => this.list[n]) : this.list) {
      if (!body?.solid || !body.there || (!numbers && !body.node.visible) || body.solid.box.isEmpty()) continue;
      const { min, max } = body.solid.box;
      for (let k = 0; k < 8; k++) {
        points.push(new THREE.Vector3(k & 1 ? max.x : min.x, k & 2 ? max.y : min.y, k & 4 ? max.z : min.z).applyMatrix4(body.node.matrix));
      }
    }
    return points;
  }

  /** Where the label of a body points: near the top of its box, in the middle; null if it is not in sight. */
  anchor(body) {
    if (!body.node.visible || !body.solid || body.solid.box.isEmpty()) return null;
    const at = body.solid.box.getCenter(new THREE.Vector3()).applyMatrix4(body.node.matrix);
    const e = body.node.matrix.elements, half = body.solid.box.getSize(new THREE.Vector3()).multiplyScalar(0.5);
    at.z += 0.8 * (Math.abs(e[2]) * half.x + Math.abs(e[6]) * half.y + Math.abs(e[10]) * half.z);
    return at;
  }
}
