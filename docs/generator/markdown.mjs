// Markdown of the commentary and the guides as HTML.
import MarkdownIt from "markdown-it";
import { drawDiagram } from "./diagram.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { parted } from "./html.mjs";
import { proseFaults } from "./prose.mjs";
import { inlineSvg } from "./svg.mjs";
import { texPlugin } from "./tex.mjs";

/**
 * The renderers of a page: `block(text, {headingShift, idPrefix, label})` and `inline(text)`, both giving HTML; headings are
 * lowered by `headingShift`, ids begin with `idPrefix`, and `label` gives a word of the page in its language.
 *
 * `figure(name)` gives the text of an SVG file, `link(href)` the address of a link in the site, or null if what it names has no
 * page: then only its text is set. Both throw an Error for what does not exist. With `nameFigures` figures and pictures hold
 * their names. `picture(name, {title, description, prefix, label})` draws a picture of a lesson; other texts have none, and `question(rows)`
 * gives the HTML of a question of lesson 0.
 */
export function markdownRenderer({ figure, link, nameFigures = false, picture, question }) {
  const md = new MarkdownIt({ html: false, typographer: false });
  md.use(texPlugin);
  md.core.ruler.after("inline", "prose", refuseFaults); // before escaped characters become like the others
  md.core.ruler.push("figures", liftFigures);
  md.core.ruler.push("links", (state) => rewriteLinks(state, link));
  md.core.ruler.push("headings", shiftHeadings);
  md.core.ruler.push("citations", linkCitations);
  md.renderer.rules.fence = (tokens, i, options, env) => {
    const { info, content } = tokens[i];
    if (/^picture\b/.test(info)) return drawn(tokens[i], env, picture, nameFigures);
    return question && info.trim() === "question" ? question(content) : fence(tokens, i, options, env);
  };
  md.renderer.rules.code_block = fence;
  md.renderer.rules.code_inline = (tokens, i) => {
    const { content } = tokens[i];
    const cell = cellNumber(content);
    const isKept = cell || /^\w{0,9}\[[\w, ]{1,14}\]$/.test(content); // on one line, as shapes and elements are
    return `<code${isKept ? ' class="kept"' : ""}>${escapeHtml(cell || content)}</code>`;
  };
  md.renderer.rules.table_open = (tokens, i, options, { label }) => `<div class="table" tabindex="0" role="group" aria-label="${escapeHtml(label("table"))}"><table>\n`;
  md.renderer.rules.table_close = () => "</table></div>\n";
  md.renderer.rules.figure = (tokens, i, options, env, self) => {
    const { name, caption, label } = tokens[i].meta;
    env.figures = (env.figures ?? 0) + 1;
    const svg = inlineSvg(figure(name), `${env.idPrefix}figure${env.figures}`, label);
    return `<figure class="plot" tabindex="0"${nameFigures ? ` data-figure="${name}"` : ""}>${svg}<figcaption>${self.renderInline(caption, options, env)}</figcaption></figure>\n`;
  };
  return {
    block: (text, env) => md.render(text, { headingShift: 0, idPrefix: "", label: (text) => text, ...env }),
    inline: (text) => md.renderInline(text, {}),
  };
}

const kept = (word) => `<span class="kept">${word}</span>`;
// In a table always where `always` says so, else in a narrow window alone.
const joined = (word, always = []) =>
  word.replace(/<[^>]*>|-&gt;(?=\w)|::(?=\w)|[/(](?=[^)])|(?<=[A-Za-z\d)])[._](?=[A-Za-z\d])|(?<=[a-z\d]{3})(?=[A-Z][a-z])/g, (join) =>
    join.startsWith("<") ? join : `${join === "-&gt;" ? kept(join) : join}<wbr${always.includes(join) ? "" : ' class="narrow"'}>`);

/** A line of code as HTML whose long words may be broken, in a narrow window, where their parts join. */
export const breakableLine = (code) =>
  code.replace(/(?:<[^>]*>|[^\s<])+/g, (word) => (word.replace(/<[^>]*>/g, "").length > 16 ? joined(word) : word));

