// The floor: a plain that fades into the horizon, a soft grid, and a veil of shadows over the ground of the cell. With a
// graphics card one shader draws all of it; in software three cheap ones do, each where it is needed.
import { THREE } from "nicegui-scene";
import { INTO, SHADOWS, TONE } from "cellview_light";

const SIDES = 48, RINGS = [0, 0.9, 1.2, 1.5, 1.8, 2.1, 2.5, 2.9, 3.2, 8]; // of the disc, in reaches of the cell
const LARGE = 3.2, SMALL = 1.2; // where lines end, in reaches of the cell
const FADE = "1.0 - smoothstep(reach * 0.9, reach * 3.2, distance(p.xy, centre.xy))";
const ABOVE = { polygonOffset: true, polygonOffsetFactor: -1, polygonOffsetUnits: -2 };

const shaded = `#if SHADOW > 0
    if (within(L.xy)) c *= mix(shadowTint, vec3(1.0), sunlit(L));
#endif
#ifdef DOME
    c = linear(c);
    if (within(K.xy)) c *= max(0.0, 1.0 + 0.85 * domeDirection.z * (domelit(K) - 1.0)); // the mean is the share of the sky that is seen
#else
    if (within(U)) c *= 1.0 - 0.62 * texture(contact, U).r;
#endif`;
const asked = `U = (p.xy - contactBox.xy) * contactBox.zw; L = into(sunMatrix, p, 0.0006); K = into(domeMatrix, p, 0.0014);`;

const plain = (light) => light.material({
  vertex: `in vec3 position; uniform vec3 centre, floor_, horizon; uniform float reach, floorHeight; out vec3 C;
  ${TONE}
  void main() { vec3 p = vec3(centre.xy + position.xy * reach, floorHeight); C = putInk(mix(horizon, floor_, ${FADE}), 1.0).rgb; gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0); }`,
  fragment: "in vec3 C; void main() { colour = vec4(C, 1.0); }",
  uniforms: { floor_: light.shared.floor },
});

const veil = (light) => light.material({
  transparent: true, depthWrite: false, blending: THREE.CustomBlending, blendSrc: THREE.ZeroFactor, blendDst: THREE.SrcColorFactor, ...ABOVE,
  vertex: `in vec3 position; uniform vec4 contactBox, veilBox; uniform float floorHeight; ${INTO}
  out vec2 U; out vec3 L, K;
  void main() { vec3 p = vec3(veilBox.xy + position.xy * veilBox.zw, floorHeight); ${asked} gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0); }`,
  fragment: `in vec2 U; in vec3 L, K; uniform sampler2D contact; uniform vec3 shadowTint, domeDirection;
  ${SHADOWS} ${TONE}
  void main() { vec3 c = vec3(1.0);
${shaded}
    colour = vec4(c, 1.0); }`,
});

const lines = (light) => light.material({
  transparent: true, depthWrite: false, ...ABOVE,
  vertex: `in vec3 position; uniform vec3 centre, eye; uniform float reach, floorHeight; out float F;
  void main() {
    vec3 p = vec3(position.xy, floorHeight + 0.0009 * reach); float small = position.z;
    F = 0.75 * (1.0 - smoothstep(reach * 0.6, reach * 2.2, distance(p.xy, centre.xy))) * mix(1.0, 0.5 * (1.0 - smoothstep(1.1, 2.7, distance(eye, p) / reach)), small);
    gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
  }`,
  fragment: `in float F; uniform vec3 grid; ${TONE} void main() { colour = putInk(grid, F); }`,
});

const fine = (light) => light.material({
  uniforms: { floor_: light.shared.floor, pitch: { value: 0.5 }, lined: { value: 1 } },
  vertex: `in vec3 position; uniform vec3 centre, eye; uniform float reach, floorHeight; uniform vec4 contactBox; ${INTO}
  out vec2 P, U, F; out vec3 L, K;
  void main() {
    vec3 p = vec3(centre.xy + position.xy * reach, floorHeight); P = p.xy; ${asked}
    F = vec2(${FADE}, 0.55 * (1.0 - smoothstep(1.1, 3.0, distance(eye, p) / reach)));
    gl_Position = projectionMatrix * viewMatrix * vec4(p, 1.0);
  }`,
  fragment: `in vec2 P, U, F; in vec3 L, K; uniform sampler2D contact; uniform vec3 grid, floor_, horizon, shadowTint, domeDirection; uniform float pitch, lined;
  ${SHADOWS} ${TONE}
  float ruled(float pitch, float width, vec2 f) {
    vec2 d = abs(mod(P + 0.5 * pitch, pitch) - 0.5 * pitch);
    vec2 c = clamp((0.5 * max(vec2(width), f) + 0.5 * f - d) / f, 0.0, 1.0) * min(vec2(1.0), width / f + 0.25) * (1.0 - smoothstep(0.15 * pitch, 0.5 * pitch, f));
    return max(c.x, c.y);
  }
  void main() {
    vec3 c = floor_; vec2 f = max(fwidth(P), vec2(1e-6));
    float g = ruled(pitch, 0.0056 * pitch, f);
    if (F.y > 0.0) g = max(g, F.y * ruled(0.2 * pitch, 0.0032 * pitch, f));
    c = mix(c, grid, g * 0.8 * lined);
${shaded}
#ifdef DOME
    colour = vec4(mix(linear(horizon), c, F.x), 1.0);
#else
    colour = putInk(mix(horizon, c, F.x), 1.0);
#endif
  }`,
});

