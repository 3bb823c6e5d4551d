// How text is laid out: colours, widths, lines. Widths count characters, not bytes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/execution_size.h"

namespace ricercar::inline report {

enum class Ink { plain, bold, faint, alarm, mark, lane };

class Painter {
 public:
  explicit Painter(bool colours) : colours_(colours) {}

  // `lane`: which of the thread colours, for Ink::lane.
  std::string paint(Ink ink, const std::string& text, std::size_t lane = 0) const;

 private:
  bool colours_;
};

std::size_t width_of(const std::string& text);
// At most `width` characters; the last three are dots if something was cut.
std::string cut_to(const std::string& text, std::size_t width);
// A place such as "src/queue/queue.cc:41" in at most `width` characters, if it can be: folders are
// left out from the front, the name and the line never.
std::string short_place(const std::string& place, std::size_t width);
// Filled up with spaces to at least `width` characters.
std::string padded(const std::string& text, std::size_t width);
// Lines of at most `width` characters, broken at spaces; all but the first are indented.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent);
// Control characters replaced, so that a program's output cannot do anything to the terminal.
std::string harmless(const std::string& text);
// As text in XML and HTML, without control characters.
std::string markup(const std::string& text);

// As a word of a command line that can be copied: in quotes if a shell would take it for anything
// else.
std::string shell_word(const std::string& text);

// 1234567 -> 1,234,567
std::string grouped(std::uint64_t number);
// 1 step, 2 steps
std::string counted(std::uint64_t count, const std::string& one);
// "a, b and c"
std::string enumerated(const std::vector<std::string>& words);

// "9 preemptions to 1, 52 steps to 30": what has changed. Empty: nothing.
std::string change_of_size(const ExecutionSize& before, const ExecutionSize& after);

}  // namespace ricercar::inline report
