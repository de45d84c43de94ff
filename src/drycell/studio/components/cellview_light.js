// Light: what all shaders of the view share. A hemisphere, one sun, a weak lamp at the eye, and an analytic studio (sky,
// ground, two soft boxes) that metals mirror. Moving pictures are written as display values; samples of a still picture
// stay linear, to be averaged, and are converted when they are shown.
import { THREE } from "nicegui-scene";

const THEMES = {
  light: {
    floor: "#d3d8dd", horizon: "#e6eaee", zenith: "#cfd9e2", grid: "#aab5c0", accent: "#1767d2", hover: "#1767d2",
    sun: [1.0, 0.97, 0.91], sky: [0.53, 0.57, 0.63], ground: [0.3, 0.295, 0.29], lamp: [0.1, 0.1, 0.11],
    mirrorSky: [0.86, 0.89, 0.93], mirrorGround: [0.34, 0.34, 0.35], mirrorBox: [0.75, 0.74, 0.72], shadowTint: [0.76, 0.79, 0.83],
    wire: "#37474f", edgeDark: 0,
  },
  dark: {
    floor: "#2b3036", horizon: "#1b1f24", zenith: "#262c33", grid: "#454d56", accent: "#59a8ff", hover: "#8fc4ff",
    sun: [0.86, 0.83, 0.78], sky: [0.3, 0.335, 0.39], ground: [0.13, 0.135, 0.15], lamp: [0.13, 0.14, 0.155],
    mirrorSky: [0.42, 0.465, 0.53], mirrorGround: [0.1, 0.105, 0.115], mirrorBox: [0.7, 0.7, 0.7], shadowTint: [0.62, 0.64, 0.68],
    wire: "#b0bec5", edgeDark: 1,
  },
};
export const SUN = new THREE.Vector3(-0.45, -0.62, 1).normalize(); // where it stands, fixed in the world
const EXPOSURE = 0.8;

/** A colour as the screen shows it, in numbers from 0 to 1: three converts to linear values, which shaders here do not want. */
export function ink(text, into = new THREE.Color()) { return into.set(text).convertLinearToSRGB(); }

export const TONE = /* glsl */ `
vec3 gamma(vec3 c) {             // sRGB within 0.4 %, by roots: powers are expensive in software
  vec3 a = sqrt(c), b = sqrt(a), d = sqrt(b);
  return 0.662002687 * a + 0.684122060 * b - 0.323583601 * d - 0.022541147 * c;
}
vec3 linear(vec3 c) { return c * c * (0.30 * c + 0.70); }
vec3 shown(vec3 c) {             // Khronos' neutral curve: colours are true up to 0.76, then roll off
  float peak = max(c.r, max(c.g, c.b));
  if (peak > 0.76) { float d = 0.24, to = 1.0 - d * d / (peak + d - 0.76); c = mix(vec3(to), c * (to / peak), 1.0 / (0.15 * (peak - to) + 1.0)); }
  return gamma(max(c, 0.0));
}
vec4 put(vec3 c, float a) {      // a linear colour
#ifdef LINEAR
  return vec4(c, a);
#else
  return vec4(shown(c), a);
#endif
}
vec4 putInk(vec3 c, float a) {   // a display colour: lines, markers, the floor. Dark lines would be paler if mixed linearly.
#ifdef LINEAR
  return vec4(linear(c), 1.0 - pow(1.0 - a, 1.5));
#else
  return vec4(c, a);
#endif
}
`;

