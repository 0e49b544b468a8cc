// Puts an SVG file into a page.
import { escapeHtml } from "./html.mjs";

/**
 * The `<svg>` element of `source`, as wide as its place and at most as wide as drawn; its ids begin with `prefix`, so
 * that two figures of a page cannot meet. `label` announces it unless it announces itself. Throws an Error if the file
 * is no SVG, holds a script or a link, or has styles for more than what is below its class.
 */
export function inlineSvg(source, prefix, label) {
  const [, attributes, content] = /<svg\b([^>]*)>([\s\S]*<\/svg>)/.exec(source) ?? [];
  if (content === undefined) throw new Error("not an SVG file");
  if (/<script|\son\w+\s*=|<foreignObject|href\s*=\s*["'](?!#)/i.test(source)) throw new Error("an SVG with a script or a link");
  refuseStrayStyle(attributes, content);

  const labelled = /\saria-label(ledby)?=/.test(attributes);
  const announcement = labelled ? "" : ` role="img" aria-label="${escapeHtml(label)}"`;
  const { viewBox, width } = extent(attributes);
  const kept = attributes.replace(/\s(width|height|viewBox|style)="[^"]*"/g, "");
  return prefixIds(
    `<svg${kept}${announcement} viewBox="${viewBox}" style="max-width: ${width}px">${followTheme(content.replace(/<!--[\s\S]*?-->/g, ""))}`,
    prefix,
  );
}

/** Throws an Error if a rule of the figure's style is for more than what is below the figure's class. */
function refuseStrayStyle(attributes, content) {
  const own = /\sclass="([\w-]+)"/.exec(attributes)?.[1];
  const style = (/<style>([\s\S]*?)<\/style>/.exec(content)?.[1] ?? "").replace(/@media[^{]*\{/g, "");
  const selectors = [...style.matchAll(/([^{}]+)\{[^{}]*\}/g)].flatMap(([, list]) => list.split(",").map((one) => one.trim()));
  const stray = selectors.find((one) => !own || !new RegExp(`^\\.${own}(?![\\w-])`).test(one));
  if (stray) throw new Error(`an SVG whose style for \`${stray}\` reaches the page around it`);
}

/** The dark colours of a figure are those of the page: chosen by the reader, or else by the system; never on paper. */
function followTheme(content) {
  return content.replace(/@media\s*\(prefers-color-scheme:\s*dark\)\s*\{((?:[^{}]*\{[^{}]*\})*\s*)\}/g, (_, rules) =>
    `@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${rules}}}@media screen{:root[data-theme=dark]{${rules}}}`);
}

function extent(attributes) {
  const value = (name) => new RegExp(`\\s${name}="([^"]+)"`).exec(attributes)?.[1];
  const viewBox = value("viewBox") ?? `0 0 ${parseFloat(value("width"))} ${parseFloat(value("height"))}`;
  const [, , width, height] = viewBox.split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) throw new Error("an SVG without viewBox, width and height");
  return { viewBox, width };
}

function prefixIds(svg, prefix) {
  const prefixed = (ids) => ids.split(" ").map((id) => `${prefix}-${id}`).join(" ");
  return svg
    .replace(/(\s(?:id|aria-labelledby|aria-describedby)=")([^"]+)"/g, (_, name, ids) => `${name}${prefixed(ids)}"`)
    .replace(/url\(#([^)]+)\)/g, (_, id) => `url(#${prefixed(id)})`)
    .replace(/(href=")#([^"]+)"/g, (_, name, id) => `${name}#${prefixed(id)}"`);
}
