// What the pages can do besides, where scripts run: copy code, and take the focus only where a box scrolls.
for (const pre of document.querySelectorAll("pre")) {
  const button = document.createElement("button");
  button.className = "copy";
  button.type = "button";
  button.setAttribute("aria-label", "Copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.classList.add("copied");
      setTimeout(() => button.classList.remove("copied"), 1500);
    } catch {
      getSelection().selectAllChildren(pre); // no access: the text is at least selected
    }
  });
  const frame = document.createElement("div");
  frame.className = "copyable";
  pre.replaceWith(frame);
  frame.append(pre, button);
}

function takeFocus() {
  for (const box of document.querySelectorAll("pre, .plot, .table, .formula")) {
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    if (scrolls) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
takeFocus();
document.fonts.ready.then(takeFocus); // another font, another width
addEventListener("resize", takeFocus);
document.addEventListener("toggle", takeFocus, true);