export const SHADOWS = /* glsl */ `
precision highp sampler2DShadow;
#if SHADOW > 0
uniform sampler2DShadow sunMap; uniform float sunTexel;
#endif
#ifdef DOME
uniform sampler2DShadow domeMap;
#endif
float sunlit(vec3 s) {
#if SHADOW == 1
  return texture(sunMap, s);
#elif SHADOW == 2
  float e = sunTexel * 0.8;      // two taps on a diagonal, each of four texels
  return 0.5 * (texture(sunMap, s + vec3(-e, -0.5 * e, 0)) + texture(sunMap, s + vec3(e, 0.5 * e, 0)));
#elif SHADOW == 3
  float e = sunTexel * 1.6, t = 0.0;
  for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) t += texture(sunMap, s + vec3(float(i) * e, float(j) * e, 0));
  return t / 9.0;
#else
  return 1.0;
#endif
}
float domelit(vec3 s) {
#ifdef DOME
  const float e = 2.2 / 640.0;   // wide, and not black: few directions of the sky would show as stripes
  return 0.22 + 0.39 * (texture(domeMap, s + vec3(-e, 0.4 * e, 0)) + texture(domeMap, s + vec3(0.4 * e, e, 0)));
#else
  return 1.0;
#endif
}
bool within(vec2 u) { return u.x > 0.0 && u.y > 0.0 && u.x < 1.0 && u.y < 1.0; }
`;

export const INTO = /* glsl */ `
uniform mat4 sunMatrix, domeMatrix;
vec3 into(mat4 m, vec3 p, float bias) { vec3 s = (m * vec4(p, 1.0)).xyz * 0.5 + 0.5; s.z -= bias; return s; }
`;

// What lights a point: c0 always, c1 and c2 where sun and sky are not in the shadow.
export const LIGHT = /* glsl */ `
uniform vec3 eye, sunDirection, sun, sky, ground, lamp, mirrorSky, mirrorGround, mirrorBox, domeDirection; uniform vec4 gaze; uniform float exposure, floorHeight, nearFloor;
vec3 studio(vec3 r, float rough) {
  float w = 0.06 + 0.95 * rough;
  vec3 c = mix(mirrorGround, mirrorSky, smoothstep(-w, w, r.z + 0.02));
  float top = dot(r, vec3(-0.322, -0.230, 0.918)), side = dot(r, vec3(0.812, -0.478, 0.335));
  return c + mirrorBox * (smoothstep(0.86 - 0.5 * w, 0.90 + 0.35 * w, top) + 0.55 * smoothstep(0.80 - 0.5 * w, 0.88 + 0.4 * w, side)) * (1.15 - 0.75 * rough);
}
vec3 toEye(vec3 p) { return gaze.w > 0.5 ? gaze.xyz : normalize(eye - p); }     // a parallel projection has one direction
void light(vec3 p, vec3 n, vec3 base, float rough, float metal, float shade, out vec3 c0, out vec3 c1, out vec3 c2) {
  vec3 v = toEye(p), h = normalize(v + sunDirection), f0 = mix(vec3(0.045), base, metal), dull = base * (1.0 - metal);
  float nv = abs(dot(n, v)), nl = max(dot(n, sunDirection), 0.0), up = 0.5 + 0.5 * n.z, k = 1.0 - nv, nh = max(dot(n, h), 0.0);
  vec3 f = f0 + (max(vec3(1.0 - rough), f0) - f0) * (k * k * k * k * k);
  vec3 mirror = f * studio(reflect(-v, n), rough);
  float a = rough * rough, d = nh * nh * (a * a - 1.0) + 1.0, spot = a * a / (3.14 * d * d + 1e-4);
  vec3 scatter = dull + 0.22 * base * metal;                                       // rough metal scatters, too
#ifdef DOME
  vec3 ambient = ground * (1.0 - up) * 0.75;
  c2 = exposure * (scatter * (sky * 2.0 * max(dot(n, domeDirection), 0.0) + ground * (1.0 - up) * 0.25) + 0.42 * mirror);
  c0 = exposure * (scatter * ambient + dull * lamp * nv + 0.28 * mirror);
#else
  vec3 ambient = mix(ground, sky, up) * shade * mix(0.74, 1.0, smoothstep(-0.06, 1.0, (p.z - floorHeight) / nearFloor + 0.57 * n.z));
  c0 = exposure * (scatter * ambient + dull * lamp * nv + 0.70 * mirror * shade);
  c2 = vec3(0.0);
#endif
  c1 = exposure * (dull * sun * nl + (nl > 0.0 ? 0.30 : 0.0) * mirror + f * sun * min(spot, 4.0) * 0.25 * nl);
}
`;

