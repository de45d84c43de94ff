// Mouse and keyboard: select, hover, pick on surfaces, drag.
import { Dragger } from "cellview_dragger";

const STILL = 4; // pixels that the mouse may move during a click
const HOVER = 70; // milliseconds between two hit tests while hovering
const IN_FLIGHT = 2; // maximum of drags that the page has not answered yet

export class Pointer {
  constructor(view) {
    this.view = view;
    this.dragger = null;
    this.answered = new Map(); // number of a drag → when it was sent
    this.number = 0;
    this.looked = 0;
    const { canvas, element } = view;
    this.hint = element.querySelector(".cellview-hint");
    this.tag = element.querySelector(".cellview-hover");
    const on = (target, name, does, options) => target.addEventListener(name, does, { signal: this.ends.signal, ...options });
    this.ends = new AbortController();
    on(canvas, "pointerdown", (event) => this.down(event), { capture: true });
    on(canvas, "pointermove", (event) => this.moved(event));
    on(canvas, "pointerup", (event) => this.up(event));
    on(canvas, "pointercancel", (event) => this.up(event));
    on(canvas, "pointerleave", () => { this.at = null; this.tag.style.display = "none"; view.hover(null); });
    on(canvas, "dblclick", (event) => { const hit = this.hit(event); if (hit) view.fit(null, false, [hit.object.userData.body.entry.number]); });
    on(canvas, "contextmenu", (event) => event.preventDefault());
    on(document, "keydown", (event) => this.key(event));
  }

  close() { this.ends.abort(); }

  ray(event) {
    const rim = this.view.canvas.getBoundingClientRect();
    return this.view.eye.ray(((event.clientX - rim.left) / rim.width) * 2 - 1, 1 - ((event.clientY - rim.top) / rim.height) * 2);
  }

  hit(event) { return this.ray(event).intersectObjects(this.view.bodies.solids(), false)[0] ?? null; }

  // ------------------------------------------------------------------ mouse

  down(event) {
    this.view.element.focus({ preventScroll: true });
    this.pressed = event.button === 0 ? [event.clientX, event.clientY] : null;
    this.tag.style.display = "none";
    if (!this.dragger || event.button !== 0) return;
    const caster = this.ray(event), grip = this.dragger.under(caster);
    if (!grip) return;
    this.dragger.begin(grip, caster.ray);
    this.dragging = true;
    this.view.eye.controls.enabled = false;
    this.view.canvas.setPointerCapture(event.pointerId);
    event.stopImmediatePropagation();
    this.send("begin");
  }

  moved(event) {
    this.at = event;
    if (this.dragging) {
      if (this.dragger.move(this.ray(event).ray)) { this.pending = true; this.flush(); this.view.changed(); }
    } else if (this.dragger && !event.buttons) {
      const grip = this.dragger.under(this.ray(event));
      if (this.dragger.light(grip?.object)) this.view.changed();
    }
  }

  up(event) {
    if (this.dragging) {
      this.dragging = this.pending = false;
      this.view.eye.controls.enabled = true;
      this.send("end");
    } else if (this.pressed && Math.hypot(event.clientX - this.pressed[0], event.clientY - this.pressed[1]) < STILL) {
      this.click(event);
    }
    this.pressed = null;
  }

  /** The clicked body and the ray: the host finds the point on the exact surface. */
  click(event) {
    const caster = this.ray(event), hit = this.hit(event), t = this.view.t;
    const body = hit?.object.userData.body.entry ?? null;
    this.view.emit("press", {
      body: body?.name ?? null, number: body?.number ?? null, t: t === null ? 0 : Math.round(t * 1e6),
      origin: caster.ray.origin.toArray(), direction: caster.ray.direction.toArray(), near: hit?.point.toArray() ?? null,
      added: event.ctrlKey || event.shiftKey,
    });
  }

  /** Sends the latest drag, if the page keeps up. */
  flush() {
    if (this.pending && this.answered.size < IN_FLIGHT) { this.pending = false; this.send("move"); }
  }

  /** Once per image: sends a drag that had to wait, and tests what is under the pointer. */
  tick() {
    this.flush();
    if (!this.at || this.at.buttons || this.dragging || performance.now() - this.looked < HOVER) return;
    const [x, y] = [this.at.clientX, this.at.clientY];
    if (this.last && this.last[0] === x && this.last[1] === y && this.last[2] === this.view.stats.renders) return;
    this.looked = performance.now();
    this.last = [x, y, this.view.stats.renders];
    const hit = this.hit(this.at), rim = this.view.canvas.getBoundingClientRect();
    this.tag.style.display = hit ? "block" : "none";
    this.view.hover(hit?.object.userData.body.entry.name ?? null);
    if (!hit) return;
    this.tag.textContent = hit.object.userData.body.entry.name;
    this.tag.style.transform = `translate(${Math.min(x - rim.left + 14, rim.width - 120)}px, ${y - rim.top + 16}px)`;
  }

  // ------------------------------------------------------------------ picking

  picking(hint) {
    this.hint.textContent = hint ?? "";
    this.hint.style.display = hint ? "block" : "none";
    this.view.canvas.style.cursor = hint ? "crosshair" : "";
    if (!hint) this.view.overlays.set("picked", null);
  }

  // ------------------------------------------------------------------ dragging

  drag(pose, options) {
    const { view } = this;
    if (this.dragger && options?.anew) { view.scene.remove(this.dragger); this.dragger = null; this.dragging = false; view.eye.controls.enabled = true; }
    if (pose && !this.dragger) view.scene.add((this.dragger = new Dragger(options ?? {})));
    if (pose && this.dragger && !this.dragging) this.dragger.place(pose);
    if (this.dragger && options) Object.assign(this.dragger, { grid: options.grid ?? 0, angle: options.angle ?? 0 });
    view.changed();
  }

  send(phase) {
    this.number++;
    this.view.stats.drags++;
    this.answered.set(this.number, performance.now());
    this.view.emit("drag", { number: this.number, phase, pose: this.dragger.pose() });
  }

  /** The page has answered a drag; the pose is the one that was really reached. */
  dragged(number, pose) {
    const sent = this.answered.get(number);
    this.answered.delete(number);
    if (sent !== undefined) this.view.stats.round_trips.push(performance.now() - sent);
    if (this.view.stats.round_trips.length > 1000) this.view.stats.round_trips.shift();
    if (pose && this.dragger && !this.dragging) { this.dragger.place(pose); this.view.changed(); }
  }

  // ------------------------------------------------------------------ keys

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // Keys typed into fields, editors and dialogs are not shortcuts.
    if (event.target.closest?.("input, textarea, select, [contenteditable=true], .cm-editor, .q-dialog, .q-menu")) return;
    const does = { f: "fit", 1: "front", 3: "right", 7: "top", p: "projection", w: "wireframe", Escape: "end" }[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!does) return;
    event.preventDefault();
    this.view.emit("key", { does });
  }
}
