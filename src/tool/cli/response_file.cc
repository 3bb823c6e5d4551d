#include <unistd.h>

#include <cctype>
#include <utility>

#include "base/error.h"
#include "base/files.h"
#include "cli/compiler_plan.h"

namespace ricercar::inline cli {
namespace {

constexpr std::size_t response_limit = std::size_t{64} << 20;
constexpr int depth_limit = 100;

// Words are separated by white space; quotes group, a backslash takes the next character as it is.
Command split_words(const std::string& text) {
  Command words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char character = text[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(character))) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
      continue;
    }
    in_word = true;
    if (character == '\\' && i + 1 < text.size()) {
      word += text[++i];
    } else if (character == quote) {
      quote = 0;
    } else if (quote == 0 && (character == '"' || character == '\'')) {
      quote = character;
    } else {
      word += character;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

void expand(const Command& arguments, int depth, Command& result) {
  if (depth > depth_limit) throw UsageError("response files (@file) include each other forever");
  for (const std::string& argument : arguments) {
    const std::string path = argument.size() > 1 && argument[0] == '@' ? argument.substr(1) : "";
    // A compiler takes @name as it is when there is no such file.
    if (path.empty() || ::access(path.c_str(), R_OK) != 0) {
      result.push_back(argument);
      continue;
    }
    expand(split_words(read_file(path, response_limit)), depth + 1, result);
  }
}

}  // namespace

Command expand_response_files(const Command& arguments) {
  Command result;
  expand(arguments, 0, result);
  return result;
}

}  // namespace ricercar::inline cli
