// Lines of any width in pixels (WebGL's own are one pixel wide), and small markers of constant size.
import { THREE } from "nicegui-scene";

const VERTEX = `
  attribute vec3 first; attribute vec3 last; attribute vec4 tint;
  uniform vec2 canvas; uniform float width;
  varying vec4 shade;
  void main() {
    vec4 a = modelViewMatrix * vec4(first, 1.0), b = modelViewMatrix * vec4(last, 1.0);
    if (projectionMatrix[2][3] == -1.0) { // clip what is behind the camera before projecting
      float near = -0.5 * projectionMatrix[3][2] / projectionMatrix[2][2];
      if (a.z > near && b.z < near) a = mix(a, b, (near - a.z) / (b.z - a.z));
      else if (b.z > near && a.z < near) b = mix(b, a, (near - b.z) / (a.z - b.z));
    }
    vec4 p = projectionMatrix * a, q = projectionMatrix * b;
    vec2 along = (q.xy / q.w - p.xy / p.w) * canvas;
    along = length(along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
    vec4 here = position.y < 0.5 ? p : q;
    vec2 across = vec2(-along.y, along.x) * position.x + along * (position.y < 0.5 ? -0.5 : 0.5);
    here.xy += across * width / canvas * here.w;
    gl_Position = here;
    shade = tint;
  }`;
const FRAGMENT = `
  varying vec4 shade;
  void main() {
    gl_FragColor = shade;
    #include <colorspace_fragment>
  }`;

/** Straight lines from point to point; each has a colour with its opacity. */
export class Strokes extends THREE.Mesh {
  constructor(width, canvas, { through = false } = {}) {
    const material = new THREE.ShaderMaterial({
      vertexShader: VERTEX, fragmentShader: FRAGMENT, transparent: true, depthWrite: false, depthTest: !through,
      side: THREE.DoubleSide, uniforms: { canvas, width: { value: width } },
    });
    super(new THREE.InstancedBufferGeometry(), material);
    this.frustumCulled = false;
    this.renderOrder = 5;
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
      colour.set(s[6]);
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

export const AXIS_COLOURS = [0xe53935, 0x43a047, 0x1e88e5];

// Created once: markers are added and removed with every update.
const SHAFT = new THREE.CylinderGeometry(0.022, 0.022, 0.8, 6).translate(0, 0.4, 0);
const TIP = new THREE.ConeGeometry(0.065, 0.22, 10).translate(0, 0.89, 0);
const BALL = new THREE.SphereGeometry(1, 16, 12);
const paints = new Map(); // colour and depth test → material

function paint(colour, through) {
  const name = `${colour}/${through}`;
  if (!paints.has(name)) paints.set(name, new THREE.MeshBasicMaterial({ color: colour, depthTest: !through, transparent: true }));
  return paints.get(name);
}

/** Frees the resources of one drawing, and empties the group. */
export function emptied(group) {
  group.traverse((node) => { if (node !== group) { node.geometry?.dispose(); node.material?.dispose(); } });
  group.clear();
}

/** A dot of constant size in pixels, visible through everything. */
export class Dot extends THREE.Mesh {
  constructor(at, colour, pixels) {
    super(BALL, paint(colour, true));
    this.position.copy(at);
    this.renderOrder = 9;
    this.pixels = pixels;
  }

  resize(eye, height) { this.scale.setScalar(this.pixels * eye.pixel(this.position, height)); }
}

/** Three thin arrows, red, green and blue for x, y and z; of constant length in pixels. */
export class Tripod extends THREE.Group {
  constructor(pixels, through = true) {
    super();
    this.pixels = pixels;
    for (let k = 0; k < 3; k++) {
      for (const form of [SHAFT, TIP]) {
        const part = new THREE.Mesh(form, paint(AXIS_COLOURS[k], through));
        if (k === 0) part.rotateZ(-Math.PI / 2);
        if (k === 2) part.rotateX(Math.PI / 2);
        part.renderOrder = 8;
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
