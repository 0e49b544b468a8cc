// hint: WriteAStarBeforeTheLoader
#include "etude/etude.h"

using namespace etude;

struct Numbers : data::Dataset<Numbers> {
  data::Example<> get(size_t) override { return {ones({1}), ones({1})}; }
  optional<size_t> size() const override { return 8; }
};

int main() {
  auto loader = data::make_data_loader(Numbers(), 4);
#ifdef RIGHT
  for (auto& batch : *loader) print(batch.size());
#else
  for (auto& batch : loader) print(batch.size());  // error
#endif
}
