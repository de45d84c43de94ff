// The theme of the editor: the page's colours, light or dark, and the styles of marks.
import * as CM from "nicegui-codemirror";

const both = {
  "&": { height: "100%", fontSize: "12.5px", backgroundColor: "var(--drycell-face)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace", lineHeight: "1.45" },
  ".cm-gutters": { backgroundColor: "var(--drycell-bar)", color: "var(--drycell-quiet)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 6px 0 2px", minWidth: "26px" },
  ".cm-foldGutter .cm-gutterElement": { padding: "0 2px" },
  ".dc-breaks": { width: "16px", cursor: "pointer" },
  ".dc-breaks .cm-gutterElement": { display: "flex", alignItems: "center", justifyContent: "center" },
  ".dc-breaks .cm-gutterElement:hover::before": {
    content: '""', width: "9px", height: "9px", borderRadius: "50%", background: "#d32f2f", opacity: "0.25",
    position: "absolute",
  },
  ".dc-break": { width: "10px", height: "10px", borderRadius: "50%", background: "#d32f2f", zIndex: "1" },
  ".dc-break.dc-hollow": { background: "transparent", border: "1.5px solid #9e9e9e" },
  ".dc-at": { boxShadow: "inset 3px 0 0 var(--dc-colour)", backgroundColor: "color-mix(in srgb, var(--dc-colour) 9%, transparent)" },
  ".dc-at.dc-held": { backgroundColor: "color-mix(in srgb, #fbc02d 34%, transparent)" },
  ".dc-who": {
    marginLeft: "2em", padding: "0 5px", borderRadius: "3px", fontSize: "11px", fontFamily: "Roboto, sans-serif",
    color: "var(--dc-colour)", border: "1px solid color-mix(in srgb, var(--dc-colour) 45%, transparent)",
    backgroundColor: "var(--drycell-face)", whiteSpace: "nowrap", userSelect: "none", opacity: "0.95",
  },
  ".dc-error": { textDecoration: "underline wavy #d32f2f 1px", textUnderlineOffset: "3px" },
  ".dc-warning": { textDecoration: "underline wavy #f9a825 1px", textUnderlineOffset: "3px" },
  ".dc-pointed": { boxShadow: "inset 3px 0 0 var(--drycell-accent)", backgroundColor: "color-mix(in srgb, var(--drycell-accent) 14%, transparent)" },
  ".dc-fault-line": { backgroundColor: "color-mix(in srgb, #d32f2f 12%, transparent)" },
  ".dc-fault": {
    fontFamily: "Roboto, sans-serif", fontSize: "12px", whiteSpace: "pre-wrap", padding: "3px 8px",
    borderLeft: "3px solid #d32f2f", backgroundColor: "color-mix(in srgb, #d32f2f 9%, var(--drycell-face))",
  },
  ".dc-hint": { color: "var(--drycell-quiet)" },
  ".dc-finding": { padding: "4px 8px", maxWidth: "420px", whiteSpace: "pre-wrap", fontSize: "12px" },
  ".cm-tooltip": { backgroundColor: "var(--drycell-bar)", border: "1px solid var(--drycell-line)", color: "inherit" },
  ".cm-panels": { backgroundColor: "var(--drycell-bar)", color: "inherit", borderColor: "var(--drycell-line)" },
  ".cm-panel.cm-search": { fontSize: "12px", padding: "4px 6px" },
  ".cm-textfield, .cm-button": { fontSize: "12px", backgroundImage: "none", borderColor: "var(--drycell-line)" },
};

const light = CM.EditorView.theme({
  ...both,
  ".cm-activeLine": { backgroundColor: "rgba(21,101,192,.05)" },
  ".cm-activeLineGutter": { backgroundColor: "rgba(21,101,192,.09)" },
});

const dark = CM.EditorView.theme(
  {
    ...both,
    "&": { ...both["&"], color: "#d5dae0" },
    ".cm-cursor": { borderLeftColor: "#d5dae0" },
    ".cm-activeLine": { backgroundColor: "rgba(100,181,246,.06)" },
    ".cm-activeLineGutter": { backgroundColor: "rgba(100,181,246,.12)" },
    ".cm-selectionBackground, &.cm-focused .cm-selectionBackground": { backgroundColor: "#2f4a66 !important" },
    ".cm-textfield, .cm-button": { ...both[".cm-textfield, .cm-button"], backgroundColor: "#2d333b", color: "#d5dae0" },
    ".dc-at.dc-held": { backgroundColor: "color-mix(in srgb, #fbc02d 24%, transparent)" },
  },
  { dark: true },
);

// CodeMirror's dark colours, but names in the colour of text: red is reserved for errors.
const calm = { "#e06c75": "#d5dae0", "#e5c07b": "#d7ba7d", "#7d8799": "#8b97a5" };
const darkColours = CM.HighlightStyle.define(
  CM.oneDarkHighlightStyle.specs.map((each) => ({ ...each, color: calm[each.color] || each.color })),
);

export const theme = (isDark) =>
  isDark
    ? [dark, CM.syntaxHighlighting(darkColours)]
    : [light, CM.syntaxHighlighting(CM.defaultHighlightStyle)];
