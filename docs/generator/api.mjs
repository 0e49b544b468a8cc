// The model of the API reference: what the public headers declare (doxygen.mjs), what belongs to what, and which example
// shows it (examples.mjs).
//
//   node api.mjs --missing REPOSITORY [TEXT...]   what the reference lacks, of headers and pages whose path has one of the texts
//   node api.mjs --names REPOSITORY               all names, for python_names.py
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { readDoxygen } from "./doxygen.mjs";
import { readPages } from "./examples.mjs";

export const last = (name) => name.split("::").at(-1);
export const scope = (name) => name.slice(0, Math.max(0, name.lastIndexOf("::")));
const isOperator = (name) => /^operator\W/.test(last(name));

/** Runs Doxygen over the headers of a repository and returns the folder of its XML, a temporary one. */
export function runDoxygen(repository) {
  const folder = mkdtempSync(join(tmpdir(), "etude-doxygen-"));
  const settings = readFileSync(new URL("Doxyfile", import.meta.url), "utf8");
  execFileSync("doxygen", ["-"], {
    cwd: repository,
    input: `${settings}\nOUTPUT_DIRECTORY = ${folder}\n`,
    stdio: ["pipe", "ignore", "ignore"],
  });
  return join(folder, "xml");
}

/**
 * The symbols of the reference by their names, from what readDoxygen gives: `{name, kind, overloads, members, doc, owner}`.
 * `owner` is the symbol whose entry shows this one, too, unless an example names it; null for what needs an example of its own.
 *
 * Kept out are namespaces `detail`, specialisations, members of classes other than Tensor (they stand in the entry of
 * their class), names of the standard library, and what says "Private to the framework". Names that begin with `_` need no
 * example.
 */
export function symbolsOf(declarations) {
  const symbols = new Map();
  const add = (one) => {
    const known = symbols.get(one.name);
    if (known) known.overloads.push(one);
    else symbols.set(one.name, { name: one.name, kind: one.kind, members: [...one.members], overloads: [one] });
  };
  const classes = new Set(declarations.filter(({ kind }) => kind === "class").map(({ name }) => name));
  const isPublic = ({ name, type, doc }) =>
    name.startsWith("etude::") &&
    !/(^|::)detail::|</.test(name.replace(/operator.*/, "")) &&
    !classes.has(scope(name)) &&
    type !== `std::${last(name)}` &&
    !isPrivate(doc);
  declarations.filter(isPublic).forEach(add);
  for (const one of declarations.filter(({ kind, name }) => kind === "class" && !name.includes("<")))
    symbols.get(scope(one.name))?.members.push(one);
  const tensor = symbols.get("etude::Tensor");
  const isMethod = ({ name, kind, doc }) =>
    kind === "function" && !isPrivate(doc) && !/^(~?Tensor$|operator\W)/.test(last(name));
  const methods = tensor?.members.filter(isMethod) ?? [];
  if (tensor) tensor.members = tensor.members.filter((one) => !isMethod(one));
  for (const one of methods) add({ ...one, signature: one.signature.replace(`${last(one.name)}(`, `${one.name}(`) });
  spreadOperators(symbols);
  for (const symbol of symbols.values()) {
    symbol.members = symbol.members.filter(({ name, doc }) => !isPrivate(doc) && !last(name).startsWith("~"));
    symbol.doc = [...new Set(symbol.overloads.map(({ doc }) => doc).filter(Boolean))].join("\n\n");
    Object.assign(symbol, { file: symbol.overloads[0].file, line: symbol.overloads[0].line });
  }
  for (const symbol of symbols.values()) symbol.owner = ownerOf(symbol, symbols);
  return symbols;
}

const isPrivate = (doc) => doc.startsWith("Private to the framework");

/** Overloads of Tensor's operators that are about other classes stand in the entries of these. */
function spreadOperators(symbols) {
  const tensor = symbols.get("etude::Tensor");
  for (const symbol of [...symbols.values()].filter(({ name }) => isOperator(name))) {
    const operands = new Map(symbol.overloads.map((one) => [one, operandOf(one, symbols)]));
    if (![...operands.values()].includes(tensor)) continue;
    symbol.overloads = symbol.overloads.filter((one) => operands.get(one) === tensor || !operands.get(one)?.members.push(one));
  }
}

