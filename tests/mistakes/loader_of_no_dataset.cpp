// hint: InheritsDataDataset
#include "etude/etude.h"

using namespace etude;

#ifdef RIGHT
struct Numbers : data::Dataset<Numbers> {
#else
struct Numbers {
#endif
  data::Example<> get(size_t) { return {ones({1}), ones({1})}; }
  optional<size_t> size() const { return 8; }
};

int main() {
  auto loader = data::make_data_loader(Numbers(), 4);  // error
}
