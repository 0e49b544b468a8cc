import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe-core finds wrong with a page, or a frame, as it is shown now: a list of sentences. */
export async function accessibilityFaults(frame, rules = {}) {
  if (!(await frame.evaluate(() => "axe" in window))) await frame.evaluate(axe);
  // Of what is right nothing is told: to name it takes longer than to look at it.
  const options = { preload: false, resultTypes: ["violations"], ...rules };
  // Not among axe's usual rules: what is touched is 24 pixels wide and high, or far enough from the next (WCAG 2.2).
  if (!options.runOnly) options.rules = { "target-size": { enabled: true }, ...options.rules };
  const violations = await frame.evaluate(async (of) => (await window.axe.run(document, of)).violations, options);
  return violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(" ")}`);
}
