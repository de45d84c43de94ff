// The camera: perspective or parallel; the mouse orbits, pans and zooms.
import { THREE, OrbitControls } from "nicegui-scene";

const OPENING = 38; // degrees
const KEPT = "drycell cameras", MOST_KEPT = 40;
const FROM = {
  front: [0, -1, 0], back: [0, 1, 0], left: [-1, 0, 0], right: [1, 0, 0],
  top: [0, -1e-4, 1], bottom: [0, -1e-4, -1], iso: [0.78, -1, 0.62],
};

const CORNERS = [[0.78, -1, 0.62], [-0.78, -1, 0.62], [0.78, 1, 0.62], [-0.78, 1, 0.62]];

/**
 * The corner from which tall bodies do not hide the robots, nor robots the things they work on.
 * bodies: [corners, is a robot]. The front corner, unless another one is clearly better.
 */
export function bestCorner(bodies) {
  const about = (some) => new THREE.Box3().setFromPoints(some.flatMap(([points]) => points));
  const box = about(bodies), robots = bodies.filter(([, robot]) => robot);
  const middle = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3());
  const heart = robots.length ? about(robots).getCenter(new THREE.Vector3()) : middle;
  const [wide, tall] = [Math.hypot(size.x, size.y) || 1, size.z || 1], at = new THREE.Vector3();
  let [x, y] = [0, 0]; // the centre of what blocks the view
  for (const one of bodies) {
    const own = about([one]), extent = own.getSize(new THREE.Vector3());
    own.getCenter(at).sub(one[1] ? middle : heart).divideScalar(wide);
    const bulk = (((own.max.z - box.min.z) / tall) ** 2 * Math.sqrt(extent.x * extent.y + extent.z ** 2)) / wide;
    x += (one[1] ? 0.3 : 1) * bulk * at.x;
    y += (one[1] ? 0.3 : 1) * bulk * at.y;
  }
  const blocked = CORNERS.map((corner, k) => corner[0] * x + corner[1] * y + (k < 2 ? 0 : 0.01) + 0.001 * k);
  return CORNERS[blocked.indexOf(Math.min(...blocked))];
}

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
    this.size = 2; // radius of the scene: determines the near and far planes
  }

  get target() { return this.controls.target; }
  get isParallel() { return this.camera === this.parallel; }
  /** How far away a perspective eye would be that shows the target as large. */
  get apparent() { return this.isParallel ? this.parallel.top / this.parallel.zoom / Math.tan((OPENING * Math.PI) / 360) : this.distance; }
  get distance() { return this.camera.position.distanceTo(this.target); }

  /** The height of a pixel at a point, in metres. */
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

  /** Switches the projection; things at the target keep their size. */
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

  /** Fits these points, from a standard side, a direction, or the present one: as near as possible, centred. */
  show(points, side = null, quick = false) {
    if (!points.length) return;
    const from = side ? new THREE.Vector3(...(FROM[side] ?? side)) : this.camera.position.clone().sub(this.target);
    const forward = from.normalize().clone().negate();
    const right = forward.clone().cross(new THREE.Vector3(0, 0, 1)).normalize();
    if (right.lengthSq() < 0.5) right.set(1, 0, 0);
    const up = right.clone().cross(forward);
    const tall = Math.tan((OPENING * Math.PI) / 360) / 1.07, wide = tall * this.aspect;
    // The extent on each side of the image, for planes through the camera and for planes along the line of sight.
    const most = { r: -Infinity, l: -Infinity, t: -Infinity, b: -Infinity }, flat = { ...most };
    let [first, last] = [Infinity, -Infinity];
    for (const point of points) {
      const [u, v, w] = [point.dot(right), point.dot(up), point.dot(forward)];
      most.r = Math.max(most.r, u - w * wide); most.l = Math.max(most.l, -u - w * wide);
      most.t = Math.max(most.t, v - w * tall); most.b = Math.max(most.b, -v - w * tall);
      flat.r = Math.max(flat.r, u); flat.l = Math.max(flat.l, -u); flat.t = Math.max(flat.t, v); flat.b = Math.max(flat.b, -v);
      first = Math.min(first, w); last = Math.max(last, w);
    }
    const middle = (first + last) / 2, at = this.isParallel ? flat : most;
    const half = 1.07 * Math.max((flat.t + flat.b) / 2, (flat.r + flat.l) / 2 / this.aspect, 0.005);
    const eye = this.isParallel ? middle - half / tall : Math.min(-Math.max((most.r + most.l) / 2 / wide, (most.t + most.b) / 2 / tall), middle - 0.02);
    const [x, y] = [(at.r - at.l) / 2, (at.t - at.b) / 2];
    const place = (w) => right.clone().multiplyScalar(x).addScaledVector(up, y).addScaledVector(forward, w);
    this.go(place(middle), place(eye), half, quick);
  }

  go(target, position, half, quick) {
    if (this.isParallel) { this.parallel.zoom = 1; this.spread(half); }
    this.goal = { target, away: position.clone().sub(target), half: this.isParallel ? half : null };
    const start = { target: this.target.clone(), away: this.camera.position.clone().sub(this.target) };
    const away = position.clone().sub(target);
    const lasts = quick || matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 220; // milliseconds
    const began = performance.now();
    cancelAnimationFrame(this.going);
    const walk = () => {
      const done = lasts ? Math.min((performance.now() - began) / lasts, 1) : 1, share = 1 - (1 - done) ** 3;
      const way = start.away.clone().lerp(away, share);
      if (way.lengthSq() > 1e-12) way.setLength(start.away.length() * (1 - share) + away.length() * share);
      this.target.copy(start.target).lerp(target, share);
      this.camera.position.copy(this.target).add(done === 1 ? away : way);
      this.controls.update();
      this.clip();
      this.changed();
      if (done < 1) this.going = requestAnimationFrame(walk);
      else this.goal = null;
    };
    walk();
  }

  /** Keeps the camera of a cell in the browser, at its goal if it is on its way. */
  remember(cell) {
    const { target, away, half } = this.goal ?? {
      target: this.target, away: this.camera.position.clone().sub(this.target),
      half: this.isParallel ? this.parallel.top / this.parallel.zoom : null,
    };
    const tall = Math.tan((OPENING * Math.PI) / 360), direction = away.clone();
    if (this.isParallel && half !== null) direction.setLength(half / tall); // as near as perspective would be
    const kept = this.kept();
    delete kept[cell];
    kept[cell] = { target: target.toArray(), away: direction.toArray() };
    for (const old of Object.keys(kept).slice(0, -MOST_KEPT)) delete kept[old];
    localStorage.setItem(KEPT, JSON.stringify(kept));
  }

  /** Restores the camera of a cell. Returns whether there was one. */
  recall(cell) {
    const found = this.kept()[cell];
    if (!found) return false;
    const target = new THREE.Vector3(...found.target), away = new THREE.Vector3(...found.away);
    this.go(target, target.clone().add(away), away.length() * Math.tan((OPENING * Math.PI) / 360), true);
    return true;
  }

  kept() {
    try { return JSON.parse(localStorage.getItem(KEPT)) ?? {}; } catch { return {}; }
  }

  /** Follows a thing that has moved. */
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
    caster.layers.enableAll();
    return caster;
  }

  dispose() { cancelAnimationFrame(this.going); this.controls.dispose(); }
}
