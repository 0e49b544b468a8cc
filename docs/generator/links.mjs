// Links from names to the API reference: those that stand as inline code, in C++ and in Python of a page.
import { last, scope } from "./api.mjs";
import { escapeHtml } from "./highlight.mjs";

// Names that containers of the standard library have too: a method of this name need not be Tensor's.
const standard = new Set("all any at begin clear count data end find get max min reset size str swap".split(" "));
const entities = { lt: "<", gt: ">", quot: '"', amp: "&", "#x27": "'" };
const unescape = (html) => html.replace(/&(lt|gt|quot|amp|#x27);/g, (_, name) => entities[name]);

/** What a source says about unqualified names: its namespace aliases and what it uses. */
export function scopeOf(source) {
  const found = (pattern) => [...source.matchAll(pattern)];
  const uses = found(/^\s*using ((?:\w+::)+\w+(?:, *(?:\w+::)+\w+)*);/gm).flatMap(([, list]) => list.split(/, */));
  return {
    aliases: {
      F: "etude::nn::functional",
      torch: "etude",
      ...Object.fromEntries(found(/^\s*namespace (\w+) = ([\w:]+);/gm).map(([, to, from]) => [to, from])),
    },
    uses: new Map(["etude::Tensor", "etude::print", ...uses].map((name) => [last(name), name])),
    namespaces: found(/^\s*using namespace ([\w:]+);/gm).map(([, name]) => name),
  };
}

/** Names that code uses as variables: not qualified, called or made an object of. */
function variablesOf(code) {
  return new Set([...code.matchAll(/(?<![\w.:>]|->)([a-z]\w*)\b(?!\s*(?:\(|::|<|\{))/g)].map(([, name]) => name));
}

/** What finds the place of a name: in C++, in Python, and alone as inline code. */
function nameFinder(places, pythonNames) {
  const python = new Map(
    Object.entries(pythonNames)
      .reverse()
      .map(([own, name]) => [name, own]),
  );
  const place = new Map(places.map((one) => [one.name, one]));
  const byLast = grouped(places);
  const methods = new Set(
    places.filter(({ name, member }) => member && scope(name) !== "etude::Tensor").map(({ name }) => last(name)),
  );

  const resolve = (name, { aliases }) => {
    const [head, ...rest] = name.split("::");
    const full = [aliases[head] ?? head, ...rest].join("::");
    return [full, `etude::${full}`, `etude::nn::${full}`].map((one) => place.get(one)).find(Boolean);
  };

  /** The name that ends a piece of C++, of which `before` and `after` are the rest. */
  const inContext = (outer, name, before, after, names) => {
    if (outer) return resolve(outer + name, names);
    if (/(?:->|::)\s*$/.test(before)) return null;
    if (/(?:^|[^.])\.\s*$/.test(before)) {
      return /^[(<]/.test(after) && !standard.has(name) && !methods.has(name) ? place.get(`etude::Tensor::${name}`) : null;
    }
    if (names.types && /^[A-Z]/.test(name)) return resolve(name, names);
    return place.get(names.uses.get(name)) ?? names.namespaces.map((one) => place.get(`${one}::${name}`)).find(Boolean);
  };
  const inCpp = (code, names) =>
    [...code.matchAll(/(?<!\w)((?:[A-Za-z_]\w*::)*)([A-Za-z_]\w*)/g)].flatMap(({ 1: outer, 2: name, index }) => {
      const begin = index + outer.length;
      const end = begin + name.length;
      const found = inContext(outer, name, code.slice(Math.max(0, index - 3), index), code.slice(end, end + 1), names);
      return found ? [{ begin, end, found }] : [];
    });

  const inPython = (code) =>
    [...code.matchAll(/(?<![\w.])(torch|nn|F|optim)((?:\.\w+)*\.)(\w+)/g)].flatMap(
      ({ 0: all, 1: head, 2: middle, 3: name, index }) => {
        const module = { torch: "torch", nn: "torch.nn", F: "torch.nn.functional", optim: "torch.optim" }[head];
        const found = place.get(python.get(module + middle + name));
        return found ? [{ begin: index + all.length - name.length, end: index + all.length, found }] : [];
      },
    );

  const inline = (code, names, variables) => {
    const name = code.replace(/\(\)$/, "");
    if (/^[\w]+(\.\w+)+$/.test(name)) return place.get(python.get(name));
    if (!/^~?\w+(::\w+)*$/.test(name)) return null;
    if (name.includes("::")) return resolve(name, names);
    if (name.length < 3 || name === "std" || variables.has(name)) return null;
    const all = byLast.get(name)?.filter((one) => !one.member || scope(one.name) === "etude::Tensor") ?? [];
    return (
      place.get(`etude::${name}`) ?? place.get(`etude::nn::${name}`) ?? (all.length === 1 && !all[0].member ? all[0] : null)
    );
  };

  return { inCpp, inPython, inline };
}

/**
 * `places` are the `{name, page, anchor, section}` of all names, `pythonNames` Python's name for Etude's. The result is
 * a function from the HTML of a page, `{source, page, folder}` to the same HTML with links: of each name the first in a
 * section's words and the first in its code.
 */
export function nameLinker(places, pythonNames) {
  const finder = nameFinder(places, pythonNames);
  return (html, { source = "", page = "", folder = "" }) => {
    let section = "";
    let seen = { words: new Set(), code: new Set() };
    const address = (found, kind) => {
      if (!found || (found.page === page && found.section === section) || seen[kind].has(found.name)) return null;
      seen[kind].add(found.name);
      return `${folder}api_${found.page}.html#${found.anchor}`;
    };
    const enter = (tag) => {
      section = /^<section.* id="([^"]+)"/.exec(tag)?.[1] ?? section;
      seen = { words: new Set(), code: new Set() };
    };
    return linkPieces(html.split(/(<[^>]*>)/), finder, scopeOf(source), address, enter);
  };
}

const anchor = (href, html) => `<a class="name" href="${escapeHtml(href)}">${html}</a>`;

/** A page in pieces of tags and text, with links; `enter` is told where a part begins. */
function linkPieces(pieces, finder, names, address, enter) {
  const variables = variablesOf(unescape(textOf(pieces)));
  const finderOf = (tag) => {
    if (!/class="cpp/.test(tag)) return isPython ? finder.inPython : () => [];
    return (code) => finder.inCpp(code, { ...names, types: tag.includes("signatures") });
  };
  const out = [];
  let closed = 0; // how many links and headings are around
  let isPython = false;
  for (let i = 0; i < pieces.length; ++i) {
    const tag = pieces[i];
    if (/^<(a|h[1-6]|summary)\b/.test(tag)) ++closed;
    if (/^<\/(a|h[1-6]|summary)>/.test(tag)) --closed;
    if (/^<(section|h2)\b/.test(tag)) enter(tag);
    if (/^<figure/.test(tag)) isPython = tag.includes('class="pytorch"');
    if (/^<pre\b/.test(tag)) {
      const end = pieces.indexOf("</pre>", i);
      out.push(...linkCode(pieces.slice(i, end), finderOf(tag), (found) => address(found, "code")));
      i = end - 1;
    } else if (tag === "<code>" && !closed && pieces[i + 2] === "</code>") {
      const href = address(finder.inline(unescape(pieces[i + 1]), names, variables), "words");
      const code = `<code>${pieces[i + 1]}</code>`;
      out.push(href ? anchor(href, code) : code);
      i += 2;
    } else {
      out.push(tag);
    }
  }
  return out.join("");
}

function grouped(places) {
  const groups = new Map();
  for (const one of places) groups.set(last(one.name), [...(groups.get(last(one.name)) ?? []), one]);
  return groups;
}

/** The C++ of a page, as text. */
function textOf(pieces) {
  let inside = false;
  return pieces
    .filter((piece) => {
      if (/^<pre class="cpp/.test(piece)) inside = true;
      if (piece === "</pre>") inside = false;
      return inside && !piece.startsWith("<");
    })
    .join("");
}

/** Highlighted code, in pieces of tags and text, with links where `find` sees a name that `address` gives a place. */
function linkCode(pieces, find, address) {
  const hidden = []; // the classes of the spans around
  const texts = pieces.map((piece) => {
    if (piece.startsWith("<span")) hidden.push(/hljs-(string|comment)/.test(piece) || hidden.at(-1));
    else if (piece === "</span>") hidden.pop();
    if (piece.startsWith("<")) return "";
    const text = unescape(piece);
    return hidden.at(-1) ? text.replace(/[^\n]/g, " ") : text;
  });
  const found = find(texts.join(""));
  let at = 0;
  return pieces.map((piece, i) => {
    const begin = at;
    at += texts[i].length;
    const inside = found.filter((one) => one.begin >= begin && one.end <= at);
    if (!inside.length) return piece;
    const text = unescape(piece);
    let done = 0;
    let html = "";
    for (const one of inside) {
      const href = address(one.found);
      if (!href) continue;
      html +=
        escapeHtml(text.slice(done, one.begin - begin)) +
        anchor(href, escapeHtml(text.slice(one.begin - begin, one.end - begin)));
      done = one.end - begin;
    }
    return html + escapeHtml(text.slice(done));
  });
}
