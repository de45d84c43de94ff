// Pictures: how the scene is drawn. Live ones at a quality that the machine can keep up with; at rest one that is refined
// sample by sample, to smooth edges, soft shadows and true ambient occlusion.
import { THREE } from "nicegui-scene";
import { SUN, TONE } from "cellview_light";
import { Outline } from "cellview_outline";
import { depthMap, SCREEN, Shadows, Sweep } from "cellview_shadows";

export const LEVELS = [
  { name: "coarse", ratio: 0.5, detail: 0, shadow: 0, map: 512 },
  { name: "plain", ratio: 0.7, detail: 0, shadow: 0, map: 512 },
  { name: "light", ratio: 1, detail: 0, shadow: 0, map: 512 },
  { name: "standard", ratio: 1, detail: 0, shadow: 1, map: 1024 },
  { name: "fine", ratio: Math.min(2, window.devicePixelRatio), detail: 1, shadow: 3, map: 2048 },
];
const STANDARD = 3, FINE = 4;
const REST = 250; // milliseconds without change before the picture is refined
const BEATS = 3, LONGEST = 1500; // while frames come: this many of their intervals, and at most this many milliseconds
export const SAMPLES = 24;
const FIRST = 4, EVERY = 4; // samples before a refined picture is shown, and between two: fewer would flicker
const DISC = 0.045; // radius of the sun's disc
const SLOW = 42, QUICK = 18, VERY_SLOW = 120, PAUSE = 2000; // milliseconds a picture
const SELECTED = 2.5, HOVERED = 1.5; // pixels of outlines
const DRAWN = 1 | 2 | 4 | 8; // layers: solids, edges, floor, and what is transparent or drawn on top

/** The k-th number of a sequence that fills 0 to 1 evenly. */
function spread(k, base) {
  let [share, sum] = [1, 0];
  for (let n = k; n > 0; n = Math.floor(n / base)) { share /= base; sum += share * (n % base); }
  return sum;
}

