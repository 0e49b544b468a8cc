// The pages of the API reference.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { anchorOf, last, missingPieces, placeSymbols, placesOf, scope, summaryOf, symbolsOf } from "./api.mjs";
import { readDoxygen } from "./doxygen.mjs";
import { readPages } from "./examples.mjs";
import { escapeHtml, highlight } from "./highlight.mjs";
import { parted } from "./html.mjs";
import { breakableLine, focusable, markdownRenderer } from "./markdown.mjs";
import { document } from "./page.mjs";
import { sourceLink } from "./sources.mjs";

/**
 * The reference of a repository: `{symbols, types, pages, python, markdown, sourceLink}`. `doxygen` is the folder of the XML,
 * or null. Throws an Error that lists what is missing if it has to be complete.
 */
export function readReference(repository, doxygen, complete) {
  const declarations = doxygen ? readDoxygen(doxygen) : [];
  const symbols = symbolsOf(declarations);
  const pages = readPages(repository);
  placeSymbols(symbols, pages);
  const missing = complete ? missingPieces(symbols, pages) : [];
  if (missing.length)
    throw new Error(
      ["The reference is not complete:", ...missing.map(({ file, line, text }) => `${file}:${line}: ${text}`)].join("\n"),
    );
  const support = join(repository, "docs/examples/support/example.h");
  return {
    symbols,
    types: new Map(declarations.filter(({ kind }) => kind === "class" || kind === "typedef").map((one) => [one.name, one])),
    pages,
    python: JSON.parse(readFileSync(new URL("python_names.json", import.meta.url), "utf8")),
    markdown: whole(markdownRenderer({ link: () => null })),
    sourceLink,
    examplesSource: pages.length ? readFileSync(support, "utf8") : "",
  };
}

