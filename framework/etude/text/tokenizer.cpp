#include "etude/text/tokenizer.h"

#include "etude/text/byte_pair_tokenizer.h"
#include "etude/text/character_tokenizer.h"
#include "etude/text/detail/tokenizer_file.h"
#include "etude/text/word_tokenizer.h"

namespace etude::text {

Tokenizer::~Tokenizer() = default;

std::unique_ptr<Tokenizer> load_tokenizer(const std::string& path) {
  const std::string kind = detail::read_tokenizer_file(path)["etude_tokenizer"];
  if (kind == "character") return std::make_unique<CharacterTokenizer>(CharacterTokenizer::load(path));
  if (kind == "word") return std::make_unique<WordTokenizer>(WordTokenizer::load(path));
  if (kind == "byte_pair") return std::make_unique<BytePairTokenizer>(BytePairTokenizer::load(path));
  throw Error(str(path, ": is a tokenizer of an unknown kind, \"", kind,
                  "\"\nhint: character, word and byte_pair are known"));
}

}  // namespace etude::text
