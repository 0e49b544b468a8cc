#include "support/tex_text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>

#include "support/text.h"

namespace tutorials {
namespace {

const std::map<std::string, std::string>& symbols() {
  static const std::map<std::string, std::string> all{
      {"alpha", "α"},   {"beta", "β"},    {"gamma", "γ"},      {"delta", "δ"},
      {"Delta", "Δ"},   {"epsilon", "ε"}, {"varepsilon", "ε"}, {"eta", "η"},
      {"theta", "θ"},   {"lambda", "λ"},  {"mu", "μ"},         {"nu", "ν"},
      {"pi", "π"},      {"rho", "ρ"},     {"sigma", "σ"},      {"tau", "τ"},
      {"phi", "φ"},     {"varphi", "φ"},  {"omega", "ω"},      {"Omega", "Ω"},
      {"sum", "Σ"},     {"prod", "Π"},    {"int", "∫"},        {"partial", "∂"},
      {"nabla", "∇"},   {"infty", "∞"},   {"cdot", "·"},       {"times", "×"},
      {"pm", "±"},      {"odot", "⊙"},    {"otimes", "⊗"},     {"circ", "∘"},
      {"le", "≤"},      {"leq", "≤"},     {"ge", "≥"},         {"geq", "≥"},
      {"ne", "≠"},      {"neq", "≠"},     {"approx", "≈"},     {"equiv", "≡"},
      {"propto", "∝"},  {"sim", "∼"},     {"ll", "≪"},         {"gg", "≫"},
      {"in", "∈"},      {"to", "→"},      {"rightarrow", "→"}, {"mapsto", "↦"},
      {"top", "⊤"},     {"dots", "…"},    {"ldots", "…"},      {"cdots", "⋯"},
      {"ell", "ℓ"},     {"mid", "|"},     {"lfloor", "⌊"},     {"rfloor", "⌋"},
      {"lceil", "⌈"},   {"rceil", "⌉"},   {"langle", "⟨"},     {"rangle", "⟩"},
      {"S", "§"},       {"forall", "∀"},  {"exists", "∃"},     {"quad", "  "},
      {"qquad", "    "}};
  return all;
}

/// Sign by sign in raised or lowered letters, or empty if one of them has none.
std::string shifted(const std::string& text, bool raised) {
  static const std::map<std::string, std::string> up{
      {"0", "⁰"}, {"1", "¹"}, {"2", "²"}, {"3", "³"}, {"4", "⁴"}, {"5", "⁵"}, {"6", "⁶"},
      {"7", "⁷"}, {"8", "⁸"}, {"9", "⁹"}, {"+", "⁺"}, {"-", "⁻"}, {"(", "⁽"}, {")", "⁾"},
      {"n", "ⁿ"}, {"i", "ⁱ"}, {"t", "ᵗ"}, {"x", "ˣ"}, {"k", "ᵏ"}, {"⊤", "ᵀ"}, {"T", "ᵀ"}},
      down{{"0", "₀"}, {"1", "₁"}, {"2", "₂"}, {"3", "₃"}, {"4", "₄"}, {"5", "₅"},
           {"6", "₆"}, {"7", "₇"}, {"8", "₈"}, {"9", "₉"}, {"+", "₊"}, {"-", "₋"},
           {"=", "₌"}, {"i", "ᵢ"}, {"j", "ⱼ"}, {"k", "ₖ"}, {"l", "ₗ"}, {"m", "ₘ"},
           {"n", "ₙ"}, {"t", "ₜ"}, {"x", "ₓ"}, {"a", "ₐ"}, {"e", "ₑ"}, {"p", "ₚ"}};
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    const size_t bytes = first < 0x80 ? 1 : first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    const auto found = (raised ? up : down).find(text.substr(at, bytes));
    if (found == (raised ? up : down).end()) return "";
    out += found->second;
    at += bytes;
  }
  return out;
}

bool is_atom(const std::string& text) {
  return text.find_first_of(" +-/=,·") == std::string::npos;
}
std::string in_parentheses(const std::string& text) {
  return is_atom(text) ? text : "(" + text + ")";
}

/// Several factors below a line stand in parentheses: 1/(2π), but 1/d, 1/xᵢ, ∂y/∂x, 1/√d and 1/64.
std::string divisor(const std::string& text) {
  const bool number = text.find_first_not_of("0123456789.") == std::string::npos;
  const bool root = text.rfind("√", 0) == 0 && is_atom(text);
  const bool begins_with_digit =
      !text.empty() && std::isdigit(static_cast<unsigned char>(text[0]));
  const bool one = number || root || (count_characters(text) <= 2 && !begins_with_digit);
  return one ? text : "(" + text + ")";
}

const char* const kFunctions[] = {"sin", "cos", "tan", "tanh", "exp", "log",
                                  "ln",  "max", "min", "arg",  "det", "lim"};
bool is_function(const std::string& name) {
  return std::find(std::begin(kFunctions), std::end(kFunctions), name) != std::end(kFunctions);
}

class Reader {
 public:
  Reader(const std::string& tex, std::vector<std::string>* unknown)
      : tex_(tex), unknown_(unknown) {}

