// What sensors watch: beams that end at what they hit and light up when they trip, waves of ultrasound, and other volumes.
import { THREE } from "nicegui-scene";
import { ink, TONE } from "cellview_light";
import { Strokes } from "cellview_strokes";

const SEEN = 0x22b566, IDLE = 0x3f8fd6;
const BEAM = 0.016, PIXELS = 6; // the width of beams with their halo in metres, and at least in pixels
const vector = (a, k = 0) => new THREE.Vector3(a[k], a[k + 1], a[k + 2]);
const posed = (node, p) => { node.position.set(p[0], p[1], p[2]); node.quaternion.set(p[4], p[5], p[6], p[3]); node.updateMatrix(); return node; };

/** The near side of a volume. Waves: a faint fill with a rim, and thin arcs that run out and end where something is hit. */
const surface = (light, waves, apex) => light.material({
  transparent: true, depthWrite: false, side: THREE.FrontSide, defines: waves ? { WAVES: 1 } : {},
  uniforms: { tone: { value: new THREE.Color() }, far: { value: 1e9 }, strength: { value: 1 }, apex: { value: apex } },
  vertex: `in vec3 position, normal; uniform vec3 eye, apex; uniform vec4 gaze; out vec3 R; out float E;
  void main() {
    vec4 w = modelMatrix * vec4(position, 1.0); R = position - apex;
    E = 1.0 - abs(dot(normalize(mat3(modelMatrix) * normal), gaze.w > 0.5 ? gaze.xyz : normalize(eye - w.xyz)));
    gl_Position = projectionMatrix * viewMatrix * w;
  }`,
  fragment: `in vec3 R; in float E; uniform vec3 tone; uniform float far, strength; ${TONE}
  void main() {
  #ifdef WAVES
    float s = length(R), f = max(fwidth(s), 1e-5);
    if (s > far + f) discard;
    float pitch = 0.07 * max(1.0, ceil(far / 0.9)), q = s / pitch, g = fwidth(q);           // at most a dozen arcs
    float arc = smoothstep(0.018 + g, 0.018, abs(fract(q) - 0.5)), end = smoothstep(far - 3.0 * f, far - f, s);
    float a = 0.04 + 0.16 * E * E * E + 0.38 * arc * (1.0 - 0.6 * s / far) + 0.30 * end;
    a *= smoothstep(0.0, 0.04, s);
  #else
    float a = 0.10 + 0.30 * E * E;
  #endif
    colour = putInk(tone, strength * a);
  }`,
});
const rim = (light) => light.material({
  transparent: true, depthWrite: false, uniforms: { tone: { value: new THREE.Color() }, strength: { value: 1 } },
  vertex: "in vec3 position; void main() { gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0); }",
  fragment: `uniform vec3 tone; uniform float strength; ${TONE} void main() { colour = putInk(tone, 0.55 * strength); }`,
});

export class Fields {
  constructor(light, bodies) {
    Object.assign(this, { light, bodies });
    this.group = new THREE.Group();
    this.volumes = new THREE.Group();
    this.beams = new Strokes(light, PIXELS, { thick: BEAM });
    this.group.add(this.volumes, this.beams);
    this.nodes = new Map(); // sensor → its node
  }

  /** Sets the sensors. Each volume is drawn on its sensor's body. */
  shape(sensors) {
    this.volumes.traverse((node) => { node.geometry?.dispose(); node.material?.dispose(); });
    this.volumes.clear();
    this.nodes.clear();
    for (const sensor of sensors) {
      const node = new THREE.Group();
      node.matrixAutoUpdate = false;
      sensor.volumes.forEach((volume, number) => {
        if (volume.form === "beam") return;
        const form = new THREE.BufferGeometry(), holder = posed(new THREE.Group(), volume.pose), waves = volume.form === "waves";
        form.setAttribute("position", new THREE.Float32BufferAttribute(volume.vertices, 3));
        form.setAttribute("normal", new THREE.Float32BufferAttribute(volume.normals, 3));
        form.setIndex(volume.faces);
        const apex = holder.position.clone().negate().applyQuaternion(holder.quaternion.clone().invert()); // where waves start
        const solid = new THREE.Mesh(form, surface(this.light, waves, apex));
        solid.renderOrder = 8;
        holder.add(solid);
        if (volume.edges.length) {
          const edges = new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute(volume.edges, 3));
          holder.add(new THREE.LineSegments(edges, rim(this.light)));
        }
        holder.traverse((each) => each.layers.set(3));
        holder.userData = { number, reach: volume.reach };
        node.add(holder);
      });
      this.nodes.set(sensor, node);
      this.volumes.add(node);
    }
  }

  /** Draws what these sensors watch, where their bodies are now. */
  show(sensors, detections) {
    const beams = [], visible = new Set();
    for (const sensor of sensors) {
      const carrier = this.bodies.list[sensor.body], node = this.nodes.get(sensor), found = detections.get(sensor.name);
      if (!carrier?.node.visible || !node) continue;
      visible.add(node);
      node.matrix.copy(carrier.node.matrix);
      node.matrixWorldNeedsUpdate = true;
      for (const holder of node.children) for (const { material } of holder.children) {
        ink(found?.on ? SEEN : IDLE, material.uniforms.tone.value);
        material.uniforms.strength.value = found?.on ? 1 : 0.62;
        if (material.uniforms.far) material.uniforms.far.value = found?.spans[holder.userData.number] ?? holder.userData.reach;
      }
      const beam = (from, along, length, lit) => {
        const start = from.clone().applyMatrix4(carrier.node.matrix), end = from.addScaledVector(along, length).applyMatrix4(carrier.node.matrix);
        beams.push([...start.toArray(), ...end.toArray(), lit ? SEEN : IDLE, lit ? 1 : 0.62]);
      };
      sensor.volumes.forEach((volume, number) => {
        if (volume.form === "beam") beam(new THREE.Vector3(), new THREE.Vector3(0, 0, 1), found?.spans[number] ?? volume.reach, !!found?.on);
      });
      // Lines in waves are how their echo is computed; others are beams.
      if (sensor.volumes.every((volume) => volume.form === "field")) sensor.lines.forEach((line, k) => beam(vector(line), vector(line, 3), found?.lines[k] ?? line[6], !!found?.tripped[k]));
    }
    for (const node of this.volumes.children) node.visible = visible.has(node);
    this.beams.draw(beams);
  }
}