function ownerOf({ name, kind, overloads }, symbols) {
  const own = last(name);
  const outer = scope(name);
  const find = (...names) => names.map((one) => symbols.get(one)).find((one) => one && one.name !== name) ?? null;
  if (isOperator(name)) return operandOf(overloads[0], symbols) ?? find("etude::Tensor");
  if (kind === "typedef" && last(overloads[0].type) === own) return resolveFrom(outer, overloads[0].type, symbols);
  if (outer === "etude::enumtype" && kind === "class") return find(`etude::${own}`);
  if (own.endsWith("Impl")) return find(name.slice(0, -4)) ?? userOf(name, symbols);
  if (own.endsWith("Options")) return takerOf(name, symbols);
  if (kind !== "function") return null;
  const base = own.replace(/_(out)?$/, "");
  return find(
    ...(outer === "etude::Tensor" ? [`etude::${base}`, `etude::${own}`, `etude::Tensor::${base}`] : [`${outer}::${base}`]),
  );
}

/** The symbol that `name` means in a namespace: the innermost one. */
export function resolveFrom(outer, name, symbols) {
  for (let at = outer; at; at = scope(at)) if (symbols.has(`${at}::${name}`)) return symbols.get(`${at}::${name}`);
  return symbols.get(name) ?? null;
}

/** The class that an operator is about: the last one among the types of what it takes. */
function operandOf({ name, signature }, symbols) {
  const types = signature.slice(signature.indexOf(name)).match(/\b[A-Z]\w*(?=\W)/g) ?? [];
  const found = types.flatMap((type) => [...symbols.values()].filter((one) => one.kind === "class" && last(one.name) === type));
  return found.at(-1) ?? null;
}

/** What options belong to: the class of the same name, or else what takes them. */
function takerOf(name, symbols) {
  const { kind, members } = symbols.get(name);
  const byName = symbols.get(name.replace(/Options$/, ""));
  if (!byName) return userOf(name, symbols);
  return kind === "typedef" || members.some((one) => one.kind === "variable") ? byName : null;
}

/** The entry whose function takes a type, whose member does, or which is made from it. */
function userOf(name, symbols) {
  const word = new RegExp(`\\b${last(name)}\\b`);
  const near = [...symbols.values()].filter(
    (one) => scope(one.name) === scope(name) && one.name !== name && !isOperator(one.name),
  );
  const takes = ({ name: own, signature }) => word.test(signature.slice(signature.indexOf(last(own)) + last(own).length));
  for (const kind of ["function", "class", "typedef"]) {
    const found = near.find(
      (one) => one.kind === kind && (one.overloads.some(takes) || one.members.some(({ signature }) => word.test(signature))),
    );
    if (found) return found;
  }
  return null;
}

/** The symbol in whose entry another stands: the owner of its owner, and so on. */
export function homeOf(symbol) {
  return symbol.owner ? homeOf(symbol.owner) : symbol;
}

/**
 * Gives every symbol its place: the first example whose list begins with its name, else the first that names it, else that
 * of its owner. Each example gets `symbols`, those that have their place there, and `id`, its anchor on the page.
 */
export function placeSymbols(symbols, pages) {
  for (const page of pages) {
    const taken = new Set();
    for (const example of page.examples) {
      const id = anchorOf(example.names[0]);
      example.id = id;
      for (let i = 2; taken.has(example.id); ++i) example.id = `${id}_${i}`;
      taken.add(example.id);
      Object.assign(example, { page, symbols: [] });
    }
  }
  const examples = pages.flatMap((page) => page.examples);
  const place = (symbol, example) => {
    if (!symbol || symbol.place) return;
    Object.assign(symbol, { place: example, named: example.names.includes(symbol.name) });
    example.symbols.push(symbol);
  };
  for (const example of examples) place(symbols.get(example.names[0]), example);
  for (const example of examples) example.names.forEach((name) => place(symbols.get(name), example));
  const inherit = (symbol) => {
    if (!symbol.place && symbol.owner) {
      inherit(symbol.owner);
      if (symbol.owner.place) place(symbol, symbol.owner.place);
    }
  };
  for (const symbol of symbols.values()) inherit(symbol);
}

export const anchorOf = (name) => name.replace(/[^\w]+/g, "_");

/** Where every name is, members of classes too: `{name, page, anchor, section, member}` of what has a place. */
export function placesOf(symbols) {
  const shown = [...symbols.values()].filter(({ place }) => place);
  const own = shown.map((symbol) => ({
    ...spot(symbol.place, symbol.named ? symbol.name : ""),
    name: symbol.name,
    member: symbol.name.startsWith("etude::Tensor::"),
  }));
  const members = shown.flatMap(({ name, place, members }) =>
    [name, name.replace(/Impl$/, "")].flatMap((outer) =>
      members.map((one) => ({ ...spot(place, ""), name: `${outer}::${last(one.name)}`, member: true })),
    ),
  );
  const seen = new Set(own.map(({ name }) => name));
  return [...own, ...members.filter(({ name }) => !seen.has(name) && seen.add(name))];
}

