// What other programs show of a page: the card of a link (Open Graph), which needs the address of the site.
import { escapeHtml } from "./html.mjs";

/** The picture of every card, docs/card.png, which `node docs/generator/card.mjs` draws. */
export const card = { name: "card.png", width: 1200, height: 630, text: "Etude: attention of four words as a grid, and the words the dog saw itself" };

/** The address of the site with a slash at its end, or null for none. Throws an Error for what is no address. */
export function siteAddress(text) {
  if (!text) return null;
  if (!/^https?:\/\/[^\s/?#]+(\/[^\s?#]*)?$/.test(text)) throw new Error(`ETUDE_SITE is https://HOST/PATH, got ${text}`);
  return text.replace(/\/*$/, "/");
}

/** A page with its card; `name` is that of its file, and `address` what siteAddress gives. A picture has to be named with its host. */
export function withCard(html, name, address) {
  const title = /<title>(.*?)<\/title>/s.exec(html)[1].replace(/ · Etude$/, "");
  const [description, text] = /<meta name="description" content="(.*?)">/s.exec(html);
  const own = name === "index.html" ? "" : name;
  const rows = [
    ["og:site_name", "Etude"],
    ["og:type", own ? "article" : "website"],
    ["og:title", title],
    ["og:description", text],
    ...(address ? [["og:url", address + own], ["og:image", address + card.name], ["og:image:width", card.width], ["og:image:height", card.height], ["og:image:alt", escapeHtml(card.text)]] : []),
  ];
  const tags = rows.map(([property, content]) => `\n<meta property="${property}" content="${content}">`).join("");
  const canonical = address ? `\n<link rel="canonical" href="${address}${own}">` : "";
  return html.replace(description, () => `${description}${tags}\n<meta name="twitter:card" content="${address ? "summary_large_image" : "summary"}">${canonical}`);
}
