// A thread throws and nobody catches: a parser finds its input missing if it runs before the
// reader.
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

std::mutex mutex;
std::string input;

void read_input() {
  std::lock_guard guard(mutex);
  input = "42";
}

void parse() {
  std::lock_guard guard(mutex);
  if (input.empty()) throw std::runtime_error("no input");  // <- bug: fails
}

}  // namespace

int main() {
  std::thread reader(read_input);
  std::thread parser(parse);
  reader.join();
  parser.join();
  return 0;
}