const spot = ({ page, id, names }, name) => ({
  page: page.name,
  section: id,
  anchor: name && name !== names[0] ? anchorOf(name) : id,
});

/**
 * What the search finds: `{name, page, anchor, text, errors}` of every name that has a place, `text` its docstring's first
 * sentence; the errors of an example belong to the first of its names.
 */
export function entriesOf(symbols) {
  return placesOf(symbols)
    .filter(({ name }) => symbols.has(name) && !(name.endsWith("Impl") && symbols.get(name).owner))
    .map(({ name, page, anchor }) => {
      const { names, facts } = symbols.get(name).place;
      return { name, page: `api_${page}`, anchor, text: summaryOf(symbols.get(name)), errors: name === names[0] ? facts.Errors : [] };
    });
}

/** The name that functions in place and into a tensor, modules and options share with what they belong to. */
const family = (name) => last(name).replace(/_out$|_$|Impl$|(Func)?Options$/, "").toLowerCase().replaceAll("_", "");

/**
 * The first sentence of a docstring: its own, that of its module or function, or what its example says. No point or colon ends it that is
 * within code, or part of "..." or "et al.".
 */
export function summaryOf({ name, doc, place }) {
  const docs = place?.symbols.filter((one) => one.doc) ?? [];
  const kin = docs.filter((one) => family(one.name) === family(name));
  const text = doc || kin.find((one) => one.name === `${name}Impl`)?.doc || kin[0]?.doc || place?.text || docs[0]?.doc || "";
  return /^(?:`[^`]*`|[^`])*?(?<!\bet al|\.)[.:](?=\s|$)|^[^]*$/.exec(text.split("\n\n")[0])[0].replace(/\s+/g, " ");
}

/** Whether a tensor is among what a symbol takes, gives or is made of. */
const hasTensor = (symbol) =>
  symbol?.overloads.some(({ signature, kind }) => kind !== "class" && /\bTensor\b/.test(signature.replaceAll(symbol.name, "")));

/** Whether a class has a member of this name, or the class that it holds. */
const isMember = (name, symbols) =>
  [scope(name), `${scope(name)}Impl`].some((one) =>
    symbols.get(one)?.members.some((member) => last(member.name) === last(name)),
  );

/** Everything that the reference lacks, `{file, line, text}`. */
export function missingPieces(symbols, pages) {
  const shown = new Set(pages.flatMap(({ examples }) => examples).flatMap(({ names }) => names));
  const missing = [];
  for (const { name, file, line, owner } of symbols.values()) {
    if (!shown.has(name) && !owner && !/^_/.test(last(name))) missing.push({ file, line, text: `${name} has no example` });
  }
  for (const { file, line, names, text, facts } of pages.flatMap(({ examples }) => examples)) {
    const lacks = (what) => missing.push({ file, line, text: `EXAMPLE(${names.join(", ")}) has no ${what}` });
    const found = names.map((name) => symbols.get(name));
    for (const [i, name] of names.entries())
      if (!found[i] && !isMember(name, symbols))
        missing.push({ file, line, text: `EXAMPLE names ${name}, which no public header declares` });
    if (!text && !found.some((symbol) => symbol?.doc || symbols.get(`${symbol?.name}Impl`)?.doc))
      lacks("words, and no docstring of its symbols either");
    if (!facts.Errors) lacks("`- Errors: ...`");
    if (
      !facts.Shapes &&
      found.some(
        (symbol) =>
          hasTensor(symbol) ||
          symbols
            .get(`${symbol?.name}Impl`)
            ?.members.some(({ name, signature }) => last(name) === "forward" && /\bTensor\b/.test(signature)),
      )
    )
      lacks("`- Shapes: ...`");
    if (!facts.PyTorch && file.endsWith("_extra.cpp")) lacks("`- PyTorch: ...`");
  }
  return missing;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [option, repository, ...texts] = process.argv.slice(2);
  if (!/^--(missing|names)$/.test(option) || !repository) {
    console.error("usage: node api.mjs --missing REPOSITORY [TEXT...], or node api.mjs --names REPOSITORY");
    process.exit(2);
  }
  const xml = runDoxygen(resolve(repository));
  const symbols = symbolsOf(readDoxygen(xml));
  rmSync(join(xml, ".."), { recursive: true });
  if (option === "--names") {
    console.log([...symbols.keys()].join("\n"));
  } else {
    const missing = missingPieces(symbols, readPages(resolve(repository)));
    const chosen = missing.filter(({ file }) => !texts.length || texts.some((text) => file.includes(text)));
    for (const { file, line, text } of chosen) console.log(`${file}:${line}: ${text}`);
    console.log(`${chosen.length} missing`);
    process.exitCode = chosen.length ? 1 : 0;
  }
}
