// A map of counters behind a reader-writer lock. add() reads the old value with the lock shared and
// writes the new one with the lock exclusive, and gives it back in between: two threads that add at
// the same time count once.
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
    return found == counters_.end() ? 0 : found->second;  // <- why: reads
  }

  void set(const std::string& name, int value) {
    std::unique_lock lock(mutex_);
    counters_[name] = value;  // <- why: writes
  }

  void add(const std::string& name, int amount) {
    const int old = get(name);
    set(name, old + amount);
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
  assert(visits.get("index.html") == 2);  // <- bug: fails
  return 0;
}
