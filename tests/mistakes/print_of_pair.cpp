// hint: NeedsOutputOperator
#include "etude/etude.h"

using namespace etude;

int main() {
  std::pair<int, int> pair(2, 3);
#ifdef RIGHT
  print(pair.first, pair.second);
#else
  print(pair);  // error
#endif
}
