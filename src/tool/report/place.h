// Places in the source, for reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::inline report {

struct Frame {
  std::string function;  // demangled and shortened, without parameters; empty: unknown
  std::string file;      // relative to the working folder if it is below it; empty: unknown
  unsigned line = 0;
  std::string module;  // the file name of the program or library
  // Code of the user's, as opposed to the standard library's and Ricercar's.
  bool is_users = false;
  // Without a line: from the function's start on, or in the module if the function is unknown.
  std::uint64_t offset = 0;
};

// A place as a reader wants it: the innermost call of the user's own.
struct Place {
  Frame frame;
  std::string short_file;  // how the report calls the file
  std::string text;        // the source line
  // The function of a library that the line calls, if that is where it happened; else empty.
  std::string inside;

  bool is_known() const { return !frame.file.empty(); }
  std::string file_and_line() const {
    if (!frame.file.empty()) return short_file + ":" + std::to_string(frame.line);
    return frame.function.empty() ? "an unknown place" : frame.function;
  }
};

// Calls, innermost first.
struct CallStack {
  std::vector<Place> calls;
  bool is_cut = false;  // there are more of the user's
};

}  // namespace ricercar::inline report
