#include "cli/kept_instrumentation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/text.h"

namespace ricercar::inline cli {
namespace {

constexpr std::array link_time_options = {"-flto", "-ffat-lto-objects", "-fno-fat-lto-objects",
                                          "-fwhole-program", "-fvirtual-function-elimination"};

constexpr std::array removing_options = {"-fno-sanitize-thread-memory-access",
                                         "-fno-sanitize-thread-func-entry-exit",
                                         "-fno-sanitize-thread-atomics",
                                         "-fsanitize-ignorelist=",
                                         "-fsanitize-blacklist=",
                                         "-fsanitize-system-ignorelist=",
                                         "--param=tsan-instrument"};

// An option and its value in the next argument.
struct Pair {
  std::string_view option;
  std::string_view value;  // its beginning
};
constexpr std::array removing_pairs = {Pair{"-mllvm", "-tsan-"}, Pair{"-mllvm", "--tsan-"},
                                       Pair{"--param", "tsan-instrument"}, Pair{"-Xclang", "-flto"},
                                       Pair{"-Xclang", "-fno-sanitize"}};

constexpr std::string_view switch_off = "-fno-sanitize=";

std::vector<std::string> split_at_commas(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char character : list) {
    if (character == ',') {
      parts.emplace_back();
    } else {
      parts.back() += character;
    }
  }
  return parts;
}

class Keeper {
 public:
  explicit Keeper(const Command& arguments) : arguments_(arguments) {}

  KeptInstrumentation keep() {
    for (; position_ < arguments_.size(); ++position_) look_at(arguments_[position_]);
    return std::move(result_);
  }

 private:
  void look_at(const std::string& word) {
    if (starts_with_one_of(word, link_time_options)) {
      leave_out(word, "link-time optimisation would remove the instrumentation");
    } else if (starts_with_one_of(word, removing_options)) {
      leave_out(word, "it would remove the instrumentation");
    } else if (is_removing_pair(word)) {
      leave_out(word + " " + arguments_[++position_], "it would remove the instrumentation");
    } else if (word.starts_with(switch_off)) {
      keep_thread(word);
    } else {
      result_.arguments.push_back(word);
    }
  }

  bool is_removing_pair(const std::string& word) const {
    if (position_ + 1 == arguments_.size()) return false;
    const std::string& value = arguments_[position_ + 1];
    return std::any_of(removing_pairs.begin(), removing_pairs.end(), [&](const Pair& pair) {
      return word == pair.option && value.starts_with(pair.value);
    });
  }

  // -fno-sanitize=undefined,thread becomes -fno-sanitize=undefined.
  void keep_thread(const std::string& word) {
    std::string rest;
    for (const std::string& sanitizer : split_at_commas(word.substr(switch_off.size()))) {
      if (sanitizer == "all") forget_sanitizers();
      if (sanitizer == "all" || sanitizer == "thread") {
        leave_out(fmt::format("{}{}", switch_off, sanitizer),
                  "control needs the instrumentation of -fsanitize=thread");
      } else {
        rest += (rest.empty() ? "" : ",") + sanitizer;
      }
    }
    if (!rest.empty()) result_.arguments.push_back(std::string(switch_off) + rest);
  }

  // What `all` switches off is what stands before it.
  void forget_sanitizers() {
    std::erase_if(result_.arguments,
                  [](const std::string& word) { return word.starts_with("-fsanitize="); });
  }

  void leave_out(const std::string& option, std::string_view why) {
    const std::string note = fmt::format("{} is left out: {}", option, why);
    if (std::find(result_.notes.begin(), result_.notes.end(), note) == result_.notes.end()) {
      result_.notes.push_back(note);
    }
  }

  const Command& arguments_;
  std::size_t position_ = 0;
  KeptInstrumentation result_;
};

}  // namespace

KeptInstrumentation keep_instrumentation(const Command& arguments) {
  return Keeper(arguments).keep();
}

}  // namespace ricercar::inline cli
