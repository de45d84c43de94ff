// Languages of program files: Python, Pascal and data formats from CodeMirror, ARLA and EMULA defined here.
import * as CM from "nicegui-codemirror";

const words = (text) => new Set(text.split(" "));

const ARLA_WORDS = words(
  "program positions pos let jump to if call prog return set reset out outp inp wait until gripper open close tcp " +
    "rect robot coord store position path offset fine search sensor max s mm",
);

const arla = CM.StreamLanguage.define({
  name: "arla",
  token(stream) {
    if (stream.sol()) {
      stream.eatSpace();
      if (stream.match(/\d+/)) return "labelName";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("/*")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/#\s*\d+/)) return "atom";
    if (stream.match(/[RrSsCc]\d+(?![A-Za-z_0-9])/)) return "variableName.special";
    if (stream.match(/\d+\.?\d*|\.\d+/)) return "number";
    const word = stream.match(/[A-Za-z_]+/);
    if (word) return ARLA_WORDS.has(word[0].toLowerCase()) ? "keyword" : "variableName";
    if (stream.match(/<=|>=|<>|[-+*\/()%=<>]/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "/*" } },
});

const EMULA_WORDS = words(
  "if then else while do repeat until begin end subr return new and or not eq ne lt le gt ge div mod",
);
const EMULA_CLAUSES = words("sensors exceed at from");

const emula = CM.StreamLanguage.define({
  name: "emula",
  startState: () => ({ comment: false }),
  token(stream, state) {
    if (state.comment || stream.match("/*")) {
      state.comment = !stream.match(/.*?\*\//);
      if (state.comment) stream.skipToEnd();
      return "comment";
    }
    if (stream.eatSpace()) return null;
    if (stream.match("--")) {
      stream.skipToEnd();
      return "comment";
    }
    if (stream.match(/'(?:[^']|'')*'?|"[^"]*"?/)) return "string";
    if (stream.match(/(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/)) return "number";
    const word = stream.match(/[A-Za-z_][A-Za-z_0-9]*/);
    if (word) {
      const low = word[0].toLowerCase();
      if (EMULA_WORDS.has(low)) return "keyword";
      if (EMULA_CLAUSES.has(low)) return "modifier";
      return stream.match(/\s*\(/, false) ? "variableName.function" : "variableName";
    }
    if (stream.match(/\*\*|<=|>=|<>|[-+*\/#$<>=:]/)) return "operator";
    stream.next();
    return null;
  },
  languageData: { commentTokens: { line: "--", block: { open: "/*", close: "*/" } } },
});

const OWN = { arla, emula };
const BUNDLED = { python: "Python", pascal: "Pascal", yaml: "YAML", json: "JSON", toml: "TOML", markdown: "Markdown" };

// The language of a file. Those of the bundle are loaded on demand.
export async function languageOf(name) {
  if (OWN[name]) return OWN[name];
  const found = CM.languages.find((each) => each.name === BUNDLED[name]);
  return found ? await found.load() : [];
}
