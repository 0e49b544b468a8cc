// Begins what the page "Inside a real model" does, where its modules load: from a server.
const isServed = location.protocol !== "file:";
for (const part of document.querySelectorAll(isServed ? ".needs-scripts" : ".needs-server")) part.hidden = false;
if (isServed) import(new URL("live/inside_page.mjs", document.currentScript.src));
