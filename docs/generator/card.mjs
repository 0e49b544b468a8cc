// Draws docs/card.png, the picture of a link to the site: node docs/generator/card.mjs CHROMIUM
//
// The weights are those that lesson 8 computes for the four words. Programs that show links want PNG, and a picture of letters needs
// a browser to be drawn; so it is drawn once, and kept.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";
import { tensors } from "./printed.mjs";
import { card } from "./share.mjs";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const [weights] = tensors(readFileSync(here("../../tutorials/expected/08_attention/softmax.txt"), "utf8"));
const words = ["the", "dog", "saw", "itself"];
const size = 104;
const most = Math.max(...weights.flat());
const cell = (weight, row, column) => `<g transform="translate(${column * size} ${row * size})">
<rect width="${size - 6}" height="${size - 6}" rx="10" fill="#1f5fbf" fill-opacity="${0.06 + (0.94 * weight) / most}"/>
<text x="${size / 2 - 3}" y="${size / 2 + 5}" text-anchor="middle" font-size="24" fill="${weight / most > 0.45 ? "white" : "#1d2228"}">${weight.toFixed(2)}</text></g>`;
const label = (word, i, x, y, anchor) => `<text x="${x}" y="${y}" text-anchor="${anchor}" font-size="25" fill="#57606c">${word}</text>`;
const html = `<style>body { margin: 0; background: #f5f6f8; font-family: "Inter", "Segoe UI", Arial, sans-serif }</style>
<svg xmlns="http://www.w3.org/2000/svg" width="${card.width}" height="${card.height}" viewBox="0 0 ${card.width} ${card.height}" font-family="inherit">
<rect width="100%" height="14" fill="#1f5fbf"/>
<g fill="#1d2228"><text x="70" y="240" font-size="112" font-weight="700" letter-spacing="-3">Etude</text>
<text x="74" y="312" font-size="36">Learn how a transformer works,</text><text x="74" y="360" font-size="36">from one number to a trained GPT</text></g>
<g fill="#57606c" font-size="27"><text x="74" y="438">In C++ that you can read and that</text><text x="74" y="476">prints what PyTorch prints</text></g>
<g transform="translate(725 135)">${weights.flatMap((row, i) => row.map((one, j) => cell(one, i, j))).join("")}
${words.map((word, i) => label(word, i, -14, i * size + 57, "end") + label(word, i, i * size + size / 2 - 3, -18, "middle")).join("")}</g>
</svg>`;
const browser = await chromium.launch({ executablePath: process.argv[2], args: ["--disable-gpu", "--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: card.width, height: card.height } });
await page.setContent(html);
await page.screenshot({ path: here("../card.png") });
await browser.close();