/**
 * The HTML of a page whose inline code is broken at the end of a line only where it stays readable: a short word not at all, and a long one
 * where its parts join, in a narrow window or in a table. Numbers such as 1e-7, names such as GPT-2 and the arrow -> are kept whole, and a
 * long name in the text is broken where its parts join.
 */
export function breakable(html) {
  let isTable = false;
  const whole = (word) => {
    const text = word.replace(/<[^>]*>/g, "");
    const letters = text.replace(/&[#\w]+;/g, "x").length;
    if (letters <= 20 && !/<\/?span/.test(word) && (isTable ? /-./ : /[^\w\s]./).test(text)) return kept(word);
    if (letters <= (isTable ? 12 : 16)) return word;
    return joined(word, isTable && letters > 30 ? ["::", "/", "(", text.includes("(") ? "" : "."] : []);
  };
  const parts = /<(head|title|pre|script|svg|select|textarea|math)\b[^]*?<\/\1>|<\/?table>|<code\b([^>]*)>((?:[^<]|<\/?(?:a|span|wbr)\b[^>]*>)*)<\/code>|(?<![\w.-])(?:\d[\d.]*e-\d+|(?:AVX|GPT)-\d+)(?![\w-])(?=[^<>]*<)|-&gt;(?=[^<>]*<)|(?<![\w/:.@-])[A-Za-z][\w:.]{24,}\w(?=[^<>]*<)/g;
  return html.replace(parts, (all, skipped, attributes, code) => {
    if (code !== undefined) return `<code${attributes}>${code.includes("<wbr") ? code : code.replace(/(?:<[^>]*>|[^\s<])+/g, whole)}</code>`;
    if (/^[A-Za-z_][\w:.]{25}/.test(all)) return parted(all);
    if (/^[\w-]/.test(all)) return kept(all);
    if (!skipped) isTable = all === "<table>";
    return all;
  }).replace(/<code(?: class="kept")?>(?:(?!<\/code>).){1,40}<\/code>[가-힣]{1,5}(?![가-힣])[.,]?/g, kept); // with its Korean particle
}

/** A cell's number as notebooks show it, or nothing for a cell that no notebook has. */
export function cellNumber(id) {
  const [, number, rest] = /^In0*(\d+)(.*)$/.exec(id) ?? [];
  return number ? `In [${number}]${rest.replace(/_/g, " ")}` : "";
}

/** The first paragraph of a text, without markup: for descriptions. */
export function plainText(markdown) {
  const paragraph = markdown.trim().split(/\n\s*\n/)[0] ?? "";
  const text = paragraph.replace(/\s+/g, " ").replace(/(?<!\\)(\*\*?)(?=\S)([^*`]*[^\s*`])\1/g, "$2"); // emphasis, but not a product
  return text.replace(/[`$\\]|\[([^\]]*)\]\([^)]*\)/g, "$1");
}

function fence(tokens, i, options, env) {
  const [language = "", option = ""] = tokens[i].info.trim().split(/\s+/);
  if (language === "diagram") return diagram(tokens[i], env);
  if (option === "hidden") return "";
  if (option && option !== "original") throw new Error(`unknown option "${option}" after \`\`\`${language}`);
  const text = tokens[i].content.trimEnd();
  const code = `<pre${focusable(text)}><code>${highlight(text, language)}</code></pre>`;
  if (language !== "python") return `${code}\n`;
  return `<figure class="pytorch"><figcaption>${option ? escapeHtml(env.label("Original")) : "PyTorch"}</figcaption>${code}</figure>\n`;
}

/** A box of code takes the focus if it can be wider than its place on a phone, where it scrolls. */
export function focusable(text) {
  return text.split("\n").some((line) => line.length > 30) ? ' tabindex="0"' : "";
}

function diagram(token, env) {
  const caption = token.info.trim().replace(/^diagram\s*/, "");
  if (!caption) throw new Error("a diagram has a title: ```diagram TITLE");
  env.figures = (env.figures ?? 0) + 1;
  const svg = drawDiagram(token.content.trimEnd(), caption, { prefix: `${env.idPrefix}diagram${env.figures}-`, label: env.label });
  return `<figure class="plot">${svg}<figcaption>${escapeHtml(caption)}</figcaption></figure>\n`;
}

function drawn(token, env, picture, nameFigures) {
  const [, name, title] = /^picture (\w+) (\S.*)$/.exec(token.info.trim()) ?? [];
  const description = token.content.replace(/\s+/g, " ").trim();
  if (!picture) throw new Error("only lessons have pictures");
  if (!title || !description) throw new Error("a picture has a name, a title and a description: ```picture NAME TITLE, and below it what is seen");
  env.figures = (env.figures ?? 0) + 1;
  const svg = picture(name, { title, description, prefix: `${env.idPrefix}picture${env.figures}-`, label: env.label });
  return `<figure class="plot pictured" tabindex="0"${nameFigures ? ` data-picture="${name}"` : ""}>${svg}<figcaption>${escapeHtml(title)}</figcaption></figure>\n`;
}

// `[1]` leads to the first of the references of a lesson, of which there are `env.references`.
function linkCitations({ tokens, env, Token }) {
  if (env.references === undefined) return;
  for (const token of tokens.filter(({ children }) => children)) {
    token.children = token.children.flatMap((child) => {
      if (child.type !== "text" || !/\[\d+\]/.test(child.content)) return [child];
      return child.content.split(/(\[\d+\])/).map((part) => {
        const number = /^\[(\d+)\]$/.exec(part)?.[1];
        const piece = new Token(number ? "html_inline" : "text", "", 0);
        if (number && (number < 1 || number > env.references)) throw new Error(`there is no reference ${part}`);
        piece.content = number ? `<a class="cite" href="#reference-${number}">${part}</a>` : part;
        return piece;
      });
    });
  }
}

// What the page would show otherwise than it was meant is an Error, with the `line` of the text.
function refuseFaults({ tokens, src }) {
  const [fault] = proseFaults(tokens, src.split("\n"));
  if (fault) throw Object.assign(new Error(fault.message), { line: fault.line });
}

// A paragraph that holds one picture and nothing else becomes a figure with a caption.
function liftFigures(state) {
  const { tokens } = state;
  for (let i = 0; i + 2 < tokens.length; ++i) {
    const [image, ...others] = tokens[i].type === "paragraph_open" ? tokens[i + 1].children : [];
    if (image?.type !== "image" || others.length) continue;
    const figure = new state.Token("figure", "figure", 0);
    figure.block = true;
    figure.map = tokens[i].map;
    figure.meta = { name: image.attrGet("src"), caption: image.children, label: plainText(image.content) };
    tokens.splice(i, 3, figure);
  }
  const inText = tokens.flatMap(({ children }) => children ?? []).find(({ type }) => type === "image");
  if (inText) throw new Error(`the picture ${inText.attrGet("src")} has to be a paragraph of its own`);
}

/** Whether a text names a file or a folder, as in the text of a link to one. */
const isPath = (text) => /^\.?\w[\w.-]*(?:\/[\w.-]+)+\/?$|^[\w-]+\.(?:cpp|h|json|md|mjs|py|sh|txt|yml)$/.test(text);

// A link to what has no page is its text, as code if that is the name of a file.
function rewriteLinks(state, link) {
  for (const { children } of state.tokens) {
    let textOnly = false;
    for (const token of children ?? []) {
      if (token.type === "link_open") {
        const address = link(token.attrGet("href"));
        textOnly = address === null;
        if (!textOnly) token.attrSet("href", address);
      }
      if (textOnly && /^link_/.test(token.type)) {
        textOnly = token.type === "link_open";
        Object.assign(token, { type: "text", content: "", nesting: 0 });
      } else if (textOnly && token.type === "text" && isPath(token.content)) {
        Object.assign(token, { type: "code_inline", tag: "code", markup: "`" });
      }
    }
  }
}

function shiftHeadings(state) {
  for (const [i, token] of state.tokens.entries()) {
    if (!/^heading_/.test(token.type)) continue;
    token.tag = `h${Math.min(6, Number(token.tag[1]) + state.env.headingShift)}`;
    if (token.type === "heading_open") token.attrSet("id", state.env.idPrefix + slug(state.tokens[i + 1].content));
  }
}

/** The id that code hosts give to a heading, so that links to it work there and in the site. */
export function slug(text) {
  return text.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replace(/ /g, "-");
}
