// Looks: fetched once by the hash of their content. All geometry is made in Python; here it is only unpacked.
// The form is described in drycell.looks.packing.
import { THREE } from "nicegui-scene";

const MOST = 2000; // looks that are kept; the oldest are dropped
const kept = new Map(); // key → promise of a look

/** A look: `groups` of geometry, `channels` by name in their order, and the `box` around all. Fetched only once. */
export function look(key) {
  if (!kept.has(key)) {
    if (kept.size >= MOST) kept.delete(kept.keys().next().value);
    kept.set(key, fetched(key).catch((error) => { kept.delete(key); throw error; }));
  }
  return kept.get(key);
}

async function fetched(key) {
  const answer = await fetch(`${window.path_prefix ?? ""}/drycell/look/${encodeURIComponent(key)}`);
  if (answer.status !== 200) throw new Error(`look ${key}: ${answer.status}`);
  return unpacked(await answer.arrayBuffer());
}

/** A look from its bytes. */
export function unpacked(data) {
  const size = new DataView(data).getUint32(0, true), first = 4 + size;
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size)));
  const groups = head.groups.map((group) => {
    const take = (name, Kind, width, normalised = false) => new THREE.BufferAttribute(new Kind(data, first + group[name][0], group[name][1]), width, normalised);
    const surface = new THREE.BufferGeometry();
    surface.setAttribute("position", take("p", Float32Array, 3));
    surface.setAttribute("skin", take("n", Int8Array, 4, true)); // normal, and how much light reaches it
    surface.setAttribute("tint", take("c", Uint8Array, 4, true));
    surface.setAttribute("stuff", take("m", Uint8Array, 4, true)); // roughness, metal
    if (group.uv) surface.setAttribute("along", take("uv", Float32Array, 2));
    surface.setIndex(take("f", Uint32Array, 1));
    surface.computeBoundingBox();
    surface.computeBoundingSphere();
    let edges = null;
    if (group.e[1]) {
      edges = new THREE.BufferGeometry();
      edges.setAttribute("position", take("e", Float32Array, 3));
      edges.setAttribute("tint", take("ec", Uint8Array, 4, true));
      edges.boundingSphere = surface.boundingSphere;
    }
    return { channel: group.channel, finish: group.finish, detail: group.detail, surface, edges };
  });
  const box = new THREE.Box3();
  for (const { surface } of groups) box.union(surface.boundingBox);
  return { groups, channels: Object.entries(head.channels), box };
}
