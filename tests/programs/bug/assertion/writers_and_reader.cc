// Many threads write one variable each, once, and one thread reads all of them. It takes for
// granted that somebody is always late; with n writers all of them must be done before its first
// read. arguments: 3
#include <atomic>
#include <cassert>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

std::vector<std::atomic<int>> values;

void read_all() {
  int late = 0;
  for (const std::atomic<int>& value : values) late += value == 0 ? 1 : 0;
  assert(late > 0);  // <- bug: fails
}

}  // namespace

int main(int argc, char** argv) {
  const int writers = argc > 1 ? std::atoi(argv[1]) : 3;
  values = std::vector<std::atomic<int>>(static_cast<std::size_t>(writers));
  std::vector<std::thread> threads;
  threads.emplace_back(read_all);
  for (std::atomic<int>& value : values) threads.emplace_back([&value] { value = 1; });
  for (std::thread& thread : threads) thread.join();
  return 0;
}
