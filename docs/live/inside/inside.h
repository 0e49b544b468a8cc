#pragma once

#include <string>

namespace inside {

/// Opens the model of a file. Throws Error if it is not one that examples::save_char_model wrote.
void open(const std::string& path);

/// Answers a question about the model, both as JSON. `name` says which:
/// - ask {text, without}: what the model computes from the text, without the parts named (examples::CharReading):
///   {pieces, ids, vectors, attention, blocks, next}, the guesses as {piece, share}, the best first
/// - learn {text, steps}: trains the model further on windows of the text: {losses}, one for each step
/// - write {text, count, temperature}: continues the text: {text}
/// Returns {"error": a sentence} on failure.
std::string answer(const std::string& name, const std::string& question);

}  // namespace inside
