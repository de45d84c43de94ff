// Outlines of selected bodies and of the one under the pointer. The bodies mark the stencil; then they are drawn again, a
// little larger, wherever the mark is not. Nothing is painted over, and no picture is made for it.
import { THREE } from "nicegui-scene";
import { TONE } from "cellview_light";

const BEHIND = 0.3; // opacity behind other things

export class Outline {
  constructor(renderer, light) {
    Object.assign(this, { renderer, light });
    const pass = (how, moved, uniforms = {}) => light.material({
      depthWrite: false, side: THREE.DoubleSide, transparent: true,
      stencilWrite: true, stencilRef: 1, stencilFunc: THREE.GreaterStencilFunc, stencilZPass: THREE.ReplaceStencilOp, ...how,
      uniforms: { ink: { value: new THREE.Vector4() }, by: { value: new THREE.Vector2() }, ...uniforms },
      vertex: `in vec3 position; in vec4 skin; uniform vec2 by; void main() {
        vec4 c = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0); ${moved} c.z -= 0.00002 * c.w; gl_Position = c; }`,
      fragment: `uniform vec4 ink; ${TONE} void main() { colour = putInk(ink.rgb, ink.a); }`,
    });
    const shifted = "c.xy += by * c.w;";
    // Corners move away from the surface, by as many pixels everywhere: one draw instead of four or more.
    const grown = "vec3 n = mat3(viewMatrix) * mat3(modelMatrix) * skin.xyz; c.xy += by * n.xy / max(length(n.xy), 1e-4) * c.w;";
    this.mark = pass({ depthTest: false, colorWrite: false, stencilFunc: THREE.AlwaysStencilFunc }, "");
    this.hull = pass({ depthTest: true }, grown);
    this.near = pass({ depthTest: true }, shifted);
    this.behind = pass({ depthTest: false }, shifted);
  }

  /** The shape of some meshes, which follows them. */
  shape(meshes) {
    if (!meshes.length) return null;
    const scene = new THREE.Scene();
    scene.matrixWorldAutoUpdate = false;
    for (const mesh of meshes) {
      const copy = new THREE.Mesh(mesh.geometry);
      copy.matrixAutoUpdate = copy.matrixWorldAutoUpdate = false;
      copy.matrixWorld = mesh.matrixWorld;
      scene.add(copy);
    }
    return scene;
  }

  /** Draws an outline: in one go while something moves, from several sides, turned a little each time, at rest. */
  draw(shape, camera, colour, opacity, pixels, turn = null) {
    if (!shape) return;
    const { renderer } = this, { canvas } = this.light.shared, [u, v] = [(2 * pixels) / canvas.value.x, (2 * pixels) / canvas.value.y];
    renderer.clearStencil();
    this.pass(shape, camera, this.mark, colour, 0, 0, 0);
    if (turn === null) { this.pass(shape, camera, this.hull, colour, opacity, u, v); return; }
    for (const [material, strength] of [[this.near, opacity], [this.behind, BEHIND * opacity]]) for (let k = 0; k < 4; k++) {
      const angle = turn + (Math.PI / 2) * k;
      this.pass(shape, camera, material, colour, strength, u * Math.cos(angle), v * Math.sin(angle));
    }
  }

  pass(shape, camera, material, colour, opacity, u, v) {
    shape.overrideMaterial = material;
    material.uniforms.ink.value.set(colour.r, colour.g, colour.b, opacity);
    material.uniforms.by.value.set(u, v);
    this.renderer.render(shape, camera);
  }
}
