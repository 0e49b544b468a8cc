// Serves the files of a folder to a browser on this machine: node serve.mjs FOLDER
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

const types = {
  ".html": "text/html; charset=utf-8", ".css": "text/css", ".js": "text/javascript", ".mjs": "text/javascript",
  ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".woff2": "font/woff2",
};

/** Resolves to `{address, close}`; the address ends with a slash. Browsers may keep what they loaded. */
export async function serveFolder(folder) {
  const root = resolve(folder);
  const server = createServer((request, response) => {
    let file, found;
    try {
      const path = join(root, decodeURIComponent(new URL(request.url, "http://localhost").pathname));
      file = path.endsWith(sep) ? join(path, "index.html") : path;
      found = file.startsWith(root + sep) ? statSync(file, { throwIfNoEntry: false }) : undefined;
    } catch {
      return response.writeHead(400).end(); // no address, or none that a file can have
    }
    if (!found?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain", "content-length": found.size, "cache-control": "max-age=600" });
    createReadStream(file).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { address } = await serveFolder(process.argv[2] ?? "build/docs/site");
  console.log(address);
}
