// The shader of all that is solid. Colour, roughness and metal come with the corners, so that a rigid group of parts is one
// draw. A finish is a pattern made by arithmetic on places, in metres: no image files, no moiré.
import { THREE } from "nicegui-scene";
import { INTO, LIGHT, SHADOWS, TONE } from "cellview_light";

const FINISHES = { plain: 0, belt: 1, wood: 2, glass: 3, mesh: 4, lamp: 5, screen: 6 };

// DETAIL 0 lights corners, and pixels only ask for shadows. In software that takes half the time, and with bevels that carry
// the normals of their faces it looks the same except for the sharpest highlights.
const VERTEX = /* glsl */ `
in vec3 position; in vec4 skin, tint, stuff; in vec2 along;
uniform vec4 mark; uniform float lift;
${TONE} ${INTO}
#if DETAIL == 0
${LIGHT}
out vec3 D0, D1;
  #ifdef DOME
out vec3 D2;
  #endif
#else
uniform vec3 sunDirection;
out vec3 P, N, C, M;
#endif
#if FINISH > 0
out vec3 Q; out vec2 A;
#endif
#if SHADOW > 0
out vec4 L;
#endif
#ifdef DOME
out vec3 K;
#endif
void main() {
  vec4 w = modelMatrix * vec4(position, 1.0);
  vec3 n = normalize(mat3(modelMatrix) * skin.xyz), base = linear(mix(tint.rgb, mark.rgb, mark.a));
#if FINISH > 0
  Q = position; A = along;
#endif
#if SHADOW > 0
  L = vec4(into(sunMatrix, w.xyz + n * lift, 0.0006), dot(n, sunDirection));
#endif
#ifdef DOME
  K = into(domeMatrix, w.xyz + n * lift * 1.6, 0.0014);
#endif
#if DETAIL == 0
  vec3 c0, c1, c2;
  light(w.xyz, n, base, stuff.x, stuff.y, skin.w, c0, c1, c2);
  #ifdef LINEAR
  D0 = c0; D1 = c1;
    #ifdef DOME
  D2 = c2;
    #endif
  #else
  D0 = shown(c0); D1 = shown(c0 + c1);
  #endif
#else
  P = w.xyz; N = n; C = base; M = vec3(stuff.xy, skin.w);
#endif
  gl_Position = projectionMatrix * viewMatrix * w;
}`;

const FRAGMENT = /* glsl */ `
uniform vec3 glow; uniform float travel, edgeDark;
#if FINISH > 0
in vec3 Q; in vec2 A;
#endif
#if SHADOW > 0
in vec4 L;
#endif
#ifdef DOME
in vec3 K;
#endif
${SHADOWS} ${TONE}
#if DETAIL == 0
in vec3 D0, D1;
  #ifdef DOME
in vec3 D2;
  #endif
#else
${LIGHT}
in vec3 P, N, C, M;
#endif
float line(float x, float pitch, float width) {   // how much of a pixel a line covers that repeats every pitch
  float f = max(fwidth(x), 1e-6), d = abs(mod(x + 0.5 * pitch, pitch) - 0.5 * pitch);
  float c = clamp((0.5 * width + 0.5 * f - d) / f, 0.0, 1.0) * min(1.0, width / f);
  return mix(c, width / pitch, smoothstep(0.35 * pitch, 0.8 * pitch, f));
}
void main() {
#if FINISH == 4 // wire mesh: no light, a share of each pixel
  colour = putInk(vec3(0.30, 0.33, 0.36), 0.62 * (1.0 - (1.0 - line(A.x, 0.03, 0.0028)) * (1.0 - line(A.y, 0.05, 0.0028))));
  return;
#endif
  float k = 1.0, alpha = 1.0;      // k: a pattern darkens or lightens
#if FINISH == 1 // belt: woven rubber with faint chevrons that run with it
  if (A.y < 8.0) { float s = A.x - travel; k = (1.0 - 0.10 * line(s, 0.006, 0.003)) * (1.0 + 2.2 * line(s + abs(A.y), 0.12, 0.012) * step(abs(A.y), 0.026)); }
#elif FINISH == 2 // wood: planks with rings along x
  float plank = floor(Q.y / 0.085), g = sin(Q.y * 95.0 + 3.0 * sin(Q.x * 5.0 + plank * 2.4) + plank * 1.7 + 1.6 * sin(Q.x * 11.0 + plank * 5.0));
  k = (0.93 + 0.06 * g + 0.07 * sin(plank * 12.9)) * (1.0 - 0.35 * line(Q.y, 0.085, 0.0015));
#endif
  vec3 c;
#if SHADOW > 0
  float lit = L.w > 0.0 ? sunlit(L.xyz) : 0.0;
#else
  float lit = 1.0;
#endif
#if DETAIL == 0
  #ifdef LINEAR
  c = (D0 + D1 * lit) * k;
    #ifdef DOME
  c += D2 * k * domelit(K);
    #endif
  #else
  c = mix(D0, D1, lit) * (k > 1.0 ? sqrt(k) : 0.5 + 0.5 * k);
  #endif
#else
  vec3 c0, c1, c2;
  light(P, normalize(N), C * k, M.x, M.y, M.z, c0, c1, c2);
  c = c0 + c1 * lit;
  #ifdef DOME
  c += c2 * domelit(K);
  #endif
#endif
#if FINISH == 3
  alpha = 0.20;
#elif FINISH == 5
  #if DETAIL == 0 && !defined(LINEAR)
  c = shown(0.4 * linear(c) + glow);
  #else
  c = c * 0.4 + glow;
  #endif
#elif FINISH == 6 // a screen: a header, a curve, a few rows
  vec2 s = A;
  float row = step(0.55, fract(s.y * 7.0)) * step(s.y, 0.42) * step(0.06, s.x) * step(s.x, 0.30 + 0.5 * fract(floor(s.y * 7.0) * 0.618));
  float curve = smoothstep(0.030, 0.012, abs(s.y - 0.62 - 0.12 * sin(s.x * 9.0) * sin(s.x * 23.0))) * step(0.06, s.x) * step(s.x, 0.94);
  vec3 picture = mix(vec3(0.035, 0.075, 0.115), vec3(0.10, 0.36, 0.62), step(0.86, s.y));
  picture = mix(picture, vec3(0.25, 0.70, 0.92), max(0.45 * row, curve));
  #if defined(LINEAR) || DETAIL > 0
  picture = picture * picture;
  #endif
  c = c * 0.2 + picture;
#endif
#if DETAIL == 0 && !defined(LINEAR)
  colour = vec4(c, alpha);
#else
  colour = put(c, alpha);
#endif
}`;

