// Meshes: fetched once by the hash of their content, with smooth shading except at creases, and feature edges.
import { THREE } from "nicegui-scene";

const CREASE = Math.cos((25 * Math.PI) / 180); // angles between facets of round shapes are smaller, real edges sharper
const kept = new Map(); // key → promise of { surface, edges, radius }
const MOST = 2000; // cached meshes; the oldest are dropped

/** The geometry of a mesh: `surface` and `edges`. Each mesh is fetched only once. */
export function mesh(key) {
  if (!kept.has(key)) {
    if (kept.size >= MOST) kept.delete(kept.keys().next().value);
    kept.set(key, fetched(key).catch((error) => { kept.delete(key); throw error; }));
  }
  return kept.get(key);
}

async function fetched(key) {
  const answer = await fetch(`${window.path_prefix ?? ""}/drycell/mesh/${encodeURIComponent(key)}`);
  if (!answer.ok) throw new Error(`mesh ${key}: ${answer.status}`);
  const data = await answer.arrayBuffer();
  const [vertices, faces] = new Uint32Array(data, 0, 2);
  return shaped(new Float32Array(data, 8, vertices * 3), new Uint32Array(data, 8 + vertices * 12, faces * 3));
}

/** Surface and edges of triangles: equal corners are merged, and faces that meet at a small angle share normals. */
export function shaped(position, index) {
  const place = welded(position);
  const count = index.length / 3;
  const normal = new Float64Array(count * 3);
  for (let f = 0; f < count; f++) {
    const [a, b, c] = [3 * index[3 * f], 3 * index[3 * f + 1], 3 * index[3 * f + 2]];
    const [ux, uy, uz] = [position[b] - position[a], position[b + 1] - position[a + 1], position[b + 2] - position[a + 2]];
    const [vx, vy, vz] = [position[c] - position[a], position[c + 1] - position[a + 1], position[c + 2] - position[a + 2]];
    normal.set([uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx], 3 * f); // its length is twice the area: a weight
  }
  const surface = new THREE.BufferGeometry();
  const { corners, normals } = creased(position, index, place, normal);
  surface.setAttribute("position", new THREE.BufferAttribute(corners, 3));
  surface.setAttribute("normal", new THREE.BufferAttribute(normals, 3));
  surface.computeBoundingBox();
  surface.computeBoundingSphere();
  const edges = new THREE.BufferGeometry();
  edges.setAttribute("position", new THREE.BufferAttribute(sharp(position, index, place, normal), 3));
  edges.boundingSphere = surface.boundingSphere.clone();
  return { surface, edges };
}

function welded(position) {
  const places = new Map(), place = new Uint32Array(position.length / 3);
  for (let i = 0; i < place.length; i++) {
    const name = `${Math.round(position[3 * i] * 1e6)},${Math.round(position[3 * i + 1] * 1e6)},${Math.round(position[3 * i + 2] * 1e6)}`;
    let at = places.get(name);
    if (at === undefined) places.set(name, (at = places.size));
    place[i] = at;
  }
  return place;
}

const cosine = (n, f, g) => {
  const [a, b, c, d, e, h] = [n[3 * f], n[3 * f + 1], n[3 * f + 2], n[3 * g], n[3 * g + 1], n[3 * g + 2]];
  return (a * d + b * e + c * h) / (Math.hypot(a, b, c) * Math.hypot(d, e, h) || 1);
};

function creased(position, index, place, normal) {
  const around = new Map(); // place → faces there
  for (let i = 0; i < index.length; i++) {
    const at = place[index[i]];
    if (!around.has(at)) around.set(at, []);
    around.get(at).push((i / 3) | 0);
  }
  const corners = new Float32Array(index.length * 3), normals = new Float32Array(index.length * 3);
  for (let i = 0; i < index.length; i++) {
    const f = (i / 3) | 0, faces = around.get(place[index[i]]);
    let [x, y, z] = [0, 0, 0];
    for (const g of faces.length > 64 ? [f] : faces) { // the tip of a fan: hundreds of faces, and flat anyway
      if (g === f || cosine(normal, f, g) > CREASE) { x += normal[3 * g]; y += normal[3 * g + 1]; z += normal[3 * g + 2]; }
    }
    const size = Math.hypot(x, y, z) || 1;
    corners.set([position[3 * index[i]], position[3 * index[i] + 1], position[3 * index[i] + 2]], 3 * i);
    normals.set([x / size, y / size, z / size], 3 * i);
  }
  return { corners, normals };
}

function sharp(position, index, place, normal) {
  const edges = new Map(); // both places → [corner, corner, face, or -1 once it is known to be blunt]
  const found = [];
  const draw = (a, b) => found.push(position[3 * a], position[3 * a + 1], position[3 * a + 2], position[3 * b], position[3 * b + 1], position[3 * b + 2]);
  for (let i = 0; i < index.length; i++) {
    const f = (i / 3) | 0, a = index[i], b = index[i % 3 === 2 ? i - 2 : i + 1];
    const [p, q] = [place[a], place[b]];
    if (p === q) continue;
    const name = p < q ? p * 4294967296 + q : q * 4294967296 + p;
    const other = edges.get(name);
    if (other === undefined) edges.set(name, [a, b, f]);
    else {
      edges.delete(name);
      if (cosine(normal, f, other[2]) < CREASE) draw(a, b);
    }
  }
  for (const [a, b] of edges.values()) draw(a, b); // a border
  return new Float32Array(found);
}
