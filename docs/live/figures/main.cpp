// docs_figures: reads lines of a figure's name and its controls, as JSON, and prints the answer to each in a line.

#include <iostream>
#include <string>

#include "figures.h"

int main() {
  std::string name, controls;
  while (std::cin >> name && std::getline(std::cin, controls))
    std::cout << figures::answer(name, controls) << '\n';
}
