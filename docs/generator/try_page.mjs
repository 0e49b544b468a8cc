// The page "Try it": small programs that a reader changes and runs. Its script is docs/live/try_page.mjs; without it the page
// has the programs and what they printed in the terminal.
import { cpSync, existsSync, readFileSync, readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { highlight } from "./highlight.mjs";
import { escapeHtml } from "./html.mjs";
import { parametersOf } from "./live_markup.mjs";
import { document } from "./page.mjs";

/** Programs that read files of a reader, and write files. */
const fileOf = { "13_checkpoint": "model.safetensors" };

/** A program's code in pieces: text, and the parameter that stands before the next text. */
export function piecesOf(code) {
  const parameters = parametersOf(code);
  const texts = code.split(/parameter\("(?:[^"\\]|\\.)*",[^)]*\)/);
  if (texts.length !== parameters.length + 1) throw new Error("a parameter of a program has a parenthesis in its text");
  return { texts, parameters };
}

function field(program, { name, kind, initial, least, most }) {
  const id = `${program}-${name}`;
  const limits = kind === "text" ? 'type="text" maxlength="2000"' : `type="number" min="${least}" max="${most}" step="${kind === "whole" ? 1 : "any"}" required`;
  return `<label for="${id}">${name}<input id="${id}" data-name="${name}" data-kind="${kind}" autocomplete="off" value="${escapeHtml(initial)}" ${limits}></label>`;
}

function programSection({ name, code, printed }, isLive) {
  const { texts, parameters } = piecesOf(code);
  const title = /^\/\/ (.+)\n/.exec(code)[1];
  const file = fileOf[name];
  const upload = file ? `<label for="${name}-file">A ${file} of yours<input type="file" id="${name}-file" data-file="${file}" accept=".safetensors"></label>` : "";
  const form = `<form class="needs-scripts" hidden data-texts="${escapeHtml(JSON.stringify(texts))}">
<div class="fields">${parameters.map((one) => field(name, one)).join("")}${upload}</div>
<div class="buttons"><button class="run">Run</button><button type="button" class="stop" disabled>Stop</button><button type="button" class="take">Copy</button> <span class="state" role="status"></span></div>
<p class="written"></p>
</form>`;
  return `<section class="program" id="${name}" aria-labelledby="${name}-title">
<h2 id="${name}-title">${escapeHtml(title)}</h2>
<div class="halves">
<pre class="listing" tabindex="0" aria-label="Program"><code>${highlight(code, "cpp")}</code></pre>
<div>${isLive ? form : ""}
<p class="caption">Recorded in the terminal</p>
<pre class="printed" tabindex="0" aria-label="What it prints">${escapeHtml(printed)}</pre></div>
</div>
</section>`;
}

/** The page as HTML; `programs` are {name, code, printed}. Without `isLive` it has no scripts. */
export function tryPage(programs, isLive) {
  const list = programs.map(({ name, code }) => `<li><a href="#${name}">${escapeHtml(/^\/\/ (.+?)(: |\n)/.exec(code)[1])}</a></li>`).join("");
  const body = `<main id="content">
<h1>Try it</h1>
<p>Small programs to begin with. ${isLive ? '<span class="needs-scripts" hidden>Change the values and run them here, as WebAssembly; nothing leaves the machine.</span> ' : ""}Copy a program to go on in your own editor: no compiler fits into a page.</p>
${isLive ? '<p class="needs-server" hidden>This page was opened from a file, and browsers do not let it run programs then. In the folder of the pages: <code>python3 -m http.server</code>, and open <code>http://localhost:8000/try.html</code>.</p>' : ""}
<nav aria-label="Programs"><ul class="programs">${list}</ul></nav>
${programs.map((one) => programSection(one, isLive)).join("\n")}
</main>`;
  return document({
    title: "Try it · Etude",
    description: "Small C++ programs to run in the page, with values of your own, and to copy.",
    kind: "try",
    body,
    scripts: `\n<link rel="stylesheet" href="try.css">${isLive ? '\n<script src="try.js" defer></script>' : ""}`,
  });
}

/** Writes the page, and what it loads, into the site, and returns what the first page says of it; nothing without a record. */
export function writeTry(site, { repository, record, isLive, write }) {
  if (!existsSync(join(record, "try"))) return "";
  const folder = join(repository, "docs/live/programs");
  const files = readdirSync(folder).filter((file) => file.endsWith(".cpp")).sort();
  const programs = files.map((file) => ({
    name: basename(file, ".cpp"),
    code: readFileSync(join(folder, file), "utf8"),
    printed: readFileSync(join(record, "try", `${basename(file, ".cpp")}.txt`), "utf8"),
  }));
  write("try", tryPage(programs, isLive));
  for (const name of ["try.js", "style/try.css"]) cpSync(fileURLToPath(new URL(name, import.meta.url)), join(site, basename(name)));
  return `<h2 id="try">Try it</h2>\n<p><a href="try.html">${programs.length} small programs</a> to run with values of your own, and to copy.</p>`;
}
