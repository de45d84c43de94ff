// The context menu of a row, with the actions on a signal.

const STYLE = "position:fixed;z-index:7000;min-width:170px;padding:4px 0;border-radius:4px;font-size:12px;background:var(--drycell-face);" +
  "border:1px solid var(--drycell-line);box-shadow:0 3px 12px rgba(0,0,0,.3);user-select:none";

/** Opens the menu; `act(action, value)` is called with the chosen action. */
export function rowMenu(x, y, row, inside, act, measured) {
  document.querySelector(".drycell-row-menu")?.remove();
  const menu = document.createElement("div");
  menu.className = "drycell-row-menu";
  menu.style.cssText = STYLE;
  menu.dataset.testid = "signal-menu";
  const close = () => {
    menu.remove();
    removeEventListener("pointerdown", outside, true);
    removeEventListener("keydown", escape, true);
  };
  const outside = (e) => { if (!menu.contains(e.target)) close(); };
  const escape = (e) => { if (e.key === "Escape") close(); };
  const item = (text, action, value, why) => {
    const each = document.createElement("div");
    each.textContent = text;
    each.dataset.action = action;
    each.style.cssText = `padding:4px 14px;cursor:${why ? "default" : "pointer"};opacity:${why ? 0.5 : 1}`;
    if (why) each.title = why;
    else {
      each.onpointerenter = () => (each.style.background = "var(--drycell-hover)");
      each.onpointerleave = () => (each.style.background = "");
      each.onclick = () => { close(); act(action, value); };
    }
    menu.append(each);
  };
  const line = () => {
    const each = document.createElement("div");
    each.style.cssText = "height:1px;margin:4px 0;background:var(--drycell-line)";
    menu.append(each);
  };
  const head = document.createElement("div");
  head.textContent = row.name;
  head.style.cssText = "padding:2px 14px 4px;font-weight:600;color:var(--drycell-quiet)";
  menu.append(head);
  const locked = row.locked || "";
  if (row.type === "bool") {
    item("Force on", "force", true, locked);
    item("Force off", "force", false, locked);
  } else item("Force to a value…", "ask", undefined, locked);
  const forced = row.forced !== null && row.forced !== undefined;
  item("Release", "release", undefined, forced ? "" : "the signal is not forced");
  line();
  item("Add a fault…", "fault", undefined, locked);
  for (const fault of row.faults ?? []) item(`Remove ${fault.text}`, "clear", fault.number);
  line();
  if (inside) item("Measure from here", "measure");
  if (measured) item("Remove the second cursor", "unmeasure");
  item("Move to the top", "top");
  item("Hide", "hide");
  document.body.append(menu);
  menu.style.left = `${Math.min(x, innerWidth - menu.offsetWidth - 6)}px`;
  menu.style.top = `${Math.min(y, innerHeight - menu.offsetHeight - 6)}px`;
  addEventListener("pointerdown", outside, true);
  addEventListener("keydown", escape, true);
}
