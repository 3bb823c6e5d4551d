#include "cli/compiler_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/error.h"
#include "base/text.h"

namespace ricercar::inline cli {
namespace {

// What the linker puts functions of libricercar_program.a in front of: see program_gtest.cc. The
// package says the same (cmake/package.cmake).
constexpr const char* gtest_assertions =
    "-Wl,--wrap=_ZN7testing8internal12AssertHelperC1ENS_14TestPartResult4TypeEPKciS5_"
    ",--wrap=_ZNK7testing8internal12AssertHelperaSERKNS_7MessageE";

// Options whose value is the next argument.
constexpr std::array options_with_value = {"-o",
                                           "-x",
                                           "-I",
                                           "-L",
                                           "-l",
                                           "-D",
                                           "-U",
                                           "-A",
                                           "-B",
                                           "-T",
                                           "-u",
                                           "-z",
                                           "-e",
                                           "-MF",
                                           "-MT",
                                           "-MQ",
                                           "-include",
                                           "-imacros",
                                           "-isystem",
                                           "-idirafter",
                                           "-iprefix",
                                           "-iquote",
                                           "-iwithprefix",
                                           "-isysroot",
                                           "-iwithprefixbefore",
                                           "-imultilib",
                                           "-Xlinker",
                                           "-Xassembler",
                                           "-Xclang",
                                           "-Xpreprocessor",
                                           "-mllvm",
                                           "-target",
                                           "--param",
                                           "-aux-info",
                                           "-dumpbase",
                                           "-dumpdir",
                                           "-dumpbase-ext",
                                           "-wrapper",
                                           "--sysroot",
                                           "-arch",
                                           "-framework"};

constexpr std::array source_endings = {".c", ".cc", ".cp", ".cxx", ".cpp", ".CPP", ".c++", ".C",
                                       ".i", ".ii", ".m",  ".mm",  ".s",   ".S",   ".sx",  ".cppm"};
constexpr std::array header_endings = {".h",   ".hh",  ".H",   ".hp", ".hxx",
                                       ".hpp", ".HPP", ".h++", ".tcc"};

constexpr std::array compile_only_options = {
    "-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile"};

// Options that a compiler answers by itself, without any input.
constexpr std::array question_prefixes = {"--version", "-dump",    "--help",
                                          "-print-",   "--print-", "--target-help"};

// Sanitizers with a runtime of their own that takes over memory and threads.
constexpr std::array refused_sanitizers = {"address",  "hwaddress",       "kernel-address",
                                           "memory",   "kernel-memory",   "leak",
                                           "dataflow", "kernel-hwaddress"};

template <typename Table>
bool is_one_of(const std::string& text, const Table& table) {
  return std::find(table.begin(), table.end(), text) != table.end();
}

enum class Role { input, compile, link, both, language, output };

struct Item {
  Role role;
  Command words;  // one, or an option and its value
  bool is_source = false;
  std::string language;  // -x in force at an input
};

bool has_ending(const std::string& name, const auto& endings) {
  const std::size_t dot = name.rfind('.');
  return dot != std::string::npos && is_one_of(name.substr(dot), endings);
}

// Of no use when compiling, and some compilers warn about them there.
bool is_link_option(const std::string& option) {
  constexpr std::array whole = {"-shared",
                                "-static-libgcc",
                                "-static-libstdc++",
                                "-rdynamic",
                                "-pie",
                                "-no-pie",
                                "-nostdlib",
                                "-nodefaultlibs",
                                "-s",
                                "-r",
                                "-nostartfiles",
                                "-Xlinker",
                                "-T",
                                "-u",
                                "-z",
                                "-e",
                                "-l",
                                "-L"};
  constexpr std::array prefixes = {"-Wl,", "-l", "-L", "-fuse-ld="};
  return is_one_of(option, whole) || starts_with_one_of(option, prefixes);
}

void refuse(const std::string& option) {
  if (option == "-static" || option == "-static-pie") {
    throw UsageError(option +
                     " is not possible under control: the runtime replaces functions of shared "
                     "libraries; leave it out");
  }
  if (option == "-m32" || option == "-mx32") {
    throw UsageError(option + " is not possible under control: only 64-bit programs are");
  }
  constexpr std::string_view prefix = "-fsanitize=";
  if (!option.starts_with(prefix)) return;
  std::string rest = option.substr(prefix.size()) + ",";
  for (std::size_t comma = 0; (comma = rest.find(',')) != std::string::npos;) {
    const std::string sanitizer = rest.substr(0, comma);
    rest.erase(0, comma + 1);
    if (sanitizer == "thread") {
      throw UsageError(
          "leave out -fsanitize=thread: `ricercar c++` uses this instrumentation with "
          "a runtime of its own, and reports data races itself");
    }
    if (is_one_of(sanitizer, refused_sanitizers)) {
      throw UsageError(fmt::format(
          "-fsanitize={} does not mix with a program under control: both want to own its memory; "
          "leave it out (use of freed heap memory is reported without it)",
          sanitizer));
    }
  }
}

Role role_of(const std::string& option) {
  if (option == "-o") return Role::output;
  if (option.starts_with("-o") && !option.starts_with("-objc")) return Role::output;
  if (option.starts_with("-x")) return Role::language;
  if (is_link_option(option)) return Role::link;
  return Role::both;
}

class CommandReader {
 public:
  explicit CommandReader(const Command& arguments) : arguments_(arguments) {}

