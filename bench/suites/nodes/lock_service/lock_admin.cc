// Prints which locks there are, with holder, token, milliseconds left and how many wait, and the
// numbers in the storage.
//
//   lock_admin --times=2
#include <chrono>
#include <cstdio>

#include "../common/bug.h"
#include "../common/calls.h"
#include "ports.h"

namespace {

void print(suite::Caller& server, const std::string& question) {
  const std::string answer = server.ask(question).value_or(question + ": no answer");
  for (const std::string& word : suite::words_of(answer)) std::printf("%s\n", word.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const int times = std::stoi(std::string(suite::option(count, arguments, "times", "1")));
  suite::Caller server("locks", locks::lock_port);
  suite::Caller storage("storage", locks::storage_port);
  for (int i = 0; i < times; ++i) {
    if (i > 0) std::this_thread::sleep_for(std::chrono::milliseconds(500));
    print(server, "list");
    print(storage, "dump");
  }
}
