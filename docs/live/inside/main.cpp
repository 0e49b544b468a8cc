// docs_inside MODEL: reads lines with a question's name and the question as JSON, and prints one line with each answer.
// docs_inside CHECKPOINT TEXT MODEL: makes a model of a checkpoint of char_gpt and the text that it learned.

#include <exception>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "inside.h"
#include "support/char_model.h"

int main(int argc, char** argv) try {
  if (argc == 4) {
    std::ostringstream text;
    text << std::ifstream(argv[2]).rdbuf();
    examples::save_char_model(argv[3], examples::char_model_of_checkpoint(argv[1], text.str()));
    return 0;
  }
  if (argc != 2) {
    std::cerr << "docs_inside MODEL, or docs_inside CHECKPOINT TEXT MODEL\n";
    return 2;
  }
  inside::open(argv[1]);
  std::string name, question;
  while (std::cin >> name && std::getline(std::cin, question))
    std::cout << inside::answer(name, question) << '\n';
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
