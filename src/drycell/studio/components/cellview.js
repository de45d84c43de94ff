// The 3-D view of a cell: bodies moved by frames, camera, overlays, picking and a dragger. It only draws: the page
// sends the tree and the overlays, the server the frames and meshes.
import { THREE } from "nicegui-scene";
import { AMBER, Bodies, RED } from "cellview_bodies";
import { bestCorner, Eye } from "cellview_camera";
import { Frames } from "cellview_frames";
import { Floor } from "cellview_floor";
import { Labels } from "cellview_labels";
import { ink, Light } from "cellview_light";
import { Compass, Overlays } from "cellview_overlays";
import { Pictures } from "cellview_pictures";
import { Pointer } from "cellview_pointer";

const FIRST_SIGHT = 300; // milliseconds for the first picture, before more shaders are compiled
const MOST_WAITING = 100; // frames that wait for their tree

/** Whether rendering is done in software, without a graphics card. */
function software() {
  const context = document.createElement("canvas").getContext("webgl2");
  const card = context?.getExtension("WEBGL_debug_renderer_info");
  const name = card ? String(context.getParameter(card.UNMASKED_RENDERER_WEBGL)) : "";
  context?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

class View {
  constructor(element, emit) {
    this.element = element;
    this.emit = emit;
    this.canvas = element.querySelector("canvas");
    this.stats = { frames: 0, renders: 0, drags: 0, round_trips: [] };
    this.t = null;
    this.sceneNumber = null; // of the scene that is drawn: its tree and its frames have arrived
    this.next = null; // the latest tree: number and version of its scene, its cell, and all its bodies
    this.latest = null; // the frame that is drawn
    this.waiting = []; // frames whose tree is still to come
    this.later = []; // what to do when the scene of the latest tree is drawn
    this.cell = null;
    this.version = 0;
    this.framed = false;
    this.expected = null; // the tree version before something is added
    this.followed = null;
    this.hovered = null; // the name of the body under the pointer
    this.soft = software();
    this.light = new Light();
    this.scene = new THREE.Scene();
    const changed = () => this.pictures?.changed();
    this.changed = changed;
    this.eye = new Eye(this.canvas, changed);
    this.eye.controls.addEventListener("end", () => this.remember());
    this.floor = new Floor(this.light);
    this.pictures = new Pictures(this.canvas, this.scene, this.eye, this.light, this.floor, this.soft);
    this.renderer = this.pictures.renderer;
    this.bodies = new Bodies(this.light, () => { this.dress(); this.outline(); this.pictures.moved(); });
    this.labels = new Labels(element);
    this.compass = new Compass(element);
    this.size = this.light.shared.canvas;
    this.overlays = new Overlays(this.light, this.bodies, this.labels, this.floor, changed);
    this.scene.add(this.bodies.group, this.bodies.ghosts, this.floor.group, this.overlays.group);
    this.lost = 0;
    this.canvas.addEventListener("webglcontextlost", () => { this.lost++; element.classList.add("cellview-dead"); });
    this.canvas.addEventListener("webglcontextrestored", () => { element.classList.remove("cellview-dead"); this.pictures.restore(); });
    this.pointer = new Pointer(this);
    const dark = () => document.body.classList.contains("body--dark");
    this.theme(dark());
    this.themes = new MutationObserver(() => { if (dark() !== this.dark) this.theme(dark()); });
    this.themes.observe(document.body, { attributes: true, attributeFilter: ["class"] });
    this.watcher = new ResizeObserver(() => this.resize());
    this.watcher.observe(element);
    this.resize();
    this.frames = new Frames((...frame) => this.frame(...frame), (on) => this.line(on));
    const loop = () => { this.loop = requestAnimationFrame(loop); this.tick(); };
    loop();
  }

  theme(dark) {
    this.dark = dark;
    this.element.classList.toggle("cellview-dark", dark);
    this.light.theme(dark);
    this.overlays.theme(dark);
    this.changed();
  }

  resize() {
    const [width, height] = [Math.max(this.element.clientWidth, 2), Math.max(this.element.clientHeight, 2)];
    this.pictures.resize(width, height);
    this.eye.resize(width, height);
    this.render(); // at once: an emptied canvas would flash
  }

  /** Once per picture of the screen. */
  tick() {
    this.pointer.tick();
    if (this.pictures.wanted && !this.pictures.lost && this.pictures.idle()) this.arrange();
    if (this.pictures.tick(this.pointer.dragging || this.element.clientWidth < 2)) this.stats.renders++;
  }

  /** Draws now. */
  render() {
    this.arrange();
    this.pictures.draw();
    this.stats.renders++;
  }

  /** Sizes and places what does not scale with the scene, before a live picture. */
  arrange() {
    const [width, height] = this.size.value.toArray();
    this.eye.camera.updateMatrixWorld();
    this.overlays.resize(this.eye, height);
    this.pointer.dragger?.resize(this.eye, height);
    this.scene.updateMatrixWorld();
    this.bodies.cut(this.eye, height * this.pictures.now.ratio);
    this.labels.place(this.eye, width, height);
    this.compass.turn(this.eye.camera);
  }

  /** Outlines what is selected, and what has collided or nearly so. */
  outline() {
    const { bodies, pictures } = this;
    pictures.chosen = pictures.outline.shape(bodies.meshes(bodies.chosen));
    pictures.marked = Object.entries({ collision: RED, near: AMBER }).map(([state, colour]) => ({
      shape: pictures.outline.shape(bodies.meshes([...bodies.marked].filter(([, each]) => each === state).map(([number]) => number))), colour: ink(colour),
    })).filter(({ shape }) => shape);
  }

  // ------------------------------------------------------------------ input

  /** A frame. It is drawn when the tree with all of its bodies is there. */
  frame(t, scene, version, poses, channels) {
    this.stats.frames++;
    this.waiting.push({ t, scene, version, poses, channels });
    if (this.waiting.length > MOST_WAITING) this.waiting.shift();
    this.advance();
  }

  /** Draws the newest frame that the tree is complete for. */
  advance() {
    if (!this.next) return;
    const { scene, version } = this.next;
    const place = this.waiting.findLastIndex((frame) => frame.scene === scene && frame.version <= version);
    if (place >= 0) this.latest = this.waiting.splice(0, place + 1).at(-1);
    if (scene !== this.sceneNumber) this.settle();
    else if (place >= 0) this.move();
  }

  move() {
    const { t, version, poses, channels } = this.latest;
    this.t = t;
    const before = this.followed !== null ? this.bodies.list[this.followed]?.node.position.clone() : null;
    const moved = this.bodies.move(poses, channels);
    this.arrived = version;
    if (!moved) return;
    if (before && this.bodies.list[this.followed]?.there) this.eye.shift(this.bodies.list[this.followed].node.position.clone().sub(before));
    this.overlays.ride();
    this.dress();
    this.pictures.beat();
    this.pictures.moved();
  }

  line(on) { this.element.classList.toggle("cellview-lost", !on); }

  /** The tree: the bodies of a scene that are new or changed. Another scene is drawn as soon as one of its frames is here. */
  tree(entries, scene, version, cell) {
    const all = this.next?.scene === scene ? this.next.all : [];
    for (const entry of entries) all[entry.number] = entry;
    this.next = { scene, version, cell, all };
    if (scene === this.sceneNumber) {
      this.bodies.take(entries);
      this.version = version;
    }
    this.advance();
    this.dress();
    this.overlays.refresh();
  }

  /** Draws the scene of the latest tree and the latest frame, if they belong together. An empty one needs no frame. */
  settle() {
    if (!this.next || this.sceneNumber === this.next.scene) return;
    const { scene, version, cell, all } = this.next, arrived = this.latest?.scene === scene;
    if (!arrived && all.length) return;
    const same = cell === this.cell && this.bodies.list.every((body, number) => body.entry.name === all[number]?.name);
    if (!same) this.overlays.clear();
    this.bodies.showGhosts([]);
    this.followed = null;
    Object.assign(this, { sceneNumber: scene, version });
    if (cell !== this.cell) { this.cell = cell; this.framed = false; }
    this.bodies.replace(all);
    if (arrived) this.move();
    else this.bodies.move(new Float32Array(0));
    for (const does of this.later.splice(0)) does();
    this.dress();
    this.overlays.refresh();
    this.changed();
  }

  /** Does something that refers to the bodies of the latest tree, when that is drawn. */
  when(does) {
    if (this.next && this.sceneNumber !== this.next.scene) this.later.push(does);
    else does();
  }

  /** Fits the camera when all bodies have a mesh and a pose for the first time, and puts the floor below them. */
  dress() {
    this.takeIn();
    if (this.framed || this.bodies.loading || !this.bodies.list.some((body) => body.there && body.solid)) return;
    this.framed = true;
    setTimeout(() => this.pictures.prepare(), FIRST_SIGHT);
    window.dispatchEvent(new Event("drycell-framed"));
    this.measure();
    if (this.eye.recall(this.cell) && this.bodies.corners().some((point) => this.sees(point))) return;
    const seen = this.bodies.list.filter((body) => body.solid && body.node.visible);
    this.fit(bestCorner(seen.map(({ entry }) => [this.bodies.corners([entry.number]), entry.robot])), true);
  }

  /** Whether a point is in the picture. */
  sees(point) {
    this.eye.camera.updateMatrixWorld();
    const { x, y, z } = point.clone().project(this.eye.camera);
    return Math.max(Math.abs(x), Math.abs(y), Math.abs(z)) <= 1;
  }

  /** Remembers the camera that the user has chosen, once it stands still. */
  remember() { if (this.framed) this.eye.remember(this.cell); }

  /** When an added body has arrived and is partly out of sight, moves the camera back until everything is visible. */
  takeIn() {
    if (this.expected === null || this.version === this.expected || this.arrived !== this.version || this.bodies.loading) return;
    this.expected = null;
    if (!this.bodies.corners().every((point) => this.sees(point))) this.fit();
  }

  measure() {
    const points = this.bodies.corners();
    if (!points.length) return points;
    const box = new THREE.Box3().setFromPoints(points);
    this.middle = box.getCenter(new THREE.Vector3());
    this.eye.size = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 0.05);
    this.floor.lay(box);
    const whole = box.clone();
    whole.min.z = Math.min(whole.min.z, this.light.shared.floorHeight.value);
    this.pictures.shadows.fit(whole);
    this.scene.updateMatrixWorld();
    this.pictures.shadows.bake();
    this.pictures.moved();
    return points;
  }

  fit(side = null, quick = false, numbers = null) {
    const all = this.measure(), some = numbers?.length ? this.bodies.corners(numbers) : [];
    if (some.length) { // with some surroundings, for orientation
      const box = new THREE.Box3().setFromPoints(some), middle = box.getCenter(new THREE.Vector3());
      for (const point of some) point.sub(middle).multiplyScalar(1.8).add(middle);
    }
    this.eye.show(some.length ? some : all, side, quick);
  }

  choose(numbers) {
    this.bodies.choose(numbers);
    this.hovered = undefined;
    this.pictures.hovered = null;
    this.overlays.set("chosen", numbers.length ? numbers[0] : null);
  }

  /** Outlines the body under the pointer, with those that a click would select. */
  hover(name) {
    if (name === this.hovered) return;
    this.hovered = name;
    const { bodies } = this, below = (each) => each.entry.name === name || each.entry.name.startsWith(`${name}/`);
    const numbers = name === null ? [] : bodies.list.filter(below).map((each) => each.entry.number);
    this.pictures.hover(bodies.meshes(numbers.filter((number) => !bodies.chosen.has(number))));
  }

  /** The position of a world point on the page. */
  screen(point) {
    this.eye.camera.updateMatrixWorld();
    const p = new THREE.Vector3(...point).project(this.eye.camera), rim = this.canvas.getBoundingClientRect();
    return [rim.left + ((p.x + 1) / 2) * rim.width, rim.top + ((1 - p.y) / 2) * rim.height];
  }

  close() {
    cancelAnimationFrame(this.loop);
    this.frames.close();
    this.watcher.disconnect();
    this.themes.disconnect();
    this.pointer.close();
    this.eye.dispose();
    this.pictures.dispose();
  }
}

