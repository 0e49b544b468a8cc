// Source files that have a page: which they are, where a line of theirs is, and how a file is read as prose beside code.
import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

const layer = /^(?:layers|framework\/extras\/etude(?=\/\w+\.))\/[\w/]+\.(?:h|cpp)$/;
const plain = /^tutorials\/\d\d_\w+\.cpp$|^framework\/(?!.*\bdetail\/)[\w/]+\.h$|^framework\/(?:extras\/)?etude\/ops\/\w+\.cpp$/;

/** The name of the page that shows `file`, without `.html`, or null. `X.h` and `X.cpp` of a layer are one page. */
export function sourcePage(file) {
  if (layer.test(file)) return `source_${file.replace(/\.\w+$/, "").replaceAll("/", "_")}`;
  return plain.test(file) ? `source_${file.replace(/[/.]/g, "_")}` : null;
}

/** The id of a line in the page of its file. */
export const lineId = (file, line) => (layer.test(file) && file.endsWith(".cpp") ? `cpp-L${line}` : `L${line}`);

/** The address of a file, or of a line of it, or null if it has no page. */
export function sourceLink(file, line) {
  const page = sourcePage(file);
  return page && `${page}.html${line ? `#${lineId(file, line)}` : ""}`;
}

/** By folder, then by name without the ending: a name stands before longer names that begin with it. */
const byFolder = (a, b) => dirname(a).localeCompare(dirname(b), "en") || a.replace(/\.\w+$/, "").localeCompare(b.replace(/\.\w+$/, ""), "en");

/** The pages of a repository: `{name, files, isLayer}`, a header before its source. */
export function listSources(repository) {
  const pages = new Map();
  for (const folder of ["layers", "framework", "tutorials"].filter((one) => existsSync(join(repository, one)))) {
    const files = readdirSync(join(repository, folder), { recursive: true }).map((file) => `${folder}/${file}`);
    for (const file of files.filter(sourcePage).sort(byFolder)) {
      const name = sourcePage(file);
      if (!pages.has(name)) pages.set(name, { name, files: [], isLayer: layer.test(file) });
      pages.get(name).files.push(file);
      pages.get(name).files.sort((a, b) => b.endsWith(".h") - a.endsWith(".h"));
    }
  }
  return [...pages.values()];
}

/** Line numbers beside a `<pre>`: seen, but not read out, selected or copied. `attributes(line)` are those of a number. */
export function numbered(pre, lines, attributes) {
  const links = lines.map((line) => (line ? `<a ${attributes(line)} data-n="${line}" tabindex="-1"></a>` : "<i></i>"));
  return `<div class="numbered"><div class="gutter" aria-hidden="true">${links.join("")}</div>${pre}</div>`;
}

const comment = /^\s*\/\/\/?(?!\/| NOLINT| clang-format)(?: (.*)|)$/;
const declaration =
  /^(?!(?:namespace|return|static_assert|friend|using namespace|using [\w:]+;)\b)(?:using (\w+) =|(?:class|struct|enum(?: class)?)\s+(?:ETUDE_API\s+)?(\w+)|ETUDE_[A-Z_]*(?:MODULE|PAD)[A-Z_]*\((\w+)|(?:[\w:][\w:<>,&* ]*?[ *&])?(\w+(?:<[\w, ]+>)?::~?\w[\w:~]*)\(|[\w:][\w:<>,&* ]*?[ *&](~?\w[\w:~]*)\()/;

/** What a line at the left margin declares or defines, or "": `C::f` for a member of a class or of a template of classes. */
function declared(line) {
  const [, ...names] = declaration.exec(line.replace(/^template <[^>]*> ?/, "")) ?? [];
  return names.find(Boolean)?.replace(/<.*?>/, "") ?? "";
}

/**
 * The rows of a C++ file: `{name, text, textLines, code, lines}`. Whole-line comments are the text beside the code that follows
 * them. A declaration at the left margin begins a row too, and gives it its name, if a blank line, another definition or the line
 * that opens a namespace stands before it. A macro directly behind a class belongs to the class. `lines` are the numbers of the
 * lines of the code, `textLines` those of the text.
 */
export function parseSource(source) {
  const rows = [];
  let blank = true;
  const open = () => rows.push({ text: [], textLines: [], code: [], lines: [] });
  const lines = source.trimEnd().split("\n");
  for (const [i, line] of lines.entries()) {
    const isOpen = rows.length && !rows.at(-1).code.some((one) => one.trim());
    const text = comment.exec(line);
    if (!isOpen && (!rows.length || text || (blank && (declared(line) || line.startsWith("template"))))) open();
    const row = rows.at(-1);
    if (text) {
      row.text.push(text[1] ?? "");
      row.textLines.push(i + 1);
    } else if (line.trim() || row.code.length) {
      row.code.push(line);
      row.lines.push(i + 1);
    }
    blank = !line.trim() || /^namespace\b.*\{$|^\}$/.test(line) || (line === "};" && !lines[i + 1]?.startsWith("ETUDE_"));
  }
  return rows.map(({ text, textLines, code, lines }) => {
    const size = code.findLastIndex((line) => line.trim()) + 1;
    const name = declared(code.find((line) => line && !line.startsWith("template")) ?? "");
    return { name, text: prose(text), textLines, code: code.slice(0, size).join("\n"), lines: lines.slice(0, size) };
  });
}

/** Comments as Markdown: what is indented is a list if it looks like one, else it is set as it stands. */
function prose(lines) {
  const text = lines.join("\n");
  if (/^[-*\d]/m.test(text)) return text;
  return text.replace(/^(?: {2,}.*(?:\n|$))+/gm, (part) =>
    /^ +- /.test(part) ? `\n${part.replace(/^ {2}/gm, "")}\n` : `\`\`\`\n${part.trimEnd()}\n\`\`\`\n`);
}
