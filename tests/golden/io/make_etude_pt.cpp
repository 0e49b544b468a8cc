// Writes the files etude_*.pt to a folder with Etude, for LibTorch to read in tests/framework/io/pt_test.cpp:
//   g++ -std=c++17 -Itests tests/golden/io/make_etude_pt.cpp -o make_etude_pt $(pkg-config --cflags --libs etude)
//   ./make_etude_pt tests/golden/io
#include "support/pt_examples.h"

int main(int, char** arguments) { etude::save_pt_examples(std::string(arguments[1]) + "/etude_"); }
