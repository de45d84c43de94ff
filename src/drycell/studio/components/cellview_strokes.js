// Strokes and signs: lines of any width in pixels (WebGL's own are one pixel wide), beams, dots and axes. All lines and dots
// have a thin halo, so that they can be seen on light and on dark things.
import { THREE } from "nicegui-scene";
import { ink, TONE } from "cellview_light";

const HALO = 1.2; // pixels
const VERTEX = /* glsl */ `
in vec3 position, first, last; in vec4 tint;
uniform vec2 canvas; uniform float width, thick;
out vec4 K; out vec2 S; out float W;
void main() {
  vec4 a = viewMatrix * vec4(first, 1.0), b = viewMatrix * vec4(last, 1.0);
  if (projectionMatrix[2][3] == -1.0) { // clip what is behind the camera before projecting
    float near = -0.5 * projectionMatrix[3][2] / projectionMatrix[2][2];
    if (a.z > near && b.z < near) a = mix(a, b, (near - a.z) / (b.z - a.z));
    else if (b.z > near && a.z < near) b = mix(b, a, (near - b.z) / (a.z - b.z));
  }
  vec4 p = projectionMatrix * a, q = projectionMatrix * b, here = position.y < 0.5 ? p : q;
  vec2 along = (q.xy / q.w - p.xy / p.w) * canvas;
  along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
  W = max(width, 0.5 * thick * projectionMatrix[1][1] * canvas.y / here.w); // pixels; a beam has a thickness in metres, too
  vec2 across = vec2(-along.y, along.x) * position.x + along * (position.y < 0.5 ? -0.5 : 0.5) * (thick > 0.0 ? 0.0 : 1.0);
  here.xy += across * W / canvas * here.w;
  gl_Position = here;
  K = tint; S = position.xy;
}`;
const LINE = `in vec4 K; in vec2 S; in float W; uniform float edgeDark; ${TONE}
void main() { // a core, and a halo that fades
  float h = 0.5 * W, d = abs(S.x) * h, core = clamp(h - ${HALO.toFixed(1)} - d + 0.5, 0.0, 1.0), halo = 0.35 * clamp((h - d) / ${HALO.toFixed(1)}, 0.0, 1.0);
  colour = putInk(mix(vec3(1.0 - edgeDark), K.rgb, core), K.a * max(core, halo));
}`;
const BEAM = `in vec4 K; in vec2 S; in float W; ${TONE}
void main() { // bright in its middle
  float d = abs(S.x), core = smoothstep(0.45, 0.0, d);
  colour = putInk(mix(K.rgb, vec3(1.0), 0.55 * core * K.a), K.a * (0.30 * (1.0 - d) * (1.0 - d) + 0.7 * core));
}`;

/** Straight lines from point to point; each has a colour with its opacity. `thick`: beams, of a width in metres. */
export class Strokes extends THREE.Mesh {
  constructor(light, width, { through = false, thick = 0 } = {}) {
    super(new THREE.InstancedBufferGeometry(), light.material({
      vertex: VERTEX, fragment: thick ? BEAM : LINE, transparent: true, depthWrite: false, depthTest: !through, side: THREE.DoubleSide,
      uniforms: { width: { value: width + (thick ? 0 : 2 * HALO) }, thick: { value: thick } },
    }));
    this.layers.set(3);
    this.frustumCulled = false;
    this.renderOrder = thick ? 8 : 9;
    this.visible = false;
  }

