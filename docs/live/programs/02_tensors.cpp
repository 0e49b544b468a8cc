// Tensors: sizes, types, views and broadcasting
#include <etude/etude.h>

#include "parameter.h"

using etude::print;

int main() {
  const int64_t rows = parameter("rows", 3, 1, 10), columns = parameter("columns", 4, 1, 10);
  const etude::Tensor a = etude::arange(rows * columns).view({rows, columns});
  print(a);
  print(a.sizes(), a.dtype());
  print(a.t());  // the same memory, read in another order
  print(a.select(0, 0));

  // A column and a row: each is repeated along the dim that it lacks.
  const etude::Tensor column = etude::arange(rows).view({rows, 1}), row = etude::arange(columns);
  print(column * 10 + row);
  print(a.to(etude::kFloat).mean(1));
  return 0;
}