/** The material of a finish. Groups that glow or scroll have their own one. */
export function solidMaterial(light, finish) {
  const seen = finish === "glass" || finish === "mesh";
  return light.material({
    vertex: VERTEX, fragment: FRAGMENT, defines: { FINISH: FINISHES[finish] ?? 0 },
    uniforms: { glow: { value: new THREE.Color(0) }, travel: { value: 0 }, mark: { value: new THREE.Vector4() } },
    transparent: seen, depthWrite: !seen, side: finish === "mesh" ? THREE.DoubleSide : THREE.FrontSide,
    polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2,
  });
}

/** Feature edges in a darker tone of what they bound, or in a lighter one if that is dark. In wireframe all have one tone. */
export function edgeMaterial(light) {
  return light.material({
    transparent: true, depthWrite: false, uniforms: { mark: { value: new THREE.Vector4() }, faint: { value: 1 } },
    vertex: `in vec3 position; in vec4 tint; uniform float edgeDark, wires, faint; uniform vec3 eye, wire; uniform vec4 mark; out vec4 K;
    void main() {
      vec4 w = modelMatrix * vec4(position, 1.0);
      float light = dot(tint.rgb, vec3(0.3, 0.6, 0.1)), d = distance(w.xyz, eye);
      vec3 c = light < 0.30 ? tint.rgb + 0.16 : tint.rgb * mix(0.42, 0.30, edgeDark);
      K = mix(vec4(c, tint.a * clamp(3.6 / d, 0.18, 1.0)), vec4(wire, 0.85 * faint), wires);
      if (mark.a > 0.0) K = mark;
      gl_Position = projectionMatrix * viewMatrix * w;
    }`,
    fragment: `in vec4 K; ${TONE} void main() { colour = putInk(K.rgb, K.a); }`,
  });
}

/** A body at another time or place: pale, in the colour of selected things, with a clear rim. Nothing behind its first surface. */
export function ghostMaterial(light, share) {
  return light.material({
    transparent: true, depthWrite: true, uniforms: { share: { value: share } },
    vertex: `in vec3 position; in vec4 skin, tint; uniform vec3 eye, accent; uniform vec4 gaze; out vec3 C; out float R;
    void main() {
      vec4 w = modelMatrix * vec4(position, 1.0);
      vec3 n = normalize(mat3(modelMatrix) * skin.xyz), v = gaze.w > 0.5 ? gaze.xyz : normalize(eye - w.xyz);
      float k = 1.0 - abs(dot(n, v));
      R = k * k; C = mix(tint.rgb, accent, 0.45) * (0.80 + 0.25 * n.z);
      gl_Position = projectionMatrix * viewMatrix * w;
    }`,
    fragment: `in vec3 C; in float R; uniform float share; ${TONE} void main() { colour = putInk(C, clamp(0.14 + 0.30 * share + 0.45 * R, 0.0, 1.0)); }`,
  });
}

/** Writes only depth: for shadow maps, and for ghosts, whose inner surfaces do not show. */
export function depthMaterial(light, offset = [2.2, 3], side = THREE.DoubleSide) {
  return light.material({
    colorWrite: false, side, polygonOffset: true, polygonOffsetFactor: offset[0], polygonOffsetUnits: offset[1],
    vertex: "in vec3 position; void main() { gl_Position = projectionMatrix * viewMatrix * modelMatrix * vec4(position, 1.0); }",
    fragment: "void main() { colour = vec4(1.0); }",
  });
}
