// Keys typed into fields, editors and dialogs are not shortcuts, except those that save. Space must not press the button
// that was clicked last.
const NAMES = { " ": "Space", ".": ".", ",": ",", F10: "F10", l: "L", r: "R", o: "O", "?": "?", Delete: "Delete" };
const TYPING = "input, textarea, select, [contenteditable=true], .cm-editor, .q-dialog, .q-menu";
const OWN = { Delete: ".drycell-timing" }; // elements with a meaning of their own for a key

// With Ctrl: saving works wherever the caret is (the program editor saves by itself); fields undo what is typed in them.
function withControl(event) {
  const key = event.key.toLowerCase(), at = event.target;
  if (event.altKey || at.closest?.(".q-dialog")) return null;
  if (key === "s") return at.closest?.(".cm-editor") ? null : event.shiftKey ? "Ctrl-Shift-S" : "Ctrl-S";
  if (at.closest?.(TYPING)) return null;
  if (key === "y" || (key === "z" && event.shiftKey)) return "Ctrl-Y";
  return key === "z" ? "Ctrl-Z" : null;
}

function plain(event) {
  const name = NAMES[event.key], at = event.target;
  if (!name || event.altKey || at.closest?.(TYPING) || (OWN[name] && at.closest?.(OWN[name]))) return null;
  return name;
}

export default {
  template: "<span hidden></span>",
  mounted() {
    this.down = (event) => {
      const control = event.ctrlKey || event.metaKey, name = control ? withControl(event) : plain(event);
      if (!name) return;
      event.preventDefault();
      event.stopPropagation();
      if (name.endsWith("S") && control) event.target.blur?.(); // what was typed into a field counts
      if (!event.repeat || name === "." || name === "," || name === "F10") this.$emit("key", name);
    };
    this.up = (event) => {
      const button = event.key === " " && event.target.tagName === "BUTTON";
      if (button && !event.target.closest(".q-dialog, .q-menu")) event.preventDefault();
    };
    document.addEventListener("keydown", this.down, true);
    document.addEventListener("keyup", this.up, true);
  },
  unmounted() {
    document.removeEventListener("keydown", this.down, true);
    document.removeEventListener("keyup", this.up, true);
  },
};