  /** segments: list of [x, y, z, x, y, z, colour, opacity]. */
  draw(segments) {
    const count = segments.length, geometry = new THREE.InstancedBufferGeometry();
    const first = new Float32Array(3 * count), last = new Float32Array(3 * count), tint = new Float32Array(4 * count);
    const colour = new THREE.Color();
    segments.forEach((s, i) => {
      first.set(s.slice(0, 3), 3 * i);
      last.set(s.slice(3, 6), 3 * i);
      ink(s[6], colour);
      tint.set([colour.r, colour.g, colour.b, s[7]], 4 * i);
    });
    geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, 0, 0, 1, 0, 0, 1, 1, 0, -1, 1, 0]), 3));
    geometry.setIndex([0, 1, 2, 0, 2, 3]);
    geometry.setAttribute("first", new THREE.InstancedBufferAttribute(first, 3));
    geometry.setAttribute("last", new THREE.InstancedBufferAttribute(last, 3));
    geometry.setAttribute("tint", new THREE.InstancedBufferAttribute(tint, 4));
    geometry.instanceCount = count;
    this.geometry.dispose();
    this.geometry = geometry;
    this.visible = count > 0;
  }
}

export const AXIS_COLOURS = [0xd9453d, 0x3a9b5c, 0x2f7fd6];

// Created once: markers are added and removed with every update.
const SHAFT = new THREE.CylinderGeometry(0.022, 0.022, 0.8, 6).translate(0, 0.4, 0);
const TIP = new THREE.ConeGeometry(0.065, 0.22, 10).translate(0, 0.89, 0);
const BALL = new THREE.SphereGeometry(1, 20, 14);

/** Makes the materials of signs, one for each colour. */
export class Paints {
  constructor(light) { Object.assign(this, { light, made: new Map() }); }

  /** A flat colour; `ringed`: with a rim like the halo of lines. */
  get(colour, through, ringed = false) {
    const name = `${colour}/${through}/${ringed}`, { r, g, b } = ink(colour);
    if (!this.made.has(name)) this.made.set(name, this.light.material({
      transparent: true, depthTest: !through, uniforms: { flat_: { value: new THREE.Vector3(r, g, b) } }, defines: ringed ? { RINGED: 1 } : {},
      vertex: "in vec3 position, normal; out float N; void main() { N = normalize(mat3(viewMatrix) * mat3(modelMatrix) * normal).z; gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0); }",
      fragment: `in float N; uniform vec3 flat_; uniform float edgeDark; ${TONE} void main() {
      #ifdef RINGED
        float core = smoothstep(0.55, 0.72, N); colour = putInk(mix(vec3(1.0 - edgeDark), flat_, core), mix(0.55, 1.0, core));
      #else
        colour = putInk(flat_ * (0.86 + 0.14 * N), 1.0);
      #endif
      }`,
    }));
    return this.made.get(name);
  }
}

/** Frees the resources of one drawing, and empties the group. */
export function emptied(group) {
  group.traverse((node) => { if (node !== group) { node.geometry?.dispose(); node.material?.dispose(); } });
  group.clear();
}

/** A dot of constant size in pixels, visible through everything. */
export class Dot extends THREE.Mesh {
  constructor(paints, at, colour, pixels) {
    super(BALL, paints.get(colour, true, true));
    this.position.copy(at);
    this.renderOrder = 10;
    this.layers.set(3);
    this.pixels = pixels + HALO;
  }

  resize(eye, height) { this.scale.setScalar(this.pixels * eye.pixel(this.position, height)); }
}

/** Three thin arrows, red, green and blue for x, y and z; of constant length in pixels. */
export class Tripod extends THREE.Group {
  constructor(paints, pixels, through = true) {
    super();
    this.pixels = pixels;
    for (let k = 0; k < 3; k++) {
      for (const form of [SHAFT, TIP]) {
        const part = new THREE.Mesh(form, paints.get(AXIS_COLOURS[k], through));
        if (k === 0) part.rotateZ(-Math.PI / 2);
        if (k === 2) part.rotateX(Math.PI / 2);
        part.renderOrder = 9;
        part.layers.set(3);
        this.add(part);
      }
    }
  }

  place(pose) {
    this.position.set(pose[0], pose[1], pose[2]);
    this.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
    return this;
  }

  resize(eye, height) { this.scale.setScalar(this.pixels * eye.pixel(this.getWorldPosition(new THREE.Vector3()), height)); }
}