/** The uniforms that all shaders share, and all materials: quality levels and still pictures change their defines. */
export class Light {
  constructor() {
    const colours = ["sun", "sky", "ground", "lamp", "mirrorSky", "mirrorGround", "mirrorBox", "shadowTint", "floor", "horizon", "zenith", "grid", "wire", "accent", "hover"];
    this.shared = {
      ...Object.fromEntries(colours.map((name) => [name, { value: new THREE.Color() }])),
      eye: { value: new THREE.Vector3() }, gaze: { value: new THREE.Vector4() }, canvas: { value: new THREE.Vector2(1, 1) }, pixels: { value: 1 },
      accentMark: { value: new THREE.Vector4() }, exposure: { value: EXPOSURE }, edgeDark: { value: 0 }, wires: { value: 0 },
      sunDirection: { value: SUN.clone() }, sunMap: { value: null }, sunMatrix: { value: new THREE.Matrix4() }, sunTexel: { value: 1 / 1024 },
      domeDirection: { value: new THREE.Vector3(0, 0, 1) }, domeMap: { value: null }, domeMatrix: { value: new THREE.Matrix4() },
      lift: { value: 0.005 }, // metres along the normal before a shadow is looked up
      contact: { value: null }, contactBox: { value: new THREE.Vector4(0, 0, 1, 1) }, veilBox: { value: new THREE.Vector4(0, 0, 1, 1) },
      centre: { value: new THREE.Vector3() }, reach: { value: 2 }, floorHeight: { value: 0 }, nearFloor: { value: 0.35 },
    };
    this.materials = new Set();
    this.defines = { SHADOW: 0, DETAIL: 0 };
  }

  /** A material of its own shader. */
  material({ vertex, fragment, uniforms = {}, defines = {}, ...how }) {
    const made = new THREE.RawShaderMaterial({
      glslVersion: THREE.GLSL3, vertexShader: `precision highp float; uniform mat4 modelMatrix, viewMatrix, projectionMatrix;\n${vertex}`,
      fragmentShader: `precision highp float; out vec4 colour;\n${fragment}`, uniforms: { ...this.shared, ...uniforms }, defines: { ...defines, ...this.defines }, ...how,
    });
    made.userData.own = defines;
    this.materials.add(made);
    made.addEventListener("dispose", () => this.materials.delete(made));
    return made;
  }

  /** Sets the variant of all shaders: taps of the sun's shadow, light at pixels, and whether it is a sample of a still picture. */
  define(shadow, detail, still) {
    const key = `${shadow}/${detail}/${still}`;
    if (key === this.key) return;
    this.key = key;
    this.defines = { SHADOW: shadow, DETAIL: detail, ...(still ? { DOME: 1, LINEAR: 1 } : {}) };
    for (const material of this.materials) {
      material.defines = { ...material.userData.own, ...this.defines };
      material.needsUpdate = true; // three keeps the program of each variant
    }
  }

  theme(dark) {
    const theme = THEMES[dark ? "dark" : "light"], { shared } = this;
    for (const [name, value] of Object.entries(theme)) {
      if (typeof value === "string") ink(value, shared[name].value);
      else if (Array.isArray(value)) shared[name].value.setRGB(...value);
      else shared[name].value = value;
    }
    const { r, g, b } = shared.accent.value;
    shared.accentMark.value.set(r, g, b, 0.6);
  }

  /** Sets the place of the eye; in a parallel projection, where a perspective eye would be, and its direction. */
  look(eye) {
    const { camera } = eye, { shared } = this, back = camera.getWorldDirection(new THREE.Vector3()).negate();
    shared.eye.value.copy(eye.isParallel ? eye.target.clone().addScaledVector(back, eye.apparent) : camera.position);
    shared.gaze.value.set(back.x, back.y, back.z, eye.isParallel ? 1 : 0);
  }
}
