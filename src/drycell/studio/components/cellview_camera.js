// The eye: where one looks from, in perspective or in parallel, turned, shifted and moved nearer by the mouse.
import { THREE, OrbitControls } from "nicegui-scene";

const OPENING = 38; // degrees
const FROM = {
  front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0],
  top: [0, -1e-4, 1], bottom: [0, -1e-4, -1], iso: [0.78, -1, 0.62],
};

export class Eye {
  constructor(canvas, changed) {
    this.changed = changed;
    this.perspective = new THREE.PerspectiveCamera(OPENING, 1, 0.01, 100);
    this.parallel = new THREE.OrthographicCamera(-1, 1, 1, -1, -100, 100);
    this.camera = this.perspective;
    for (const each of [this.perspective, this.parallel]) each.up.set(0, 0, 1);
    this.perspective.position.set(2.3, -2.9, 1.9);
    this.controls = new OrbitControls(this.camera, canvas);
    Object.assign(this.controls, { zoomToCursor: true, screenSpacePanning: true, zoomSpeed: 1.4 });
    this.controls.mouseButtons = { LEFT: THREE.MOUSE.ROTATE, MIDDLE: THREE.MOUSE.PAN, RIGHT: THREE.MOUSE.PAN };
    this.controls.addEventListener("change", () => { this.clip(); changed(); });
    this.aspect = 1;
    this.size = 2; // radius of what there is to see: sets how near and how far is drawn
  }

  get target() { return this.controls.target; }
  get isParallel() { return this.camera === this.parallel; }
  get distance() { return this.camera.position.distanceTo(this.target); }

  /** Metres that a pixel is high at a point. */
  pixel(point, height) {
    if (this.isParallel) return (this.parallel.top - this.parallel.bottom) / this.parallel.zoom / height;
    const depth = this.camera.getWorldDirection(new THREE.Vector3()).dot(point.clone().sub(this.camera.position));
    return (2 * Math.max(depth, 1e-6) * Math.tan((OPENING * Math.PI) / 360)) / height;
  }

  resize(width, height) {
    this.aspect = width / Math.max(height, 1);
    this.perspective.aspect = this.aspect;
    this.perspective.updateProjectionMatrix();
    this.spread((this.parallel.top - this.parallel.bottom) / 2);
  }

  spread(half) {
    Object.assign(this.parallel, { left: -half * this.aspect, right: half * this.aspect, top: half, bottom: -half });
    this.parallel.updateProjectionMatrix();
  }

  clip() {
    const reach = this.distance, p = this.perspective;
    p.near = Math.max(reach / 400, 1e-3);
    p.far = reach + 40 * this.size + 20;
    p.updateProjectionMatrix();
    this.parallel.near = -20 * this.size - 20;
    this.parallel.far = reach + 20 * this.size + 20;
    this.parallel.updateProjectionMatrix();
  }

  /** Perspective or parallel; what is at the target keeps its size. */
  project(parallel) {
    if (parallel === this.isParallel) return;
    const half = Math.tan((OPENING * Math.PI) / 360), away = this.camera.position.clone().sub(this.target);
    if (parallel) {
      this.parallel.zoom = 1;
      this.spread(away.length() * half);
      this.parallel.position.copy(this.camera.position);
      this.camera = this.parallel;
    } else {
      const reach = (this.parallel.top / this.parallel.zoom) / half;
      this.perspective.position.copy(this.target).addScaledVector(away.normalize(), reach);
      this.camera = this.perspective;
    }
    this.controls.object = this.camera;
    this.controls.update();
    this.clip();
    this.changed();
  }

  /** Looks at a box from a standard side, or from where it looks now. */
  show(box, side = null, quick = false) {
    if (box.isEmpty()) return;
    const middle = box.getCenter(new THREE.Vector3());
    const from = side ? new THREE.Vector3(...FROM[side]) : this.camera.position.clone().sub(this.target);
    from.normalize();
    // As near as the corners of the box allow: a ball about it would leave half the picture empty.
    const forward = from.clone().negate();
    const right = forward.clone().cross(new THREE.Vector3(0, 0, 1)).normalize();
    if (right.lengthSq() < 1e-12) right.set(1, 0, 0);
    const up = right.clone().cross(forward);
    const tangent = Math.tan((OPENING * Math.PI) / 360), corner = new THREE.Vector3();
    let reach = 0.02, half = 0.01;
    for (let k = 0; k < 8; k++) {
      corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(middle);
      const across = Math.max(Math.abs(corner.dot(right)) / this.aspect, Math.abs(corner.dot(up)));
      half = Math.max(half, across);
      reach = Math.max(reach, across / tangent - corner.dot(forward));
    }
    this.go(middle, middle.clone().addScaledVector(from, this.isParallel ? half / tangent : 1.08 * reach), 1.08 * half, quick);
  }

  go(target, position, half, quick) {
    if (this.isParallel) { this.parallel.zoom = 1; this.spread(half); }
    const start = { target: this.target.clone(), away: this.camera.position.clone().sub(this.target) };
    const away = position.clone().sub(target);
    const steps = quick || matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : 12;
    let step = 0;
    cancelAnimationFrame(this.going);
    const walk = () => {
      step++;
      const share = step >= steps ? 1 : 1 - (1 - step / steps) ** 3;
      const way = start.away.clone().lerp(away, share);
      if (way.lengthSq() > 1e-12) way.setLength(start.away.length() * (1 - share) + away.length() * share);
      this.target.copy(start.target).lerp(target, share);
      this.camera.position.copy(this.target).add(share === 1 ? away : way);
      this.controls.update();
      this.clip();
      this.changed();
      if (step < steps) this.going = requestAnimationFrame(walk);
    };
    walk();
  }

  /** Goes along with something that has moved. */
  shift(by) {
    this.target.add(by);
    this.camera.position.add(by);
    this.controls.update();
  }

  /** The ray under a point of the canvas; x and y from -1 to 1. */
  ray(x, y) {
    const caster = new THREE.Raycaster();
    this.camera.updateMatrixWorld();
    caster.setFromCamera(new THREE.Vector2(x, y), this.camera);
    return caster;
  }

  dispose() { cancelAnimationFrame(this.going); this.controls.dispose(); }
}
