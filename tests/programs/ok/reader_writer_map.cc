// A map of counters behind a reader-writer lock: add() keeps the lock from its read to its write.
// The bug twin is bug/assertion/reader_writer_map.cc.
#include <cassert>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {

class CounterMap {
 public:
  int get(const std::string& name) const {
    std::shared_lock lock(mutex_);
    const auto found = counters_.find(name);
    return found == counters_.end() ? 0 : found->second;
  }

  void set(const std::string& name, int value) {
    std::unique_lock lock(mutex_);
    counters_[name] = value;
  }

  void add(const std::string& name, int amount) {
    std::unique_lock lock(mutex_);
    counters_[name] += amount;
  }

 private:
  mutable std::shared_mutex mutex_;
  std::map<std::string, int> counters_;
};

void visit(CounterMap& visits) { visits.add("index.html", 1); }

}  // namespace

int main() {
  CounterMap visits;
  visits.set("index.html", 0);
  std::thread first([&visits] { visit(visits); });
  std::thread second([&visits] { visit(visits); });
  first.join();
  second.join();
  assert(visits.get("index.html") == 2);
  return 0;
}