  std::vector<Item> read() {
    for (; position_ < arguments_.size(); ++position_) read_one(arguments_[position_]);
    return std::move(items_);
  }

 private:
  void read_one(const std::string& word) {
    if (only_inputs_ || word.size() < 2 || word[0] != '-') return add_input(word);
    if (word == "--") {
      only_inputs_ = true;
      return;
    }
    refuse(word);
    Item item{role_of(word), {word}, false, {}};
    if (is_one_of(word, options_with_value) && position_ + 1 < arguments_.size()) {
      item.words.push_back(arguments_[++position_]);
    }
    if (item.role == Role::language) return set_language(item.words);
    items_.push_back(std::move(item));
  }

  void set_language(const Command& words) {
    language_ = words.size() > 1 ? words[1] : words[0].substr(2);
    if (language_ == "none") language_.clear();
  }

  void add_input(const std::string& name) {
    const bool is_source =
        !language_.empty() || has_ending(name, source_endings) || has_ending(name, header_endings);
    items_.push_back({Role::input, {name}, is_source, language_});
  }

  const Command& arguments_;
  std::size_t position_ = 0;
  bool only_inputs_ = false;
  std::string language_;
  std::vector<Item> items_;
};

class Planner {
 public:
  Planner(const Toolchain& toolchain, std::vector<Item> items)
      : toolchain_(toolchain), items_(std::move(items)) {}

  std::vector<Command> plan() const {
    if (!has_inputs() || is_question()) return {as_given()};
    if (info(toolchain_.world).compiled == Compiled::as_it_is) return {not_instrumented()};
    if (is_compile_only()) return {compile_all()};
    std::vector<Command> commands;
    Command objects;
    for (const Item& item : items_) {
      if (!item.is_source) continue;
      objects.push_back(object_name(item.words[0], objects.size()));
      commands.push_back(compile_one(item, objects.back()));
    }
    commands.push_back(link(objects));
    return commands;
  }

 private:
  bool any(auto condition) const { return std::any_of(items_.begin(), items_.end(), condition); }
  bool has_option(const std::string& option) const {
    return any(
        [&](const Item& item) { return item.role != Role::input && item.words[0] == option; });
  }
  bool has_inputs() const {
    return any([](const Item& item) { return item.role == Role::input; });
  }
  bool is_question() const {
    return any([](const Item& item) {
      return item.role != Role::input && starts_with_one_of(item.words[0], question_prefixes);
    });
  }
  bool is_header(const Item& item) const {
    return item.role == Role::input &&
           (item.language.ends_with("-header") ||
            (item.language.empty() && has_ending(item.words[0], header_endings)));
  }
  bool is_compile_only() const {
    return any([&](const Item& item) {
      return is_header(item) ||
             (item.role != Role::input && is_one_of(item.words[0], compile_only_options));
    });
  }

  Command as_given() const {
    Command command = {toolchain_.compiler};
    for (const Item& item : items_) append(command, item);
    return command;
  }

  // Nothing is instrumented, so one command compiles and links.
  Command not_instrumented() const {
    Command command = as_given();
    const bool has_standard =
        any([](const Item& item) { return item.words[0].starts_with("-std="); });
    if (!has_standard) command.insert(command.begin() + 1, "-std=c++20");
    if (!has_debug_option()) command.insert(command.begin() + 1, "-g");
    add_include_folder(command);
    if (is_compile_only() || has_option("-r")) return command;
    const std::string& folder = toolchain_.library_folder;
    const std::string library(info(toolchain_.world).library);
    command.push_back("-L" + folder);
    if (toolchain_.has_network) command.emplace_back("-lricercar_network");
    command.insert(command.end(),
                   {"-l" + library, "-Wl,-rpath," + folder, "-Wl,--build-id", "-pthread"});
    return command;
  }