  /// Up to a closing brace, `\end`, or the end.
  std::string sequence() {
    std::string out;
    while (at_ < tex_.size() && tex_[at_] != '}' && tex_.compare(at_, 4, "\\end") != 0)
      out += item();
    return out;
  }

 private:
  std::string item() {
    const char c = tex_[at_];
    if (c == '\\') return command();
    if (c == '{') return group();
    ++at_;
    if (c == '^' || c == '_') return script(c == '^');
    if (c == '&') return "  ";
    if (c == '~' || c == '\n') return " ";
    return std::string(1, c);
  }

  std::string group() {
    ++at_;
    const std::string inside = sequence();
    if (at_ < tex_.size()) ++at_;
    return inside;
  }

  std::string argument() {
    while (at_ < tex_.size() && tex_[at_] == ' ') ++at_;
    return at_ < tex_.size() ? item() : "";
  }

  std::string script(bool raised) {
    const std::string what = argument(), small = shifted(what, raised);
    if (!small.empty()) return small;
    return (raised ? "^" : "_") + in_parentheses(what);
  }

  std::string name() {
    size_t end = ++at_;
    while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end]))) ++end;
    if (end == at_) ++end;
    const std::string found = tex_.substr(at_, end - at_);
    at_ = end;
    return found;
  }

  std::string environment() {
    const std::string kind = argument(), inside = sequence();
    if (at_ < tex_.size()) name(), argument();  // \end{...}
    const bool is_matrix = kind.find("matrix") != std::string::npos;
    return is_matrix ? "[" + inside + "]" : kind == "cases" ? "{ " + inside + " }" : inside;
  }

  std::string command() {
    const std::string n = name();
    static const char* const silent[] = {"left", "right", "big",  "Big",  "bigl",         "bigr",
                                         "Bigl", "Bigr",  "bigg", "Bigg", "displaystyle", "!"};
    static const char* const upright[] = {"text",    "operatorname", "mathrm", "mathbf",
                                          "mathrel", "mathcal",      "mathbb", "boldsymbol"};
    const auto is = [&](const auto& list) {
      return std::any_of(std::begin(list), std::end(list),
                         [&](const char* w) { return n == w; });
    };
    if (const auto found = symbols().find(n); found != symbols().end()) return found->second;
    if (is(silent)) return "";
    if (is(upright)) return argument();
    if (is_function(n)) return word(n);
    if (n == "frac" || n == "tfrac" || n == "dfrac") {
      const std::string above = argument(), below = argument();
      const std::string all = in_parentheses(above) + "/" + divisor(below);
      return before_a_factor() ? "(" + all + ")" : all;
    }
    if (n == "sqrt") return "√" + in_parentheses(argument());
    if (n == "bar" || n == "overline") return marked(argument(), "\u0304");
    if (n == "hat") return marked(argument(), "\u0302");
    if (n == "tilde") return marked(argument(), "\u0303");
    if (n == "begin") return environment();
    if (n == "\\") return "; ";
    if (n == "," || n == ";" || n == ":" || n == " ") return " ";
    if (n.size() == 1 && !std::isalpha(static_cast<unsigned char>(n[0]))) return n;  // \{ \% \_
    if (unknown_ != nullptr) unknown_->push_back(n);
    return n;
  }

  /// Whether a factor follows, which a/b c would seem to have below the line: a letter, a sum or a function.
  bool before_a_factor() const {
    size_t next = tex_.find_first_not_of(' ', at_);
    if (next == std::string::npos) return false;
    if (tex_[next] != '\\') return std::isalnum(static_cast<unsigned char>(tex_[next])) != 0;
    size_t end = ++next;
    while (end < tex_.size() && std::isalpha(static_cast<unsigned char>(tex_[end]))) ++end;
    const std::string name = tex_.substr(next, end - next);
    const auto symbol = symbols().find(name);
    const bool greek = symbol != symbols().end() &&
                       (symbol->second[0] == '\xCE' || symbol->second[0] == '\xCF');
    return greek || is_function(name);
  }

  /// The name of a function, apart from what follows it.
  std::string word(const std::string& n) const {
    const bool letter =
        at_ < tex_.size() &&
        (tex_[at_] == '\\' || std::isalnum(static_cast<unsigned char>(tex_[at_])));
    return letter ? n + " " : n;
  }

  static std::string marked(const std::string& text, const std::string& mark) {
    return text.size() <= 2 ? text + mark : "mean(" + text + ")";
  }

  const std::string& tex_;
  std::vector<std::string>* unknown_;
  size_t at_ = 0;
};

}  // namespace

std::string tex_text(const std::string& tex, std::vector<std::string>* unknown) {
  const std::string text = Reader(tex, unknown).sequence();
  const size_t begin = text.find_first_not_of(' '), end = text.find_last_not_of(' ');
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

}  // namespace tutorials
