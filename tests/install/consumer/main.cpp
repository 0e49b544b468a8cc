#include <etude/etude.h>

int main() {
  etude::manual_seed(0);
  etude::nn::Linear layer(3, 2);
  etude::print(layer);
  etude::print(layer(etude::ones({1, 3})));
}
