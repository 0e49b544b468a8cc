// The API by example: reads docs/examples/*.cpp, a page each.
//
//   /// # Title             the first `///` block is the introduction
//   /// A sentence.         stands beside the example that follows it
//   EXAMPLE(etude::abs) {  the names that it shows, on several lines if need be; its code ends with a line `}`, or
//                          stands on the same line
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";

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

/** The files of a folder by page: `tensor.cpp` and `tensor_extra.cpp` are one. */
export function byPage(files) {
  const pages = new Map();
  for (const file of [...files].sort()) {
    const name = basename(file, ".cpp").replace(/_extra$/, "");
    pages.set(name, [...(pages.get(name) ?? []), file]);
  }
  return pages;
}

/**
 * The pages of docs/examples: `{name, file, title, intro, examples}`, an example being as parseExamples gives it, with its
 * `file`, `extra` if LibTorch has no such name, and `output`, what is recorded of it, undefined without.
 */
export function readPages(repository) {
  const folder = join(repository, "docs/examples");
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((name) => name.endsWith(".cpp"));
  return [...byPage(files)].map(([name, names]) => {
    const parsed = names.map((one) => {
      const file = `docs/examples/${one}`;
      const recorded = join(folder, "expected", one.replace(".cpp", ".txt"));
      const outputs = parseOutputs(existsSync(recorded) ? readFileSync(recorded, "utf8") : "");
      const { examples, ...page } = parseExamples(readFileSync(join(folder, one), "utf8"), file);
      const rest = { file, extra: one.endsWith("_extra.cpp") };
      return {
        ...page,
        file,
        examples: examples.map((example) => ({ ...example, ...rest, output: outputs.get(example.names.join(", ")) })),
      };
    });
    const { title, intro, file } = parsed.find((one) => one.title) ?? parsed[0];
    return { name, file, title, intro, examples: parsed.flatMap(({ examples }) => examples) };
  });
}
