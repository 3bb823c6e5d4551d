// What every program of this suite begins with: PROGRAM BUG|fixed [WORKERS].
#pragma once

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace hapset {

struct Workers {
  int least;
  int most;
};

class Arguments {
 public:
  // Ends the program with status 2 if the arguments name no bug of these, or a number of workers
  // outside of the range. Without a number it is the least.
  Arguments(int count, char** words, std::initializer_list<const char*> bugs,
            Workers range = {1, 1})
      : workers_(range.least) {
    if (count < 2 || count > 3) give_up(words[0], bugs, range);
    const char* known = std::strcmp(words[1], "fixed") == 0 ? words[1] : nullptr;
    for (const char* bug : bugs) {
      if (std::strcmp(words[1], bug) == 0) known = bug;
    }
    if (count == 3) workers_ = std::atoi(words[2]);
    if (known == nullptr || workers_ < range.least || workers_ > range.most) {
      give_up(words[0], bugs, range);
    }
    bug_ = known;
  }

  bool planted(const char* bug) const { return std::strcmp(bug_, bug) == 0; }
  int workers() const { return workers_; }

 private:
  [[noreturn]] static void give_up(const char* program, std::initializer_list<const char*> bugs,
                                   Workers range) {
    std::fprintf(stderr, "usage: %s fixed", program);
    for (const char* bug : bugs) std::fprintf(stderr, "|%s", bug);
    if (range.most > 1) std::fprintf(stderr, " [%d to %d workers]", range.least, range.most);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }

  const char* bug_ = nullptr;
  int workers_;
};

}  // namespace hapset