/** A renderer that, in texts without formulas, breaks no line after the hyphen of `-pi`, and indents the rest of a broken line of code. */
function whole({ block, inline }) {
  const kept = (html) =>
    html.includes("katex")
      ? html
      : html.replace(/<(pre|code)\b[^]*?<\/\1>|(?<=[\s([^\>])-[A-Za-z]\w*/g, (all, tag) => (tag ? all : `<span class="kept">${all}</span>`));
  const hanging = (html) => html.replace(/(?<=<pre[^>]*><code[^>]*>)[^]*?(?=<\/code>)/g, (code) => code.replace(/.+\n?/g, (line) => `<span class="hanging">${breakableLine(line)}</span>`));
  return { block: (...given) => hanging(kept(block(...given))), inline: (text) => kept(inline(text)) };
}

const width = 84; // of a signature's lines

/** A signature on several lines, where it is long: parameters are kept whole, and so are bases and what stands before a function's name. */
export function wrapped(signature) {
  return signature
    .split("\n")
    .map((line) => {
      const base = line.length > width ? line.indexOf(" : public ") : -1;
      if (base > 0) return [line.slice(0, base), ...brokenAtCommas(line.slice(base + 1), width - 4).map((one) => `    ${one}`)].join("\n");
      const lines = brokenAtCommas(line, width);
      const at = line.search(/ etude::[\w:~]*(?:operator[^\w\s(]+|\w)\(/);
      if (lines[0].length >= at && (lines[0].length <= width || at <= 16)) return lines.join("\n");
      const rest = brokenAtCommas(line.slice(at + 1), width - 4).map((one) => `    ${one}`);
      return [...brokenAtCommas(line.slice(0, at), width), ...rest].join("\n");
    })
    .join("\n");
}

function brokenAtCommas(line, most) {
  if (line.length <= most) return [line];
  let depth = 0;
  const operator = /operator\W+?(?=\()/.exec(line)?.[0] ?? "";
  const parts = [...line.replace(operator, "_".repeat(operator.length))].reduce(
    (all, character, i) => {
      if (/[(<{]/.test(character)) ++depth;
      if (/[)>}]/.test(character)) --depth;
      all[all.length - 1] += line[i];
      if (depth <= 1 && character === "," && line[i + 1] === " ") all.push("");
      return all;
    },
    [""],
  );
  const lines = [""];
  for (const part of parts) {
    if (!lines.at(-1) || lines.at(-1).length + part.length <= most) lines[lines.length - 1] += part;
    else lines.push(`    ${part.trimStart()}`);
  }
  return lines;
}

const codeBlock = (code, kind = "") => `<pre class="cpp${kind}"${focusable(code)}><code>${highlight(code, "cpp")}</code></pre>`;
const isOptions = ({ name, kind, members }) =>
  kind === "class" && /Options(Base)?$/.test(name) && members.some((one) => one.kind === "variable");

/** The struct of options that a symbol is, or that it is an alias of; null for others. */
function optionsOf(symbol, types) {
  let struct = symbol;
  while (struct?.kind === "typedef" && symbol.name.endsWith("Options")) {
    const target = (struct.overloads?.[0] ?? struct).type.replace(/<.*/, "");
    let at = scope(struct.name);
    while (at && !types.has(`${at}::${target}`)) at = scope(at);
    struct = types.get(at ? `${at}::${target}` : target);
  }
  return struct && isOptions(struct) ? struct : null;
}

/**
 * The default of an option: its own, that of the constructor, or another option that its docstring names, as in "embed_dim unless given";
 * of a template, what it is for the type of an alias.
 */
function defaultOf({ name, type, value, doc }, { members }, alias) {
  const made = members
    .map(({ signature }) => new RegExp(`\\b${last(name)} = ([^,()]+?)[,)]`).exec(signature)?.[1])
    .find(Boolean);
  const [, subject, yes, no] = /^std::is_same_v<\w+, (\w+)> \? (.+) : (.+)$/.exec(value) ?? [];
  if (subject) return alias.overloads?.[0].type?.endsWith(`<${subject}>`) ? yes : no;
  if (/^(?:\w*\(?)?\{\}$/.test(value)) return "none";
  const other = /; (\w+) unless given\.$/.exec(doc.replaceAll("\\", ""))?.[1];
  return value || made || other || (type.startsWith("optional<") ? "nullopt" : "");
}

/** A type as one reads it: of a choice, the choices. */
function typeOf({ type }, struct, types) {
  let at = scope(struct.name);
  while (at && !types.has(`${at}::${type}`)) at = scope(at);
  const named = struct.members.find(({ kind, name }) => kind === "typedef" && last(name) === type) ?? types.get(`${at}::${type}`);
  const full = named?.type ?? type;
  if (named && full !== type && /^\w+$/.test(full)) return typeOf({ type: full }, struct, types);
  const choices = /^std::variant<(.*)>$/.exec(full)?.[1];
  return choices
    ? choices
        .split(", ")
        .map((one) => last(one))
        .join(" | ")
    : type;
}

/** The options of a struct, under the names that `symbols` give it. */
function optionsTable(symbols, struct, { markdown, types }) {
  const code = (text) => (text ? `<code>${escapeHtml(text)}</code>` : "");
  const standard = (text) => code(text).replace("<code>", text.length > 20 ? '<code class="long">' : "<code>");
  const options = struct.members.filter(({ kind }) => kind === "variable");
  const isExplained = options.some(({ doc }) => doc);
  const defaults = options.map((one) => defaultOf(one, struct, symbols[0]));
  const hasDefault = defaults.some((one) => one && one !== "nullopt"); // others are set from elsewhere, or named in the meaning
  const rows = options
    .map(
      (one, i) =>
        `<tr><th scope="row">${code(last(one.name))}</th><td>${typeOf(one, struct, types).split(" | ").map(code).join("\u00a0| ")}</td>${hasDefault ? `<td>${standard(defaults[i])}</td>` : ""}${isExplained ? `<td>${markdown.inline(one.doc)}</td>` : ""}</tr>`,
    );
  return `<div class="table options" tabindex="0" role="group" aria-label="Options"><table><caption><span>${symbols.map(({ name }) => `<code>${last(name)}</code>`).join(", ")}</span></caption>
<thead><tr><th scope="col">Option</th><th scope="col">Type</th>${hasDefault ? '<th scope="col">Default</th>' : ""}${isExplained ? '<th scope="col">Meaning</th>' : ""}</tr></thead>
<tbody>${rows.join("\n")}</tbody></table></div>`;
}

function memberList({ name, members }, { markdown }) {
  const items = memberItems(members, markdown);
  return items && `<h3>Members of <code>${last(name)}</code></h3>\n${items}`;
}

/** A signature whose lines hang where they are broken, but not before the 0 of a pure virtual function. */
const hanging = (signature) =>
  signature
    .split("\n")
    .map((line) => highlight(line, "cpp").replace(/= <span class="hljs-number">0<\/span>$/, '<span class="kept">$&</span>'))
    .map((line) => `<span class="hanging">${line}</span>`)
    .join("");

function memberItems(members, markdown) {
  const shown = members.filter(({ kind, name: own }) => !(kind === "typedef" && last(own) === "Impl") && !last(own).startsWith("~"));
  if (!shown.length) return "";
  const items = shown.map(({ kind, signature, doc, members: inner }) => {
    const nested = kind === "class" ? memberItems(inner, markdown) : "";
    return `<li><code>${hanging(signature)}</code>${markdown.block(doc)}${nested}</li>`;
  });
  return `<ul class="members">${items.join("\n")}</ul>`;
}

/** A docstring without the name of the same in LibTorch, in parentheses of its own or beside a citation. */
const withoutLibTorch = (doc) =>
  doc
    .replace(/ ?\(torch::[\w:\\]+\)(?=[.:](?:\s|$)|\n\n|$)/g, "")
    .replace(/; torch::[\w:\\]+(?=\))/g, "")
    .replace(/\(torch::[\w:\\]+; /g, "(");

/** Each docstring once, with its citation if one has it, in the order of the heading, with the name that it belongs to where there are several. */
function docstrings({ names, symbols }, markdown) {
  const place = ({ name }) => {
    const i = names.indexOf(name.replace(/Impl$/, ""));
    return i < 0 ? names.length : i;
  };
  // That LibTorch has the same name stands among the facts.
  const stripped = [...symbols]
    .sort((a, b) => place(a) - place(b))
    .filter((one) => symbols.every(isOptions) || !isOptions(one) || names.includes(one.name))
    .map(({ name, doc }) => ({ name, doc: withoutLibTorch(doc) }));
  const documented = stripped.filter(({ doc }) => doc);
  const words = ({ doc }) => doc.replace(/ \([^()]*\b\d{4}\b[^()]*\)/g, "").replace(/\.$/, ""); // without citations
  const once = documented
    .filter((one, i) => documented.findIndex((other) => words(other) === words(one)) === i)
    .map((one) => documented.filter((other) => words(other) === words(one)).reduce((a, b) => (b.doc.length > a.doc.length ? { ...a, doc: b.doc } : a)));
  // The first one needs no name where it is that of the heading's first, or of none in it.
  const isNamed = (own, i) => i || (own !== names[0] && names.includes(own));
  return once
    .map(({ name, doc }) => [names.includes(name) ? name : name.replace(/Impl$/, ""), doc])
    .map(([own, doc], i) => markdown.block(isNamed(own, i) ? `\`${own.replace(/^etude::/, "")}\`: ${doc}` : doc))
    .join("");
}

/** HTML whose inline code, names of C++ and Python, may be broken where their parts join. */
const partedCode = (html) =>
  html.replace(/(?<=<code>)[^<]+(?=<\/code>)/g, (code) => code.replace(/::|(?<=[^\W_])(?:\.(?=\w)|_(?=[^\W_]))/g, "$&<wbr>"));

/** The errors of a list, each without the full stop at its end: what stands between semicolons, and quoted sentences between commas. */
const apartErrors = (text) =>
  text
    .replace(/(`+)[^]*?\1|;\s+(?=`|those of)|,\s+(?:and |or )?(?=`[^`]* [^`]* [^`]*`)/g, (part, tick) => (tick ? part : "\0"))
    .split("\0")
    .map((one) => (/[.;] /.test(one.replace(/`[^`]*`/g, "")) ? one : one.replace(/\.$/, "")));

const apart = (texts) => (texts.length > 1 ? texts.map((one) => `<p>${one}</p>`).join("") : texts[0]);

function factList(example, { markdown, python, sourceLink, symbols: all }) {
  const { names, facts, symbols, extra } = example;
  const items = ["Shapes", "Units", "Errors"]
    .filter((key) => facts[key])
    .map((key) => [key, apart(facts[key].flatMap(key === "Errors" ? apartErrors : (one) => one).map((one) => markdown.inline(one.replace(/`[^`]*`|\[\*/g, (some) => (some === "[*" ? "[\\*" : some)))))]);
  const pytorch = facts.PyTorch
    ? facts.PyTorch.map((one) => pythonLinks(markdown.inline(one), python)).join("<br>")
    : extra
      ? "not in LibTorch"
      : pythonNames(names, python);
  items.push(["PyTorch", partedCode(pytorch)]);
  const first = [...symbols, all.get(names[0]), all.get(scope(names[0]))].find((one) => one?.file);
  if (first) {
    const header = `<code>${parted(first.file.replace(/^(framework\/extras|framework|layers)\//, ""))}</code>`;
    const address = sourceLink(first.file, first.line);
    items.push(["Header", address ? `<a href="${address}">${header}</a>` : header]);
  }
  return `<dl class="facts">${items.map(([key, value]) => `<dt>${key}</dt><dd>${value}</dd>`).join("\n")}</dl>`;
}

const pythonPage = (name, { pages }) =>
  pages.includes(name)
    ? `<a href="https://pytorch.org/docs/1.13/generated/${name}.html"><code>${name}</code></a>`
    : `<code>${name}</code>`;
const pythonLinks = (html, python) => html.replace(/<code>(torch[\w.]+)<\/code>/g, (_, name) => pythonPage(name, python));

/** What PyTorch calls an example's names: the same with `torch` in C++, and what Python has. */
function pythonNames(names, python) {
  const all = [...new Set(names.map((name) => python.names[name]).filter(Boolean))];
  const own =
    names.length > 1
      ? "the same names in <code>torch</code>"
      : `<code>${escapeHtml(names[0].replace(/^etude/, "torch"))}</code>`;
  return `C++: ${own}${all.length ? `<br>Python: ${all.map((name) => pythonPage(name, python)).join(", ")}` : ""}`;
}

/** The signatures of a member that has no entry of its own, such as an operator. */
const memberSignatures = (name, { symbols }) =>
  (symbols.get(scope(name))?.members ?? []).filter((one) => one.name === name).map(({ signature }) => wrapped(signature));

function entrySection(example, page, reference) {
  const { markdown, types } = reference;
  const { id, names, text, code, symbols, output, file, line } = example;
  if (output === undefined) throw new Error(`${file}:${line}: nothing is recorded for ${names.join(", ")}`);
  const taken = new Set([anchorOf(names[0])]); // operators have one anchor
  const heading = names.map((name) => {
    const symbol = reference.symbols.get(name);
    const isAnchor = symbol?.place === example && !taken.has(anchorOf(name));
    if (isAnchor) taken.add(anchorOf(name));
    const html = `<code${isAnchor ? ` id="${anchorOf(name)}"` : ""}>${parted(name)}</code>`;
    return symbol?.place && symbol.place !== example
      ? `<a class="name" href="api_${symbol.place.page.name}.html#${anchorOf(name)}">${html}</a>`
      : html;
  });
  const again = id.slice(anchorOf(names[0]).length + 1); // the second of two examples of one name
  const signatures = symbols
    .filter((one) => !optionsOf(one, types) && !(one.kind === "class" && one.name.endsWith("Impl") && one.owner))
    .flatMap(({ overloads }) => [...new Set(overloads.map(({ signature }) => wrapped(signature)))]) // Doxygen may list one twice
    .concat(names.filter((name) => !reference.symbols.has(name)).flatMap((name) => memberSignatures(name, reference)));
  const structs = symbols.map((one) => [one, optionsOf(one, types)]).filter(([, struct]) => struct);
  const tables = [...new Set(structs.map(([, { name }]) => name))].map((name) => {
    const same = structs.filter(([, struct]) => struct.name === name);
    return optionsTable(same.map(([one]) => one), same[0][1], reference);
  });
  const members = symbols
    .filter(({ kind }) => kind === "class" || kind === "enum")
    .filter((one) => !isOptions(one))
    .map((one) => memberList(one, reference))
    .filter(Boolean);
  const whole = [...tables, ...members].join("\n");
  return `<section class="cell entry" id="${id}" aria-labelledby="${id}-title"><div class="row">
<div class="docs"><h2 id="${id}-title">${heading.join(" ")}${again && ` (${again})`}</h2>
${docstrings(example, markdown)}${markdown.block(text)}${factList(example, reference)}</div>
<div class="code">${[
    signatures.length ? codeBlock(signatures.join("\n"), " signatures") : "",
    `<figure class="example"><figcaption>Example</figcaption>${codeBlock(code.join("\n"))}</figure>`,
    output
      ? `<figure class="shown"><figcaption>Output</figcaption><pre${focusable(output)}>${highlight(output, "text")}</pre></figure>`
      : "",
  ]
    .filter(Boolean)
    .join("\n")}</div>
</div>${whole && `<div class="whole">${whole}</div>`}</section>`;
}

/** A page of docs/examples; `reference` is `{symbols, types, python, markdown, sourceLink}`. */
export function entryPage(page, reference) {
  const { name, title, intro, file, examples } = page;
  if (!title) throw new Error(`${file}:1: no title: a block that begins with \`/// # Title\``);
  const { markdown } = reference;
  const items = examples.map(
    ({ id, names }) => `<li><a href="#${id}"><code>${escapeHtml(names[0].replace(/^etude::/, ""))}</code></a></li>`,
  );
  const description = intro || `${title}, by example.`;
  const body = `<nav class="contents" aria-label="On this page"><details>
<summary>On this page</summary>
<ol>
${items.join("\n")}
</ol>
</details></nav>
<main id="content">
<section class="row introduction"><div class="docs"><p class="eyebrow"><a href="api.html">API reference</a></p>
<h1>${markdown.inline(title)}</h1>
${markdown.block(intro)}</div><div class="code"></div></section>
${examples.map((example) => entrySection(example, page, reference)).join("\n")}
</main>
<footer><nav aria-label="Neighbouring pages"><a href="api.html"><span>Back to</span> All names</a></nav></footer>`;
  return document({ title: `${title} · Etude`, description, kind: "tutorial", body });
}

const shortName = (name) => name.replace(/^etude::/, "");

/** Of a function, its functional form and its module, only the first. */
const distinct = (symbols) => {
  const word = ({ name }) => last(name).toLowerCase().replaceAll("_", "");
  return symbols.filter((one, i) => symbols.findIndex((other) => word(other) === word(one)) === i);
};

/** The first page of the reference: its pages with their entries, and all names from A to Z. */
export function referenceIndex(pages, { symbols, markdown }) {
  const link = ({ name, page, anchor }) =>
    `<a href="api_${page}.html#${anchor}"><code>${parted(shortName(name))}</code></a>`;
  const places = placesOf(symbols).filter(({ name }) => symbols.has(name));
  const groups = pages.map(({ name, title, intro, examples }) => {
    const own = examples.flatMap((example) => distinct(example.symbols.filter(({ named, owner }) => named && !owner)));
    return `<section><h3 id="${name}"><a href="api_${name}.html">${markdown.inline(title)}</a></h3>
${markdown.block(intro.split("\n\n")[0])}${own.length ? `<p class="names">${own.map((one) => link(places.find((place) => place.name === one.name))).join(" ")}</p>` : ""}</section>`;
  });
  const key = ({ name }) => last(name).replace(/^operator\b|^k(?=[A-Z])|^_+/, "");
  const sorted = [...places].sort((a, b) => key(a).localeCompare(key(b), "en") || a.name.localeCompare(b.name, "en"));
  const letters = new Map();
  for (const place of sorted) {
    const letter = /[a-z]/i.exec(key(place))?.[0].toUpperCase() ?? "operators";
    letters.set(letter, [...(letters.get(letter) ?? []), place]);
  }
  const row = (place) =>
    `<tr><th scope="row">${link(place)}</th><td>${partedCode(markdown.inline(summaryOf(symbols.get(place.name)).replace(/:$/, ".")))}</td></tr>`;
  const tables = [...letters]
    .sort(([a], [b]) => a.localeCompare(b, "en"))
    .map(
      ([letter, all]) => `<h3 id="letter-${letter}">${letter}</h3>
<div class="table" tabindex="0" role="group" aria-label="Names: ${letter}"><table><tbody>${all.map(row).join("\n")}</tbody></table></div>`,
    );
  const body = `<main id="content">
<h1>API reference</h1>
<p>Every public name, with an example that is compiled and run. If LibTorch has the name, the example prints the same when it is compiled against LibTorch.</p>
<h2 id="subjects">By subject</h2>
<div class="subjects">${groups.join("\n")}</div>
<h2 id="names">All names</h2>
<nav class="letters" aria-label="Letters">${[...letters.keys()]
    .sort((a, b) => a.localeCompare(b, "en"))
    .map((letter) => `<a href="#letter-${letter}">${letter}</a>`)
    .join(" ")}</nav>
${tables.join("\n")}
</main>`;
  return document({
    title: "API reference · Etude",
    description: "Every public name of Etude, with signatures, shapes, errors and examples.",
    kind: "index",
    body,
  });
}
