// TeX in Markdown: $inline$ and $$display$$, set by KaTeX when the page is made.
import katex from "katex";

function setFormula(tex, displayMode) {
  return katex.renderToString(tex, { displayMode, throwOnError: true, strict: "error", output: "htmlAndMathml" });
}

// A formula with the marks around it. KaTeX makes a span of each piece between two places where a line may break; the last one keeps
// the marks that follow on its line.
function withMarks(formula, { before, after }) {
  const base = '<span class="base">';
  const last = formula.lastIndexOf(base);
  if (after && formula.indexOf(base) < last) {
    const piece = `<span class="katex"><span class="katex-html" aria-hidden="true">${formula.slice(last)}`;
    return withMarks(`${formula.slice(0, last)}</span></span>`, { before, after: "" }) + withMarks(piece, { before: "", after });
  }
  const whole = before + formula + after;
  return whole === formula || formula.indexOf(base) < last ? whole : `<span class="kept">${whole}</span>`;
}

// As in Pandoc: an opening $ has no blank after it, a closing one none before it and no digit after it.
// A formula holds no backquote: that would be code.
function inlineRule(state, silent) {
  const { src, pos } = state;
  if (src[pos] !== "$") return false;
  const width = src[pos + 1] === "$" ? 2 : 1;
  const begin = pos + width;
  if (width === 1 && /\s/.test(src[begin] ?? " ")) return false;

  let end = begin;
  while (end < src.length && !(src.startsWith("$".repeat(width), end) && src[end - 1] !== "\\")) ++end;
  if (end >= src.length || end === begin || src.slice(begin, end).includes("`")) return false;
  if (width === 1 && (/\s/.test(src[end - 1]) || /\d/.test(src[end + 1] ?? ""))) return false;

  state.pos = end + width;
  if (silent) return true;

  // A line breaks neither before the marks or the Korean particle that follow a formula nor between it and its bracket.
  const before = width === 1 ? /[(（]?$/.exec(state.pending)[0] : "";
  const after = width === 1 ? /^(?:[가-힣]{1,5}(?![가-힣]))?[.,;:?)、。，；：）-]*/.exec(src.slice(state.pos))[0] : "";
  state.pending = state.pending.slice(0, state.pending.length - before.length);
  state.pos += after.length;
  const token = state.push(width === 2 ? "tex_display" : "tex_inline", "", 0);
  token.content = src.slice(begin, end);
  token.meta = { before, after };
  return true;
}

// A paragraph that begins with $$ and ends with $$ is a formula on lines of its own.
function blockRule(state, startLine, endLine, silent) {
  const lineText = (line) => state.src.slice(state.bMarks[line] + state.tShift[line], state.eMarks[line]).trim();
  if (!lineText(startLine).startsWith("$$")) return false;

  let line = startLine;
  let text = lineText(line).slice(2);
  while (!text.trimEnd().endsWith("$$")) {
    if (++line >= endLine || !lineText(line)) return false;
    text += "\n" + lineText(line);
  }
  if (silent) return true;
  state.line = line + 1;
  const token = state.push("tex_display", "", 0);
  token.block = true;
  token.content = text.trimEnd().slice(0, -2);
  token.map = [startLine, state.line];
  return true;
}