  // The language option, if any, goes directly before its input.
  static void append(Command& command, const Item& item) {
    if (!item.language.empty()) command.insert(command.end(), {"-x", item.language});
    command.insert(command.end(), item.words.begin(), item.words.end());
    if (!item.language.empty()) command.insert(command.end(), {"-x", "none"});
  }

  bool has_debug_option() const {
    return any([](const Item& item) {
      return item.role == Role::both && item.words[0].starts_with("-g") &&
             !item.words[0].starts_with("-gcc");
    });
  }

  // Assembly cannot be instrumented, and clang complains if it is asked to.
  static bool is_assembly(const Item& item) {
    constexpr std::array endings = {".s", ".S", ".sx"};
    return item.role == Role::input && item.language.empty() && has_ending(item.words[0], endings);
  }
  bool is_all_assembly() const {
    return !any([](const Item& item) { return item.role == Role::input && !is_assembly(item); });
  }

  // A local variable without a value would find what the runtime left on the stack, which is not
  // the same in the search and in a replay. So the compiler gives it one, unless the user says
  // which.
  void add_compile_options(Command& command, bool instruments) const {
    if (instruments) {
      command.insert(command.end(), {"-fsanitize=thread", "-ftrivial-auto-var-init=pattern"});
    }
    if (instruments && toolchain_.notes_blocks) {
      command.emplace_back("-fsanitize-coverage=trace-pc");
    }
    if (instruments && !toolchain_.is_clang) command.emplace_back("-Wno-tsan");
    if (!has_debug_option()) command.emplace_back("-g");
  }

  void add_include_folder(Command& command) const {
    if (!toolchain_.include_folder.empty()) command.push_back("-I" + toolchain_.include_folder);
  }

  Command compile_all() const {
    Command command = {toolchain_.compiler};
    add_compile_options(command, !is_all_assembly());
    for (const Item& item : items_) {
      if (item.role != Role::link) append(command, item);
    }
    add_include_folder(command);
    return command;
  }

  Command compile_one(const Item& source, const std::string& object) const {
    Command command = {toolchain_.compiler};
    add_compile_options(command, !is_assembly(source));
    for (const Item& item : items_) {
      if (item.role == Role::both) append(command, item);
    }
    add_include_folder(command);
    add_dependency_file(command, source);
    command.insert(command.end(), {"-c", "-o", object});
    append(command, source);
    return command;
  }

  // By default a dependency file is named after the object, which is a temporary here.
  void add_dependency_file(Command& command, const Item& source) const {
    if ((!has_option("-MD") && !has_option("-MMD")) || has_option("-MF")) return;
    command.insert(command.end(), {"-MF", stem(source.words[0]) + ".d"});
    if (!has_option("-MT") && !has_option("-MQ")) {
      command.insert(command.end(), {"-MT", stem(source.words[0]) + ".o"});
    }
  }

  static std::string stem(const std::string& path) {
    const std::string name = path.substr(path.rfind('/') + 1);
    return name.substr(0, name.rfind('.'));
  }

  std::string object_name(const std::string& source, std::size_t number) const {
    return fmt::format("{}/{}-{}.o", toolchain_.scratch_folder, number, stem(source));
  }

  Command link(const Command& objects) const {
    Command command = {toolchain_.compiler};
    // A relocatable link makes an object again, which is not the place for libraries.
    if (!has_option("-r")) add_runtime(command);
    auto object = objects.begin();
    for (const Item& item : items_) {
      if (item.is_source) {
        command.push_back(*object++);
      } else {
        command.insert(command.end(), item.words.begin(), item.words.end());
      }
    }
    return command;
  }

  // First of all libraries, because the first definition of a function wins, and kept even where
  // the linker drops libraries that nothing has asked for so far.
  void add_runtime(Command& command) const {
    if (!toolchain_.program_archive.empty() && !has_option("-shared")) {
      command.insert(command.end(), {"-Wl,--whole-archive", toolchain_.program_archive,
                                     "-Wl,--no-whole-archive", gtest_assertions});
    }
    command.insert(command.end(),
                   {"-L" + toolchain_.library_folder, "-Wl,--push-state,--no-as-needed",
                    "-lricercar", "-Wl,--pop-state", "-Wl,-rpath," + toolchain_.library_folder,
                    "-Wl,--build-id", "-pthread"});
  }

  const Toolchain& toolchain_;
  std::vector<Item> items_;
};

}  // namespace

std::vector<Command> plan_commands(const Toolchain& toolchain, const Command& arguments) {
  return Planner(toolchain, CommandReader(arguments).read()).plan();
}

}  // namespace ricercar::inline cli
