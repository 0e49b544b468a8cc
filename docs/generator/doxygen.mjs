// Reads what Doxygen found in the public headers: its XML, as symbols with signatures and docstrings.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DOMParser } from "@xmldom/xmldom";

const elements = (node) => [...(node?.childNodes ?? [])].filter(({ nodeType }) => nodeType === 1);
const children = (node, name) => elements(node).filter(({ nodeName }) => nodeName === name);
const child = (node, name) => children(node, name)[0];
const text = (node, name) => child(node, name)?.textContent.trim() ?? "";

/** C++ in the form that our sources have: `const Tensor& x`, `vector<Tensor>`. */
export function tidy(code) {
  return code
    .replace(/\s+/g, " ")
    .replace(/(?<!\b\d) ([&*]+)(?=[\w.)>,]|$)/g, "$1 ")
    .replace(/\b(\d) \*(?=\w)/g, "$1 * ")
    .replace(/([&*]) (?=[),>]|\.\.\.|$)/g, "$1")
    .replace(/(?<=\w) ([&*]+)(?=[),>])/g, "$1")
    .replace(/([\w>\]&*])< (?=\S)/g, "$1<")
    .replace(/(?<=\S) >/g, ">")
    .replace(/ ?= ?(default|delete|0)$/, " = $1")
    .replace(/(\w)=(?=[^=])/g, "$1 = ")
    .replace(/\)(?=&+( noexcept)?$)/, ") ")
    .replace(/(\w)&& (?=std::is_)/g, "$1 && ")
    .trim();
}

const marks = { computeroutput: "`", bold: "**", emphasis: "*" };

