// docs_figures: reads lines with a figure's name and its controls as JSON, and prints one line with the answer to each.

#include <iostream>
#include <string>

#include "figures.h"

int main() {
  std::string name, controls;
  while (std::cin >> name && std::getline(std::cin, controls))
    std::cout << figures::answer(name, controls) << '\n';
}
