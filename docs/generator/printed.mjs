// What a lesson printed, as numbers: the pictures are drawn from it.

/** A tensor as PyTorch prints it, from its first bracket on, as nested arrays of numbers. */
function tensorAt(text) {
  let depth = 0;
  const end = [...text].findIndex((sign) => (depth += (sign === "[") - (sign === "]")) === 0);
  return JSON.parse(text.slice(0, end + 1).replace(/(\d)\.(?!\d)/g, "$1.0"));
}

/** All tensors with a dim that were printed, in their order. */
export const tensors = (text) => [...text.matchAll(/tensor\((?=\[)/g)].map(({ index, 0: { length } }) => tensorAt(text.slice(index + length)));

/** All shapes that were printed, in their order. */
export const shapes = (text) => [...text.matchAll(/torch\.Size\((\[[^\]]*\])\)/g)].map(([, shape]) => JSON.parse(shape));

/** The shape of nested arrays. */
export const shapeOf = (tensor) => (Array.isArray(tensor) ? [tensor.length, ...shapeOf(tensor[0])] : []);

/** A number with as many digits as a picture has room for. */
export const short = (value) => String(Number(value.toFixed(2)));