/** A disc about the origin, of radius 8, in rings: its corners carry how it fades. */
function disc() {
  const points = [], index = [];
  RINGS.forEach((radius) => { for (let k = 0; k < SIDES; k++) points.push(radius * Math.cos((2 * Math.PI * k) / SIDES), radius * Math.sin((2 * Math.PI * k) / SIDES), 0); });
  for (let ring = 1; ring < RINGS.length; ring++) for (let k = 0; k < SIDES; k++) {
    const [a, b, c, d] = [[ring - 1, k], [ring - 1, k + 1], [ring, k], [ring, k + 1]].map(([r, s]) => r * SIDES + (s % SIDES));
    index.push(a, c, d, a, d, b);
  }
  return new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3)).setIndex(index);
}

export class Floor {
  constructor(light) {
    this.light = light;
    this.group = new THREE.Group();
    this.lined = true;
    this.fine = false;
    const around = disc();
    this.whole = new THREE.Mesh(around, fine(light));
    this.plain = new THREE.Mesh(around, plain(light));
    this.lines = new THREE.LineSegments(new THREE.BufferGeometry(), lines(light));
    this.veil = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).translate(0.5, 0.5, 0), veil(light));
    // After the solids, which hide most of it, and before what is transparent.
    [this.whole, this.plain, this.lines, this.veil].forEach((each, k) => {
      each.renderOrder = [3, 3, 3.1, 3.2][k];
      each.layers.set(2);
      each.frustumCulled = false;
      this.group.add(each);
    });
    this.arrange();
  }

  arrange() {
    this.whole.visible = this.fine;
    this.plain.visible = this.veil.visible = !this.fine;
    this.lines.visible = !this.fine && this.lined;
    this.whole.material.uniforms.lined.value = +this.lined;
  }

  show(lined) { this.lined = lined; this.arrange(); }

  /** One shader for all, or three cheap ones. */
  refine(on) { this.fine = on; this.arrange(); }

  /** Puts the floor below a box. The spacing of its lines is a round number of millimetres. */
  lay(box) {
    const { shared } = this.light, size = box.getSize(new THREE.Vector3());
    box.getCenter(shared.centre.value);
    const reach = (shared.reach.value = Math.max(0.5 * Math.hypot(size.x, size.y), 0.1));
    const height = (shared.floorHeight.value = Math.min(box.min.z, 0) - Math.max(0.002, 0.001 * reach));
    shared.nearFloor.value = Math.min(0.35, 0.16 * reach);
    const pad = 0.16 * reach, [u, v] = [size.x + 2 * pad, size.y + 2 * pad], tall = box.max.z - height;
    shared.contactBox.value.set(box.min.x - pad, box.min.y - pad, 1 / u, 1 / v);
    shared.veilBox.value.set(box.min.x - pad, box.min.y - pad, u + 0.45 * tall, v + 0.62 * tall); // as far as shadows fall
    const pitch = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].find((step) => reach / step <= 6) ?? 100;
    this.step = this.whole.material.uniforms.pitch.value = pitch;
    const points = [], { x, y } = shared.centre.value;
    for (const [step, far, small] of [[pitch, LARGE, 0], [pitch / 5, SMALL, 1]]) {
      const count = Math.ceil((far * reach) / pitch), [i0, j0] = [Math.round(x / pitch), Math.round(y / pitch)];
      const most = count * Math.round(pitch / step);
      for (let i = -most; i <= most; i++) {
        if (small && i % 5 === 0) continue;
        for (let j = -count; j < count; j++) points.push(i0 * pitch + i * step, (j0 + j) * pitch, small, i0 * pitch + i * step, (j0 + j + 1) * pitch, small, (i0 + j) * pitch, j0 * pitch + i * step, small, (i0 + j + 1) * pitch, j0 * pitch + i * step, small);
      }
    }
    this.lines.geometry.dispose();
    this.lines.geometry = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
  }
}
