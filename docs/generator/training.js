// Begins what the page on which models learn does, where its modules load: from a server.
const isServed = location.protocol !== "file:";
for (const part of document.querySelectorAll(isServed ? ".needs-scripts" : ".needs-server")) part.hidden = false;
if (isServed) {
  document.documentElement.classList.add("learns");
  import(new URL("live/train_page.mjs", document.currentScript.src));
}