/** The parts of a formula between the `\qquad` outside of all braces and environments. */
export function formulaParts(tex) {
  const parts = [""];
  let depth = 0;
  for (const [token] of tex.matchAll(/\\(?:[a-zA-Z]+|[\s\S])|[\s\S]/g)) {
    if (/^(\{|\\begin|\\left)$/.test(token)) ++depth;
    if (/^(\}|\\end|\\right)$/.test(token)) --depth;
    if (token === "\\qquad" && depth === 0) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts.map((part) => part.trim()).filter(Boolean);
}

/** A plug-in of markdown-it. A formula that KaTeX refuses, or that is only warned of, is an Error. */
export function texPlugin(md) {
  md.inline.ruler.after("escape", "tex", inlineRule);
  md.block.ruler.before("fence", "tex", blockRule, { alt: ["paragraph", "blockquote", "list"] });
  md.renderer.rules.tex_inline = (tokens, i) => {
    const { content, meta } = tokens[i];
    return withMarks(setFormula(content.trim(), false), meta);
  };
  // Parts stand below each other where the page is narrow. What is too wide still scrolls: the box has to be
  // reachable by keyboard.
  md.renderer.rules.tex_display = (tokens, i, options, { label = (text) => text }) => {
    const parts = formulaParts(tokens[i].content).map((part) => setFormula(part, true));
    return `<span class="formula" tabindex="0" role="group" aria-label="${label("formula")}">${parts.join("\n")}</span>\n`;
  };
}

const greek = "alpha α beta β gamma γ delta δ epsilon ε varepsilon ε theta θ lambda λ mu μ pi π sigma σ tau τ phi φ omega ω ell ℓ";
const signs = "cdot · times × approx ≈ pm ± in ∈ le ≤ leq ≤ ge ≥ geq ≥ to → partial ∂ sum Σ int ∫ infty ∞ top T dots ... langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉";
const typed = new Map(`${greek} ${signs}`.split(" ").map((one, i, all) => [one, all[i + 1]]));
const accents = { bar: "\u0304", overline: "\u0304", tilde: "\u0303", hat: "\u0302" };

/** A formula in one line, as one would type it: `\frac{a}{\sqrt{d}}` is `a/√d`. */
export function typedFormula(tex) {
  const tokens = tex.match(/\\(?:[a-zA-Z]+|[\s\S])|\s+|[\s\S]/g) ?? [];
  const isBlank = (token) => /^\s/.test(token ?? "");
  const grouped = (text) => (/^(-?√?[\w.]+|[^\x00-\x7f]|\([^()]*\))$/.test(text) ? text : `(${text})`);
  const argument = () => {
    while (isBlank(tokens[0])) tokens.shift();
    return tokens[0] === "{" ? (tokens.shift(), sequence().trim()) : piece().trim();
  };
  const sequence = () => {
    let text = "";
    while (tokens.length && tokens[0] !== "}") text += piece();
    tokens.shift();
    return text;
  };
  const piece = () => {
    const token = tokens.shift() ?? "";
    if (token === "{") return sequence();
    if (token === "_") return `_${grouped(argument())}`;
    if (token === "^") return tokens[0] === "\\top" ? (tokens.shift(), "ᵀ") : `^${grouped(argument())}`;
    if (token === "&") return "";
    if (token === "~") return " ";
    if (!token.startsWith("\\")) return token;
    const name = token.slice(1);
    while (/^[a-zA-Z]/.test(name) && isBlank(tokens[0])) tokens.shift();
    if (/^[td]?frac$/.test(name)) return `${grouped(argument())}/${grouped(argument())}`;
    if (name === "sqrt") return `√${grouped(argument())}`;
    if (/^(text|operatorname|math[a-z]+)$/.test(name)) return argument();
    if (/^(begin|end)$/.test(name)) return argument() && " ";
    if (/^(left|right|[bB]igg?[lr]?)$/.test(name)) return "";
    if (accents[name]) return argument().replace(/^.$/u, (letter) => letter + accents[name]);
    if (/^(cdot|times|approx|in|[lg]eq?|to)$/.test(name)) return ` ${typed.get(name)} `;
    if (typed.has(name)) return typed.get(name);
    if (/^[{}_%#$]$/.test(name)) return name;
    if (/^([^a-z]|q?quad)$/i.test(name)) return " ";
    return /^[\w\\]/.test(tokens[0] ?? "") ? `${name} ` : name; // sin, ln, max
  };
  let text = "";
  while (tokens.length) text += sequence();
  return text.normalize().replace(/\s+/g, " ").replace(/ (?=[),])/g, "").trim();
}