/** A description as Markdown; what is a mark there and was none here is escaped. */
function markdown(node) {
  let out = "";
  for (const part of [...(node?.childNodes ?? [])]) {
    const { nodeName } = part;
    if (part.nodeType === 3) out += part.data.replace(/\s+/g, " ").replace(/[\\*_<$[\]`]/g, "\\$&");
    else if (nodeName === "computeroutput") out += `\`${part.textContent}\``;
    else if (marks[nodeName]) out += marks[nodeName] + markdown(part) + marks[nodeName];
    else if (nodeName === "itemizedlist" || nodeName === "orderedlist")
      out += `\n\n${elements(part)
        .map((item) => `- ${markdown(item).trim().replace(/\n+/g, " ")}`)
        .join("\n")}\n\n`;
    else if (nodeName === "verbatim" || nodeName === "programlisting")
      out += `\n\n\`\`\`${nodeName === "verbatim" ? "" : "cpp"}\n${listing(part)}\n\`\`\`\n\n`;
    else if (nodeName === "parameterlist") out += parameters(part);
    else if (nodeName === "simplesect")
      out += `\n\n${part.getAttribute("kind") === "return" ? "Returns " : ""}${markdown(part).trim()}\n\n`;
    else if (nodeName === "para") out += `\n\n${markdown(part).trim()}\n\n`;
    else if (part.nodeType === 1)
      out += elements(part).length || part.textContent ? markdown(part) : (entities[nodeName] ?? "");
  }
  return out.replace(/\n{3,}/g, "\n\n");
}
const entities = { ndash: "–", mdash: "—", linebreak: "\n", sp: " " };

const listing = (node) =>
  node.nodeName === "verbatim"
    ? node.textContent.replace(/^\n|\n$/g, "")
    : children(node, "codeline")
        .map((line) => markdown(line).replace(/\\(.)/g, "$1"))
        .join("\n");

function parameters(list) {
  const throws = list.getAttribute("kind") === "exception";
  const items = children(list, "parameteritem").map((item) => {
    const names = [...item.getElementsByTagName("parametername")].map(({ textContent }) => `\`${textContent}\``).join(", ");
    return `- ${throws ? "Throws " : ""}${names}: ${markdown(child(item, "parameterdescription")).trim()}`;
  });
  return `\n\n${items.join("\n")}\n\n`;
}

const docOf = (node) =>
  ["briefdescription", "detaileddescription"]
    .map((name) => markdown(child(node, name)).trim())
    .filter(Boolean)
    .join("\n\n")
    .replace(/ al\.\n\n(?=\d)/g, " al. "); // where Doxygen sees the end of the brief description

function placeOf(node) {
  const location = child(node, "location");
  return { file: location?.getAttribute("file") ?? "", line: Number(location?.getAttribute("line") ?? 0) };
}

function templateOf(node) {
  const list = child(node, "templateparamlist");
  if (!list) return "";
  const all = children(list, "param").map((param) => {
    const value = text(param, "defval").replace(/\s+/g, " ");
    return `${tidy(text(param, "type"))} ${text(param, "declname")}`.trim() + (value ? ` = ${value}` : "");
  });
  return `template <${all.join(", ")}>\n`;
}

/** A member of a namespace or class: `{name, kind, signature, type, value, doc, file, line}`, `name` being qualified. */
function memberOf(node, scope, inClass) {
  const kind = node.getAttribute("kind");
  const own = text(node, "name").replace(/^operator \w.*/, (conversion) => tidy(conversion));
  const name = `${scope}::${own}`;
  const shown = inClass ? own : name;
  const type = tidy(text(node, "type").replace(/^(?:ETUDE_API|constexpr|inline)\s+/g, ""));
  const value = tidy(text(node, "initializer").replace(/^=\s*/, "")).replace(/(?<=\w)" "(?=\w)/g, ""); // "a" "b" is "ab"
  const prefix = ["static", "explicit"]
    .filter((word) => node.getAttribute(word) === "yes" && inClass)
    .map((word) => `${word} `)
    .join("");
  const values = children(node, "enumvalue").map((one) => ({
    name: `${name}::${text(one, "name")}`,
    kind: "value",
    signature: text(one, "name") + (text(one, "initializer") ? ` ${text(one, "initializer")}` : ""),
    doc: docOf(one),
    ...placeOf(node),
  }));
  const listed = inClass ? ` { ${values.map((one) => one.name.split("::").at(-1)).join(", ")} }` : ""; // others have an entry
  const words =
    kind === "function"
      ? `${prefix}${type ? `${type} ` : ""}${shown}${tidy(text(node, "argsstring")).replace(/\) ?->.*decltype.*$/, ")")}`
      : kind === "typedef"
        ? `using ${shown} = ${type}${text(node, "argsstring")}`
        : kind === "enum"
          ? `enum ${shown}${listed}`
          : `${prefix}${type} ${shown}${value ? ` = ${value}` : ""}`;
  return {
    name,
    kind,
    signature: templateOf(node) + words.trim(),
    type,
    value,
    doc: docOf(node),
    members: values,
    ...placeOf(node),
  };
}

// Doxygen takes the variables of a private union for public.
const isUsed = (node) => node.getAttribute("kind") !== "variable" || !text(node, "name").endsWith("_");

const publicMembers = (compound, scope, inClass) =>
  children(compound, "sectiondef")
    .flatMap((section) => children(section, "memberdef"))
    .filter((node) => node.getAttribute("prot") === "public" && node.getAttribute("kind") !== "friend")
    .filter((node) => !/=\s*delete$/.test(text(node, "argsstring")) && !child(node, "reimplements")) // the base class describes it
    .filter(isUsed)
    .map((node) => memberOf(node, scope, inClass));

/** The names of public bases, without template arguments. */
const basesOf = (compound) =>
  children(compound, "basecompoundref")
    .filter((one) => one.getAttribute("prot") === "public")
    .map(({ textContent }) => tidy(textContent));

/** Public members, and those of bases in a namespace `detail`, which have no entry of their own: not what makes or assigns a base. */
function membersOf(compound, name, classes) {
  const own = publicMembers(compound, name, true);
  const bases = basesOf(compound).map((base) => base.replace(/<.*/, "")).filter((base) => /(^|::)detail::/.test(base));
  const inherited = bases.flatMap((base) => {
    const found = classes.get(base) ?? classes.get(`${name.replace(/::\w+$/, "")}::${base}`);
    const constructor = base.split("::").at(-1);
    return found ? membersOf(found, name, classes).filter((one) => ![constructor, `~${constructor}`, "operator="].includes(one.name.split("::").at(-1))) : [];
  });
  return [...own, ...inherited.filter(({ name: one }) => !own.some((known) => known.name === one))];
}

/** A constructor that `using` takes from a base, with the name of the class. */
function underOwnName(member, name) {
  const own = name.split("::").at(-1);
  const called = member.name.slice(name.length + 2);
  const isInherited = member.kind === "function" && !member.type && called !== own && !/^(?:~|operator\b)/.test(called);
  if (!isInherited || name.includes("<")) return member;
  return { ...member, name: `${name}::${own}`, signature: member.signature.replace(`${called}(`, `${own}(`) };
}

function classOf(compound, classes) {
  const name = text(compound, "compoundname");
  const bases = basesOf(compound).filter((base) => !/(^|::)detail::/.test(base.replace(/<.*/, ""))).map((base) => `public ${base}`);
  const kind = compound.getAttribute("kind");
  const signature = `${templateOf(compound)}${kind} ${name}${bases.length ? ` : ${bases.join(", ")}` : ""}`;
  return {
    name,
    kind: "class",
    signature,
    doc: docOf(compound),
    members: membersOf(compound, name, classes).map((one) => underOwnName(one, name)),
    ...placeOf(compound),
  };
}

/** What the headers declare in namespaces: functions (each overload), aliases, enums, variables and classes with their public members. */
export function readDoxygen(folder) {
  const files = readdirSync(folder)
    .filter((name) => /^(?:namespace|class|struct)etude/.test(name))
    .sort();
  const compounds = files.map((file) => {
    const document = new DOMParser().parseFromString(readFileSync(join(folder, file), "utf8"), "text/xml");
    return child(document.documentElement, "compounddef");
  });
  const isNamespace = (compound) => compound.getAttribute("kind") === "namespace";
  const classes = new Map(compounds.filter((one) => !isNamespace(one)).map((one) => [text(one, "compoundname"), one]));
  return compounds
    .filter((compound) => !/private|protected/.test(compound.getAttribute("prot") ?? ""))
    .flatMap((compound) =>
      isNamespace(compound) ? publicMembers(compound, text(compound, "compoundname"), false) : [classOf(compound, classes)],
    );
}
