// The page that a host shows for an address where nothing is.
import { document } from "./page.mjs";

/**
 * `site` is as in page.mjs, `address` is that of the site or null; hosts show this page at any depth, so that its links begin at the root
 * of the host where the address is known.
 */
export function missingPage({ site, markdown, address }) {
  const folder = address ? new URL(address).pathname : "";
  const lessons = site.first ? [site.first, ...site.tutorials] : site.tutorials;
  const body = `<main id="content">
<p class="eyebrow">404</p>
<h1>There is no page at this address</h1>
<p>It may have another name now.<span class="searching" hidden> Search for what it was about with the button above or the key <kbd>/</kbd>.</span>
Go back to the <a href="${folder}index.html">first page</a>, or choose a lesson:</p>
<ol start="${site.first ? 0 : 1}">
${lessons.map(({ name, title }) => `<li><a href="${folder}${name}.html">${markdown.inline(title)}</a></li>`).join("\n")}
</ol>
</main>`;
  return document({ title: "No such page · Etude", description: "There is no page at this address. Search, or choose a lesson.", kind: "guide", body, folder });
}
