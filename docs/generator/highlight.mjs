// Colours source text at build time: HTML with the classes of highlight.js.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cmake from "highlight.js/lib/languages/cmake";
import cpp from "highlight.js/lib/languages/cpp";
import python from "highlight.js/lib/languages/python";
import { escapeHtml } from "./html.mjs";

export { escapeHtml };

for (const [name, language] of Object.entries({ bash, cmake, cpp, python })) hljs.registerLanguage(name, language);

const plain = new Set(["", "text", "console"]);

// highlight.js cannot know the names of classes; in our C++ they are the words in CamelCase.
function colourClasses(html) {
  const enclosing = [];
  return html.replace(/<span class="([^"]+)">|<\/span>|[^<]+/g, (part, scope) => {
    if (scope) enclosing.push(scope);
    else if (part === "</span>") enclosing.pop();
    else if (/^hljs-(function|params)$/.test(enclosing.at(-1) ?? "hljs-function"))
      return part.replace(/\b[A-Z][A-Z\d]*[a-z]\w*\b/g, '<span class="hljs-type">$&</span>');
    return part;
  });
}

/** `code` as HTML. Throws an Error if the language is none of C++, Python, Bash, CMake or plain text. */
export function highlight(code, language) {
  if (plain.has(language)) return escapeHtml(code);
  if (!hljs.getLanguage(language)) throw new Error(`no highlighting for the language "${language}"`);
  const html = hljs.highlight(code, { language }).value;
  // To highlight.js, `module` is a keyword of C++20; here it is a name.
  return language === "cpp" ? colourClasses(html.replaceAll('<span class="hljs-keyword">module</span>', "module")) : html;
}
