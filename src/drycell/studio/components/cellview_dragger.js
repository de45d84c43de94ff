// The dragger: three arrows for moves along an axis, three squares for moves in a plane, three rings for rotations.
import { THREE } from "nicegui-scene";
import { AXIS_COLOURS } from "cellview_strokes";

const AXES = [new THREE.Vector3(1, 0, 0), new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1)];
const PIXELS = 92;

export class Dragger extends THREE.Group {
  constructor({ turns = true, grid = 0, angle = 0 } = {}) {
    super();
    Object.assign(this, { turns, grid, angle, grips: [], lit: null });
    for (let k = 0; k < 3; k++) {
      const turn = new THREE.Quaternion().setFromUnitVectors(AXES[1], AXES[k]);
      const shaft = new THREE.CylinderGeometry(0.016, 0.016, 0.78, 8).translate(0, 0.53, 0);
      const tip = new THREE.ConeGeometry(0.06, 0.2, 14).translate(0, 1.0, 0);
      const thick = new THREE.CylinderGeometry(0.08, 0.08, 1.0, 6).translate(0, 0.62, 0);
      this.grip("shift", k, [shaft, tip], thick, turn);
      const flat = new THREE.Quaternion().setFromUnitVectors(AXES[2], AXES[k]);
      const [u, v] = [AXES[(k + 1) % 3], AXES[(k + 2) % 3]];
      const square = new THREE.PlaneGeometry(0.16, 0.16);
      this.grip("plane", k, [square], square, flat, u.clone().add(v).multiplyScalar(0.34));
      if (turns) this.grip("turn", k, [new THREE.TorusGeometry(0.78, 0.013, 6, 64)], new THREE.TorusGeometry(0.78, 0.055, 6, 40), flat);
    }
  }

  grip(kind, axis, seen, felt, turn, at = null) {
    const material = new THREE.MeshBasicMaterial({ color: AXIS_COLOURS[axis], depthTest: false, transparent: true, opacity: kind === "plane" ? 0.45 : 0.92, side: THREE.DoubleSide });
    const unseen = new THREE.MeshBasicMaterial({ visible: false, side: THREE.DoubleSide });
    for (const [geometry, painted] of [...seen.map((g) => [g, material]), [felt, unseen]]) {
      const part = new THREE.Mesh(geometry, painted);
      part.quaternion.copy(turn);
      if (at) part.position.copy(at);
      part.renderOrder = 12;
      part.layers.set(3); // it casts no shadow
      part.userData = { kind, axis, material };
      this.add(part);
      if (painted === unseen) this.grips.push(part);
    }
  }

  place(pose) {
    this.position.set(pose[0], pose[1], pose[2]);
    this.quaternion.set(pose[4], pose[5], pose[6], pose[3]);
  }

  pose() { return [...this.position.toArray(), this.quaternion.w, this.quaternion.x, this.quaternion.y, this.quaternion.z]; }

  resize(eye, height) { this.scale.setScalar(PIXELS * eye.pixel(this.position, height)); }

  /** The handle under a ray: arrows and squares before rings. */
  under(caster) {
    this.updateMatrixWorld();
    const hits = caster.intersectObjects(this.grips, false);
    return hits.find((hit) => hit.object.userData.kind !== "turn") ?? hits[0] ?? null;
  }

  light(grip) {
    const material = grip?.userData.material ?? null;
    if (this.lit === material) return false;
    if (this.lit) this.lit.color.set(this.plain);
    if (material) { this.plain = material.color.getHex(); material.color.set(0xffc107); }
    this.lit = material;
    return true;
  }

  begin(hit, ray) {
    const { kind, axis } = hit.object.userData;
    const along = AXES[axis].clone().applyQuaternion(this.quaternion);
    let normal = along.clone();
    if (kind === "shift") {
      normal = along.clone().cross(ray.direction).cross(along);
      if (normal.lengthSq() < 1e-6) normal.copy(ray.direction); // seen end on: the distance is undefined
    }
    const plane = new THREE.Plane().setFromNormalAndCoplanarPoint(normal.normalize(), kind === "turn" ? this.position : hit.point);
    const start = ray.intersectPlane(plane, new THREE.Vector3()) ?? hit.point.clone();
    this.held = { kind, along, plane, start, position: this.position.clone(), quaternion: this.quaternion.clone() };
  }

  /** Moves with the pointer. Returns false if the move is undefined. */
  move(ray) {
    const { kind, along, plane, start, position, quaternion } = this.held;
    const point = ray.intersectPlane(plane, new THREE.Vector3());
    if (!point) return false;
    if (kind === "turn") {
      const u = start.clone().sub(position), v = point.sub(position);
      this.quaternion.setFromAxisAngle(along, snapped(Math.atan2(u.clone().cross(v).dot(along), u.dot(v)), this.angle)).multiply(quaternion);
    } else if (kind === "shift") {
      this.position.copy(position).addScaledVector(along, snapped(point.sub(start).dot(along), this.grid));
    } else {
      const by = point.sub(start).applyQuaternion(quaternion.clone().invert());
      by.set(snapped(by.x, this.grid), snapped(by.y, this.grid), snapped(by.z, this.grid));
      this.position.copy(position).add(by.applyQuaternion(quaternion));
    }
    return true;
  }
}

const snapped = (value, step) => (step > 0 ? Math.round(value / step) * step : value);
