// Containers: two threads fill private ones and merge them into shared ones under a mutex.
#include <cassert>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

std::mutex mutex;
std::vector<int> numbers;
std::map<std::string, int> counts;
std::unordered_map<int, std::string> names;
std::deque<std::string> lines;

void fill(int seed) {
  std::vector<int> own;
  for (int i = 0; i < 100; ++i) own.push_back(seed * 100 + i);
  std::string line(50, 'a');
  std::lock_guard guard(mutex);
  numbers.insert(numbers.end(), own.begin(), own.end());
  ++counts["threads"];
  names[seed] = std::to_string(seed);
  lines.push_back(std::move(line));
}

}  // namespace

int main() {
  std::thread one(fill, 1);
  std::thread two(fill, 2);
  one.join();
  two.join();
  assert(numbers.size() == 200);
  assert(counts.at("threads") == 2);
  assert(names.at(1) == "1" && names.at(2) == "2");
  assert(lines.size() == 2 && lines.front() == lines.back());
  return 0;
}
