// Lights a symbol of a cell's formulas wherever it stands in the cell: in formulas, both codes, the output and figures. A symbol
// is one that the code names too: "ω" as omega, the "d" with the index "model" as d_model, "Q" as Q or q.
"use strict";
if (window.Highlight) {
  const greek = { α: "alpha", β: "beta", γ: "gamma", ϵ: "epsilon", ε: "epsilon", θ: "theta", λ: "lambda", μ: "mu", σ: "sigma", τ: "tau", ω: "omega" };
  const lit = new Highlight();
  CSS.highlights.set("symbol", lit);

  /** What a letter of a formula may be called in code, the closest first, and how the formula writes it; "Q" is q unless that is a letter too. */
  function namesOf(letter, letters) {
    const title = letter.textContent;
    const index = letter.nextElementSibling?.matches(".msupsub") ? letter.nextElementSibling.textContent.replace(/\u200b/g, "") : "";
    const titles = /^\w+$/.test(index) ? [`${title}_${index}`, title] : [title];
    return titles.flatMap((one) => [one, ...(letters.has(title.toLowerCase()) ? [] : [one.toLowerCase()])].map((name) => ({ title: one, name: name.replace(title, greek[title] ?? "$&") })));
  }

  /** Indices count, and mean something else where code counts too. */
  const isIndex = (letter) => letter.closest(".op-limits") || letter.closest(".msupsub")?.querySelector(":scope > .vlist-t2");

  /** Where the code of an element has a name, but for its comments and texts. */
  function placesIn(element, name) {
    const word = new RegExp(`(?<!\\w)${name}(?!\\w)`, "g");
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const places = [];
    while (walker.nextNode()) {
      const { currentNode: node } = walker;
      if (node.parentElement.closest(".hljs-comment, .hljs-string, style")) continue;
      for (const { index } of node.data.matchAll(word)) places.push(new StaticRange({ startContainer: node, startOffset: index, endContainer: node, endOffset: index + name.length }));
    }
    return places;
  }

  /** The symbols of a cell by their names in the code: `{title, letters}`, the letters being elements of its formulas. */
  function symbolsOf(cell) {
    const codes = [...cell.querySelectorAll("pre.cpp, .pytorch pre")];
    const symbols = new Map();
    const known = new Map();
    const isAlias = (name) => codes.some((code) => new RegExp(`^import .* as ${name}$`, "m").test(code.textContent)); // not the F of a formula
    const isNamed = (name) => known.get(name) ?? known.set(name, codes.some((code) => placesIn(code, name).length) && !isAlias(name)).get(name);
    const all = [...cell.querySelectorAll(".katex-html .mathnormal")];
    const letters = new Set(all.map((letter) => letter.textContent));
    for (const letter of all) {
      const found = !isIndex(letter) && namesOf(letter, letters).find(({ name }) => isNamed(name));
      if (!found) continue;
      if (!symbols.has(found.name)) symbols.set(found.name, { title: found.title, letters: [] });
      symbols.get(found.name).letters.push(letter);
    }
    return symbols;
  }

  function light(cell, name, letters) {
    lit.clear();
    const others = cell.querySelectorAll("pre.cpp, .pytorch pre, .output pre, .plot svg text");
    for (const range of [...others].flatMap((element) => placesIn(element, name))) lit.add(range);
    for (const letter of letters) {
      const range = new Range();
      range.selectNodeContents(letter);
      lit.add(range);
    }
  }

  for (const cell of document.querySelectorAll(".cell")) {
    const symbols = symbolsOf(cell);
    if (!symbols.size) continue;
    const row = document.createElement("p");
    row.className = "live symbols";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", said("Symbols in formulas and code"));
    let held = null; // the symbol that stays lit
    const show = (name) => (name ? light(cell, name, symbols.get(name).letters) : lit.clear());
    for (const [name, { title, letters }] of symbols) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = title;
      button.title = said("Light it in formulas, code and figures");
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        held = held === name ? null : name;
        for (const one of row.children) one.setAttribute("aria-pressed", String(one === button && held === name));
        show(held);
      });
      for (const element of [button, ...letters]) {
        element.addEventListener("pointerenter", () => show(name));
        element.addEventListener("pointerleave", () => show(held));
      }
      button.addEventListener("focus", () => show(name));
      button.addEventListener("blur", () => show(held));
      row.append(button);
    }
    cell.querySelector(".docs").append(row);
  }
}