export default {
  template: `<div class="cellview" tabindex="0"><canvas></canvas><div class="cellview-hint"></div><div class="cellview-hover"></div></div>`,
  mounted() {
    // Not reactive: Vue's proxies would be slower than drawing.
    this.view = Object.freeze({ it: new View(this.$el, (name, data) => this.$emit(name, data)) });
    (window.__drycell ??= {}).view = this.view.it;
    this.$emit("ready", { soft: this.view.it.soft });
  },
  beforeUnmount() { this.view.it.close(); },
  methods: {
    tree(entries, scene, version, cell) { this.view.it.tree(entries, scene, version, cell); },
    choose(numbers) { const { it } = this.view; it.when(() => it.choose(numbers)); },
    hide(names) { this.view.it.bodies.hide(names); },
    mode(mode) { this.view.it.bodies.show(mode); },
    project(parallel) { this.view.it.eye.project(parallel); },
    side(name) { this.view.it.fit(name); this.view.it.remember(); },
    fit(numbers) { this.view.it.fit(null, false, numbers); this.view.it.remember(); },
    expect() { this.view.it.expected = this.view.it.version; },
    follow(number) { const { it } = this.view; it.when(() => { it.followed = number; }); },
    shadows(on) { this.view.it.pictures.sunShadow(on); },
    show(what) { this.view.it.overlays.show(what); },
    overlay(what, value) { const { it } = this.view; it.when(() => it.overlays.set(what, value)); },
    detect(found) { const { it } = this.view; it.when(() => it.overlays.detect(found)); },
    highlight(numbers, colour, point, gap) {
      const { it } = this.view;
      it.when(() => { it.bodies.highlight(numbers, colour); it.overlays.set("marked", { point, colour, gap }); });
    },
    showGhosts(copies) { const { it } = this.view; it.when(() => it.bodies.showGhosts(copies)); },
    grey(on) { this.view.it.element.classList.toggle("cellview-grey", on); },
    picking(hint) { this.view.it.pointer.picking(hint); },
    drag_at(pose, options) { this.view.it.pointer.drag(pose, options); },
    dragged(number, pose) { this.view.it.pointer.dragged(number, pose); },
  },
};
