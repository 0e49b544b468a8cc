// Markdown that a page would show as something else than what was meant: a line of prose that was broken before a number or a
// sign, so that a list begins there; half a formula; TeX outside of a formula.

const blocks = { bullet_list_open: "a list", ordered_list_open: "a list", heading_open: "a heading", blockquote_open: "a quotation", hr: "a rule" };
const isList = ({ type = "" } = {}, end) => /^(bullet|ordered)_list_/.test(type) && type.endsWith(end);

/** What is wrong with the tokens of markdown-it for the lines of a text: a list of `{line, message}`, lines counted from 0. */
export function proseFaults(tokens, lines) {
  const faults = [];
  const report = (line, message) => faults.push({ line, message });
  const numbers = []; // what the next item of each list that is open is called
  for (const [i, token] of tokens.entries()) {
    const { type, map, info } = token;
    const next = tokens[i + 1];
    if (type === "inline") inlineFaults(token, tokens[i - 1]).forEach((message) => report(map?.[0] ?? 0, message));
    if (type === "paragraph_close" && blocks[next?.type] && next.map[0] === tokens[i - 2].map[1] && !isNested(tokens, i + 1))
      report(next.map[0], `${blocks[next.type]} begins inside of a paragraph: ${lines[next.map[0]].trim()}`);
    if (isList(token, "_close") && isList(next, "_open")) report(next.map[0], `a list begins inside of another one: ${lines[next.map[0]].trim()}`);
    if (type === "heading_open" && /^[=-]/.test(token.markup)) report(map[0], `a line below a paragraph makes a heading of it: ${lines[map[0]].trim()}`);
    if (type === "fence" && !lines[map[1] - 1].trim().endsWith(token.markup)) report(map[0], "the code is never closed");
    if (isList(token, "_open")) numbers.push(type === "ordered_list_open" ? Number(token.attrGet("start") ?? 1) : undefined);
    if (isList(token, "_close")) numbers.pop();
    if (type === "list_item_open" && numbers.at(-1) !== undefined && Number(info) !== numbers[numbers.length - 1]++)
      report(map[0], `this item of a list has not the next number: ${lines[map[0]].trim()}`);
  }
  return faults;
}

/** Whether the list that opens at a token belongs to an item and has several items itself. */
function isNested(tokens, at) {
  const { level } = tokens[at];
  const end = tokens.findIndex((token, i) => i > at && token.level === level);
  return level > 0 && tokens.slice(at, end).filter((token) => token.type === "list_item_open" && token.level === level + 1).length > 1;
}

function inlineFaults({ children, content: whole }, before) {
  const faults = [];
  if (before?.type === "heading_open" && children.some(({ type }) => /^tex_/.test(type))) faults.push("a title holds a formula, which tabs and searches show as TeX");
  for (const { type, content } of children) {
    if (type === "text_special" && /^\\[a-zA-Z]/.test(content)) faults.push(`TeX outside of a formula: ${whole.trim()}`); // an escape that is none
    if (type !== "text") continue;
    if (/\$(?![\d\s]|$)|[^\s]\$/.test(content)) faults.push(`half a formula: ${content.trim()}`); // money has a number after it
    if (content.includes("`")) faults.push(`a backquote without another one: ${content.trim()}`);
    if (/[_^]\{/.test(content)) faults.push(`TeX outside of a formula: ${content.trim()}`);
  }
  return faults;
}
