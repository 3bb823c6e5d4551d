// A thread throws if its input is missing, and catches what it throws. The bug twin is
// bug/exception/thread_throws.cc.
#include <cassert>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
std::string input;
bool failed = false;

void read_input() {
  std::lock_guard guard(mutex);
  input = "42";
}

void parse() {
  std::lock_guard guard(mutex);
  if (input.empty()) throw std::runtime_error("no input");
}

void parse_safely() {
  try {
    parse();
  } catch (const std::runtime_error& error) {
    assert(std::string(error.what()) == "no input");
    failed = true;
  }
}

}  // namespace

int main() {
  std::thread reader(read_input);
  std::thread parser(parse_safely);
  reader.join();
  parser.join();
  if (failed) parse();
  return 0;
}