export class Pictures {
  constructor(canvas, scene, eye, light, floor, soft) {
    Object.assign(this, { scene, eye, light, floor, soft });
    // In software, antialiasing is too slow while something moves; at rest the samples smooth edges.
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: !soft, stencil: true, alpha: false, powerPreference: "high-performance" });
    this.renderer.autoClear = false;
    this.sweep = new Sweep();
    this.shadows = new Shadows(this.renderer, scene, light, this.sweep);
    this.outline = new Outline(this.renderer, light);
    this.chosen = this.hovered = null; // shapes to outline
    this.marked = []; // shapes with their colours: a collision or a near miss
    this.sunny = true; // whether the sun casts shadows
    this.size = [2, 2];
    this.wanted = false;
    this.sample = 0;
    this.refined = false;
    this.stale = true; // whether something has moved since the sun's map was made
    this.quiet = 0; // until when frames are expected
    this.fence = null; // signals when the last picture is complete
    this.highest = LEVELS.length - 1;
    this.times = []; // of the last pictures, in milliseconds
    this.quick = 0;
    this.ready = false; // whether all shaders are compiled: pictures before that say nothing about the machine
    this.stats = { renders: 0, samples: 0, levels: [] };
    const add = { depthTest: false, depthWrite: false, transparent: true, blending: THREE.CustomBlending, blendSrc: THREE.SrcAlphaFactor, blendDst: THREE.OneMinusSrcAlphaFactor, blendSrcAlpha: THREE.OneFactor, blendDstAlpha: THREE.ZeroFactor };
    const copy = (how, shown) => light.material({
      ...how, vertex: SCREEN, uniforms: { source: { value: null }, weight: { value: 1 } },
      fragment: `in vec2 S; uniform sampler2D source; uniform float weight; ${TONE} void main() { vec3 c = texture(source, S).rgb; colour = vec4(${shown}, weight); }`,
    });
    this.mix = copy(add, "c");
    this.present = copy({ depthTest: false, depthWrite: false }, "shown(c)");
    this.setLevel(soft ? STANDARD : FINE);
  }

  get card() { return this.renderer.getContext(); }
  get lost() { return this.card.isContextLost(); }

  // ------------------------------------------------------------------ quality

  setLevel(number) {
    this.level = number;
    this.now = LEVELS[number];
    this.stats.levels.push(this.now.name);
    this.times = [];
    this.quick = 0;
    this.sun?.dispose();
    this.sun = depthMap(this.now.map);
    this.floor.refine(!!this.now.detail);
    this.stale = true;
    this.changed();
  }

  /** One level down if pictures take long, and never up past it again; one up after many quick ones. */
  pace(took) {
    if (took > PAUSE) return; // not a slow picture
    this.times.push(took);
    this.quick = took < QUICK ? this.quick + 1 : 0;
    const recent = this.times.slice(-10).sort((a, b) => a - b), median = recent[recent.length >> 1];
    if (this.times.length > 1000) this.times.splice(0, 500);
    if (recent.length >= (median > VERY_SLOW ? 4 : 10) && median > SLOW && this.level > 0) {
      this.highest = this.level - 1;
      this.setLevel(this.level - 1);
    } else if (this.quick > 90 && this.level < this.highest) this.setLevel(this.level + 1);
  }

  /** Taps of the sun's shadow: 0 without, or as long as there is nothing to cast one. */
  get sunShadows() { return this.sunny && this.shadows.box ? this.now.shadow : 0; }

  sunShadow(on) { this.sunny = on; this.stale = true; this.changed(); }

  resize(width, height) {
    this.size = [width, height];
    this.light.shared.canvas.value.set(width, height);
    this.still?.forEach((target) => target.dispose());
    this.still = null;
    this.changed();
  }

  // ------------------------------------------------------------------ when to draw

  /** Something has changed: draws soon, and starts refining anew. */
  changed() {
    this.wanted = true;
    this.restAt = performance.now() + REST;
    this.sample = 0;
    this.refined = false;
  }

  /** What moves has moved: shadows, too. */
  moved() { this.stale = true; this.changed(); }

  /** A frame has come. On a slow machine the next one may be long in coming: the time between is not used to refine. */
  beat() {
    const now = performance.now(), gap = now - (this.beaten ?? -Infinity);
    this.beaten = now;
    this.quiet = gap < LONGEST ? now + Math.min(BEATS * gap, LONGEST) : 0;
  }

  /** Whether the last picture is complete: queued pictures would delay the reaction to the mouse. */
  idle() { return !this.fence || this.card.clientWaitSync(this.fence, 0, 0) !== this.card.TIMEOUT_EXPIRED; }

  /** Once per picture of the screen. Returns whether a live picture was drawn. `busy`: it will not come to rest soon. */
  tick(busy) {
    if (this.lost || !this.idle()) return false;
    const now = performance.now();
    if (this.began !== undefined) {
      if (this.ready) this.pace(now - this.began);
      this.began = undefined;
    }
    if (this.wanted) { this.draw(); return true; }
    if (!busy && now > Math.max(this.restAt, this.quiet) && this.sample < SAMPLES) this.refine();
    return false;
  }

  seal() {
    const { card } = this;
    if (this.fence) card.deleteSync(this.fence);
    this.fence = card.fenceSync(card.SYNC_GPU_COMMANDS_COMPLETE, 0);
    card.flush();
  }

  // ------------------------------------------------------------------ drawing

  resolution(ratio) {
    const { renderer } = this, [width, height] = this.size;
    if (this.drawnAt === `${ratio}/${width}/${height}`) return;
    this.drawnAt = `${ratio}/${width}/${height}`;
    renderer.setPixelRatio(ratio);
    renderer.setSize(width, height, false);
  }

  /** A live picture. */
  draw() {
    if (this.lost) return;
    const { light, eye } = this, shadow = this.sunShadows;
    this.wanted = false;
    this.began = performance.now();
    this.resolution(this.now.ratio);
    light.define(shadow, this.now.detail, false);
    this.scene.updateMatrixWorld();
    light.shared.sunDirection.value.copy(SUN);
    if (shadow && this.stale) { this.shadows.sun(this.sun); this.stale = false; }
    else if (shadow) Object.assign(light.shared.sunMap, { value: this.sun.depthTexture });
    eye.camera.updateMatrixWorld();
    this.paint(null, null);
    this.seal();
    this.stats.renders++;
  }

  paint(target, turn) {
    const { renderer, light, eye } = this, { camera } = eye, { shared } = light;
    light.look(eye);
    renderer.setRenderTarget(target);
    // Cleared to the horizon, as shown or linear; three converts for the target that is set.
    const { r, g, b } = shared.horizon.value;
    renderer.setClearColor(new THREE.Color().setRGB(r, g, b).convertSRGBToLinear(), 1);
    renderer.clear(true, true, true);
    camera.layers.mask = DRAWN;
    renderer.render(this.scene, camera);
    for (const { shape, colour } of this.marked) this.outline.draw(shape, camera, colour, 1, SELECTED, turn);
    this.outline.draw(this.chosen, camera, shared.accent.value, 1, SELECTED, turn);
    if (target === null) this.outline.draw(this.hovered, camera, shared.hover.value, 0.75, HOVERED, turn);
    renderer.setRenderTarget(null);
  }

  /** Targets of still pictures, made when they are first needed. */
  targets() {
    const ratio = Math.max(1, this.now.ratio), [width, height] = this.size.map((length) => Math.round(length * ratio));
    this.still ??= [
      new THREE.WebGLRenderTarget(width, height, { type: THREE.HalfFloatType, stencilBuffer: true }),
      new THREE.WebGLRenderTarget(width, height, { type: THREE.HalfFloatType, depthBuffer: false }),
    ];
    this.stillSun ??= depthMap(1536);
    this.dome ??= depthMap(640);
  }

  /** One more sample of the still picture: the eye shifted within a pixel, the sun within its disc, one direction of the sky. */
  refine() {
    if (!this.shadows.box) return;
    const { light, eye, renderer, sample } = this, { shared } = light, k = sample + 1, [width, height] = this.size;
    if (sample === 0) this.refining = performance.now();
    this.targets();
    light.define(this.sunny ? 2 : 0, this.now.detail, true);
    const side = new THREE.Vector3(0, 0, 1).cross(SUN).normalize(), up = SUN.clone().cross(side);
    const angle = 2 * Math.PI * spread(k, 5), out = DISC * Math.sqrt(spread(k, 7));
    const sun = SUN.clone().addScaledVector(side, out * Math.cos(angle)).addScaledVector(up, out * Math.sin(angle)).normalize();
    if (this.sunny) this.shadows.sun(this.stillSun, sun);
    const z = 0.06 + 0.94 * spread(k, 2), turn = 2 * Math.PI * spread(k, 3), r = Math.sqrt(1 - z * z);
    shared.domeDirection.value.set(r * Math.cos(turn), r * Math.sin(turn), z);
    this.shadows.cast(this.dome, shared.domeDirection.value, shared.domeMatrix.value);
    shared.domeMap.value = this.dome.depthTexture;
    eye.camera.setViewOffset(width, height, spread(k, 2) - 0.5, spread(k, 3) - 0.5, width, height);
    eye.camera.updateMatrixWorld();
    this.paint(this.still[0], 0.61 * sample);
    eye.camera.clearViewOffset();
    this.mix.uniforms.source.value = this.still[0].texture;
    this.mix.uniforms.weight.value = 1 / k;
    this.sweep.run(renderer, this.mix, this.still[1]);
    this.sample = k;
    this.stats.samples++;
    if ((k >= FIRST && k % EVERY === 0) || k === SAMPLES) this.show();
    if (k === SAMPLES) {
      this.refined = true;
      this.stale = true; // the sun's map is that of the last sample
      this.stats.refined = performance.now() - this.refining;
    }
    this.seal();
  }

  /** Shows the samples so far, with the outline under the pointer, which is not part of them. */
  show() {
    const { renderer, eye, light } = this;
    this.resolution(Math.max(1, this.now.ratio));
    light.define(this.sunShadows, this.now.detail, false);
    this.present.uniforms.source.value = this.still[1].texture;
    renderer.clear(true, true, true);
    this.sweep.run(renderer, this.present, null);
    this.outline.draw(this.hovered, eye.camera, light.shared.hover.value, 0.75, HOVERED);
  }

  /** Outlines other meshes under the pointer. A refined picture stays. */
  hover(meshes) {
    if (!meshes.length && !this.hovered) return;
    this.hovered = this.outline.shape(meshes);
    if (this.refined && !this.lost) { this.show(); this.seal(); } else this.changed();
  }

  /** Compiles the shaders of live and still pictures, so that the first still one does not stop the page. */
  async prepare() {
    if (this.lost) return;
    const { light, renderer } = this, others = new THREE.Scene(), plane = new THREE.PlaneGeometry();
    const { outline, shadows } = this, parallel = this.card.getExtension("KHR_parallel_shader_compile"), compiled = [];
    for (const material of [this.mix, this.present, shadows.depth, outline.mark, outline.hull, outline.near, outline.behind]) others.add(new THREE.Mesh(plane, material));
    this.targets();
    for (const still of [true, false]) {
      light.define(still && this.sunny ? 2 : this.sunShadows, this.now.detail, still);
      renderer.setRenderTarget(still ? this.still[0] : null);
      for (const scene of [this.scene, others]) compiled.push(parallel ? renderer.compileAsync(scene, this.eye.camera) : renderer.compile(scene, this.eye.camera));
    }
    renderer.setRenderTarget(null);
    await Promise.all(compiled);
    this.ready = true;
  }

  /** After the card has lost everything: three makes it anew, but what was drawn into textures has gone. */
  restore() {
    this.fence = null;
    this.began = undefined;
    this.drawnAt = null;
    this.shadows.bake();
    this.moved();
  }

  dispose() {
    for (const target of [...(this.still ?? []), this.stillSun, this.dome, this.sun]) target?.dispose();
    this.shadows.dispose();
    this.renderer.dispose();
  }
}
