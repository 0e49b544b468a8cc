// Loads modules, in pages, workers and Node.

/// The WebAssembly.Module at an address. Not every server knows its type.
export async function compile(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  const is_typed = response.headers.get('content-type') === 'application/wasm';
  return is_typed ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

/// An instance of a module by the loader that emscripten made for it, like a program that was just started. `given` is what
/// the loader takes besides.
export const instantiate = (loader, compiled, given = {}) => new Promise((resolve, reject) => {
  loader({
    instantiateWasm(imports, done) {
      WebAssembly.instantiate(compiled, imports).then(done).catch(reject);  // the loader would wait for ever
      return {};
    },
    ...given,
  }).then(resolve, reject);
});
