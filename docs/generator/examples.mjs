// The API by example: reads docs/examples/*.cpp, a page each.
//
//   /// # Title             the first `///` block is the introduction
//   /// A sentence.         stands beside the example that follows it
//   EXAMPLE(etude::abs) {  the names that it shows, on several lines if need be; its code ends with a line `}`, or
//                          stands on the same line
import { basename } from "node:path";
import { highlight } from "./highlight.mjs";
import { focusable } from "./markdown.mjs";
import { document } from "./page.mjs";

/** The words beside an example and the list of facts that ends them: `{text, facts}`. */
function splitFacts(lines) {
  const begin = lines.findIndex((line) => fact.test(line));
  const words = begin < 0 ? lines : lines.slice(0, begin);
  const facts = {};
  let key = "";
  for (const line of lines.slice(words.length).filter((one) => one.trim())) {
    const [, name, value] = fact.exec(line) ?? [];
    key = name ?? key;
    facts[key] = name ? [...(facts[key] ?? []), value] : [...facts[key].slice(0, -1), `${facts[key].at(-1)} ${line.trim()}`];
  }
  return { text: words.join("\n").trim(), facts };
}
const fact = /^- (Shapes|Units|Errors|PyTorch): (.+)$/;

/** `{title, intro, examples}` of a file, an example being `{names, text, facts, code, line}`, a fact a list of its lines. Throws an Error with `file:line:`. */
export function parseExamples(source, file) {
  const fail = (line, message) => {
    throw new Error(`${file}:${line}: ${message}`);
  };
  const page = { title: "", intro: "", examples: [] };
  let text = [];
  let head = null; // the lines of an EXAMPLE whose `{` has not come yet
  let example = null;
  for (const [i, line] of source.split("\n").entries()) {
    const comment = /^\/\/\/(?: (.*))?$/.exec(line);
    if (example) {
      if (line === "}") example = null;
      else example.code.push(line.replace(/^ {2}/, ""));
    } else if (head || line.startsWith("EXAMPLE(")) {
      head = { text: head ? `${head.text} ${line.trim()}` : line, line: head?.line ?? i + 1 };
      const [, names, code] = /^EXAMPLE\(([^()]*)\) \{(?: (.*) \})?$/.exec(head.text) ?? [];
      if (!names) continue;
      const whole = { names: names.split(/,\s*/), ...splitFacts(text), code: code ? [code] : [], line: head.line };
      page.examples.push(whole);
      example = code ? null : whole;
      head = null;
      text = [];
    } else if (comment) {
      text.push(comment[1] ?? "");
    } else {
      if (text[0]?.startsWith("# ")) Object.assign(page, { title: text[0].slice(2), intro: text.slice(1).join("\n").trim() });
      text = [];
    }
  }
  if (head) fail(head.line, `expected \`EXAMPLE(names) {\`, got \`${head.text.trim().slice(0, 60)}\``);
  if (example) fail(example.line, "the example does not end: a line `}`");
  if (!page.examples.length) fail(1, "no example: `EXAMPLE(names) {`");
  return page;
}

/** What each example printed, by its names, from the recording of a file. */
export function parseOutputs(text) {
  const outputs = new Map();
  for (const part of text.split(/^== /m).slice(1)) {
    const [names, ...lines] = part.split("\n");
    outputs.set(names, lines.join("\n").replace(/\n+$/, ""));
  }
  return outputs;
}

/** The page of a file: `files` are its examples and those of its `_extra`, `{file, source, output}`. Gives `{name, title, html, description}`. */
export function examplesPage(name, files, markdown) {
  const parsed = files.map(({ file, source, output }) => ({ file, ...parseExamples(source, file), outputs: parseOutputs(output) }));
  const { title, intro } = parsed[0];
  if (!title) throw new Error(`${files[0].file}:1: no title: a block that begins with \`/// # Title\``);
  const rows = parsed.flatMap(({ file, examples, outputs }) =>
    examples.map(({ names, text, code, line }) => {
      const printed = outputs.get(names.join(", "));
      if (printed === undefined) throw new Error(`${file}:${line}: nothing is recorded for ${names.join(", ")}`);
      const id = names[0].replace(/[^\w]+/g, "_");
      const own = /_extra\.cpp$/.test(file) ? "<p><em>LibTorch has no such name.</em></p>" : "";
      return `<section class="cell" id="${id}" aria-labelledby="${id}-title"><div class="row">
<div class="docs"><h2 id="${id}-title">${names.map((one) => `<code>${one}</code>`).join(" ")}</h2>
${markdown.block(text)}${own}</div>
<div class="code"><pre class="cpp"${focusable(code.join("\n"))}><code>${highlight(code.join("\n"), "cpp")}</code></pre>
${printed ? `<figure class="shown"><figcaption>Output</figcaption><pre${focusable(printed)}>${highlight(printed, "text")}</pre></figure>` : ""}</div>
</div></section>`;
    }),
  );
  const entries = parsed.flatMap(({ examples }) => examples.flatMap(({ names, text }) =>
    names.map((one) => ({ name: one, page: `api_${name}`, anchor: names[0].replace(/[^\w]+/g, "_"), text }))));
  const description = intro || `${title}, by example.`;
  const body = `<main id="content">
<section class="row introduction"><div class="docs"><p class="eyebrow">The API by example</p>
<h1>${markdown.inline(title)}</h1>
${markdown.block(intro)}</div><div class="code"></div></section>
${rows.join("\n")}
</main>
<footer><nav aria-label="Neighbouring pages"><a href="index.html"><span>Back to</span> All lessons and guides</a></nav></footer>`;
  return { name, title, description, html: document({ title: `${title} · Etude`, description, kind: "tutorial", body }), names: parsed.flatMap(({ examples }) => examples.flatMap(({ names }) => names)), entries };
}

/** The files of a folder by page: `tensor.cpp` and `tensor_extra.cpp` are one. */
export function byPage(files) {
  const pages = new Map();
  for (const file of [...files].sort()) {
    const name = basename(file, ".cpp").replace(/_extra$/, "");
    pages.set(name, [...(pages.get(name) ?? []), file]);
  }
  return pages;
}
