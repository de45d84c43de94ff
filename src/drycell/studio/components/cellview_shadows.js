// Shadows: maps of the sun and of one direction of the sky, and contact shadows on the floor.
import { THREE } from "nicegui-scene";
import { SUN } from "cellview_light";
import { depthMaterial } from "cellview_solids";

const CASTING = 0, STANDING = 4; // layers: what casts shadows, and what has never moved
const CONTACT = 512; // pixels of the map of contact shadows
const CLOSE = 0.3; // metres above the floor within which a thing casts a contact shadow

/** A pass over the whole target with a shader. */
export class Sweep {
  constructor() {
    this.mesh = new THREE.Mesh(new THREE.BufferGeometry().setAttribute("position", new THREE.Float32BufferAttribute([-1, -1, 0, 3, -1, 0, -1, 3, 0], 3)));
    this.mesh.frustumCulled = false;
    this.camera = new THREE.Camera();
  }

  run(renderer, material, target) {
    this.mesh.material = material;
    renderer.setRenderTarget(target);
    renderer.render(this.mesh, this.camera);
    renderer.setRenderTarget(null);
  }
}
export const SCREEN = "in vec3 position; out vec2 S; void main() { S = position.xy * 0.5 + 0.5; gl_Position = vec4(position.xy, 0.0, 1.0); }";

/** A map of depths that the shader compares with. */
export function depthMap(size) {
  const depth = new THREE.DepthTexture(size, size, THREE.UnsignedIntType);
  depth.compareFunction = THREE.LessEqualCompare;
  depth.minFilter = depth.magFilter = THREE.LinearFilter;
  return new THREE.WebGLRenderTarget(size, size, { depthTexture: depth, type: THREE.UnsignedByteType, format: THREE.RedFormat });
}

export class Shadows {
  constructor(renderer, scene, light, sweep) {
    Object.assign(this, { renderer, scene, light, sweep, box: null });
    this.camera = new THREE.OrthographicCamera();
    this.camera.layers.set(CASTING);
    this.depth = depthMaterial(light);
    this.footprint = light.material({
      side: THREE.DoubleSide, uniforms: { far: { value: CLOSE } },
      vertex: "in vec3 position; out float Z; void main() { vec4 w = modelMatrix * vec4(position, 1.0); Z = w.z; gl_Position = projectionMatrix * viewMatrix * w; }",
      fragment: "in float Z; uniform float far, floorHeight; void main() { float k = clamp(1.0 - (Z - floorHeight) / far, 0.0, 1.0); colour = vec4(vec3(k * k), 1.0); }",
    });
    this.blur = light.material({
      depthTest: false, depthWrite: false, uniforms: { source: { value: null }, stride: { value: new THREE.Vector2() } }, vertex: SCREEN,
      fragment: `in vec2 S; uniform sampler2D source; uniform vec2 stride;
      void main() { float t = 0.0, w = 0.0; for (int i = -10; i <= 10; i++) { float k = exp(-float(i * i) / 40.0); t += k * texture(source, S + stride * float(i)).r; w += k; } colour = vec4(vec3(t / w), 1.0); }`,
    });
    const options = { type: THREE.UnsignedByteType, format: THREE.RedFormat };
    this.contact = [new THREE.WebGLRenderTarget(CONTACT, CONTACT, options), new THREE.WebGLRenderTarget(CONTACT, CONTACT, { ...options, depthBuffer: false })];
    light.shared.contact.value = this.contact[0].texture;
  }

  /** Sets the box that maps cover. */
  fit(box) {
    this.box = box.clone();
    this.sphere = box.getBoundingSphere(new THREE.Sphere());
    this.light.shared.lift.value = 0.002 * this.sphere.radius;
  }

  /** Makes a map of what a direction sees. */
  cast(target, direction, matrix) {
    const { camera, sphere, box } = this, { veilBox, floorHeight } = this.light.shared;
    camera.position.copy(sphere.center).addScaledVector(direction, sphere.radius * 1.5);
    camera.up.set(0, Math.abs(direction.z) > 0.99 ? 1 : 0, Math.abs(direction.z) > 0.99 ? 0 : 1);
    camera.lookAt(sphere.center);
    camera.updateMatrixWorld();
    const back = camera.matrixWorld.clone().invert(), p = new THREE.Vector3();
    const low = new THREE.Vector3().setScalar(Infinity), high = new THREE.Vector3().setScalar(-Infinity);
    for (let k = 0; k < 8; k++) {
      p.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).applyMatrix4(back);
      low.min(p);
      high.max(p);
    }
    let deepest = low.z; // of the ground that shadows fall on
    const [x, y, w, h] = veilBox.value.toArray();
    for (let k = 0; k < 4; k++) deepest = Math.min(deepest, p.set(x + (k & 1 ? w : 0), y + (k & 2 ? h : 0), floorHeight.value).applyMatrix4(back).z);
    const rim = 0.01 * sphere.radius;
    Object.assign(camera, { left: low.x - rim, right: high.x + rim, bottom: low.y - rim, top: high.y + rim, near: -high.z - 5 * rim, far: -deepest + 5 * rim });
    camera.updateProjectionMatrix();
    matrix.multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse.copy(back));
    this.draw(this.depth, target, camera);
  }

  /** The sun's map, from its middle or from a point of its disc. */
  sun(target, direction = SUN) {
    const { shared } = this.light;
    shared.sunDirection.value.copy(direction);
    this.cast(target, direction, shared.sunMatrix.value);
    shared.sunMap.value = target.depthTexture;
    shared.sunTexel.value = 1 / target.width;
  }

  draw(material, target, camera) {
    const { renderer, scene } = this, background = renderer.getClearColor(new THREE.Color()), alpha = renderer.getClearAlpha();
    scene.overrideMaterial = material;
    renderer.setRenderTarget(target);
    renderer.setClearColor(0x000000, 1); // converted for the target that is set
    renderer.clear();
    renderer.render(scene, camera);
    scene.overrideMaterial = null;
    renderer.setRenderTarget(null);
    renderer.setClearColor(background, alpha);
  }

  /** Contact shadows of what stands: what is near the floor, seen from below, blurred. */
  bake() {
    if (!this.box) return;
    const { shared } = this.light, [x, y, kx, ky] = shared.contactBox.value.toArray(), z = shared.floorHeight.value - 0.001;
    const camera = new THREE.OrthographicCamera(0, 1 / kx, 1 / ky, 0, 0, CLOSE + 0.1);
    // Mirrored, so that u and v are x and y.
    camera.matrixWorld.makeBasis(new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, -1)).setPosition(x, y, z);
    camera.matrixAutoUpdate = camera.matrixWorldAutoUpdate = false;
    camera.matrixWorldInverse.copy(camera.matrixWorld).invert();
    camera.layers.set(STANDING);
    const [a, b] = this.contact, spread = 6.0 * Math.max(kx, ky) * 0.025; // about the same width in cells of any size
    this.draw(this.footprint, a, camera);
    for (const scale of [0.9, 0.5]) for (const [from, to, u, v] of [[a, b, kx, 0], [b, a, 0, ky]]) {
      this.blur.uniforms.source.value = from.texture;
      this.blur.uniforms.stride.value.set(u, v).multiplyScalar((scale * spread) / Math.max(kx, ky) / 21);
      this.sweep.run(this.renderer, this.blur, to);
    }
  }

  dispose() { for (const each of this.contact) each.dispose(); }
}

/** Marks what casts shadows, and what stands. */
export function castsShadow(mesh, standing) {
  mesh.layers.set(CASTING);
  if (standing) mesh.layers.enable(STANDING);
}
