// Keys typed into fields, editors and dialogs are not shortcuts. Space must not press the button that was clicked last.
const NAMES = { " ": "Space", ".": ".", ",": ",", F10: "F10", l: "L", r: "R", o: "O", "?": "?" };
const TYPING = "input, textarea, select, [contenteditable=true], .cm-editor, .q-dialog, .q-menu";

export default {
  template: "<span hidden></span>",
  mounted() {
    this.down = (event) => {
      const name = NAMES[event.key], at = event.target;
      if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
      if (at.closest && at.closest(TYPING)) return;
      event.preventDefault();
      event.stopPropagation();
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
