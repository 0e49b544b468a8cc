// Text as HTML. This, svg.mjs and what draws pictures also run in the reader's browser.

/** A text with values in place of its marks: # stands for the next value, #2 for the second one. */
export function filled(text, ...values) {
  let next = 0;
  return text.replace(/#(\d)?/g, (mark, number) => values[number ? number - 1 : next++]);
}

export function escapeHtml(text) {
  const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character]);
}

/** A name or path as HTML that may be broken where its parts join; in a narrow window before capital letters, too. */
export const parted = (name) => escapeHtml(name).replace(/::|[/_](?=\w)|\.(?=\w{4})|(?<=[a-z\d]{3})(?=[A-Z][a-z])/g, (join) => `${join}<wbr${join ? "" : ' class="narrow"'}>`);
