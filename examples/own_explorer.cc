// A restart that must not meet a worker half-way, and an explorer that keeps the restart for later.
#include <ricercar/explorer.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>
#include <vector>

enum : std::uint64_t { goes_last = 1 };  // what the program tells the explorer

// In the order of creation, but whoever asks for it goes to the end.
class PolitelyInOrder : public ricercar::DelayingExplorer {
 public:
  std::unique_ptr<DelayingExplorer> copy() const override {
    return std::make_unique<PolitelyInOrder>(*this);
  }
  unsigned next(const ricercar::EnabledTasks& enabled) const override {
    for (const unsigned task : order_) {
      if (enabled.contains(task)) return task;
    }
    return enabled.from(0);
  }
  void delay(const ricercar::EnabledTasks& enabled) override { to_the_end(next(enabled)); }
  void started(unsigned task) override { order_.push_back(task); }
  void step(const ricercar::ExplorerStep& step) override {
    if (step.kind == ricercar::ExplorerStep::hint && step.what == goes_last) to_the_end(step.task);
  }

 private:
  void to_the_end(unsigned task) {
    order_.erase(std::remove(order_.begin(), order_.end(), task), order_.end());
    order_.push_back(task);
  }
  std::vector<unsigned> order_;
};
const ricercar::RegisterExplorer<PolitelyInOrder> politely("politely");

std::atomic<int> generation = 0;
std::atomic<bool> half_done = false;

void restart() {
  ricercar::explorer_hint(goes_last);
  ++generation;
  assert(!half_done);
}

void work() {
  const int begun = generation;
  half_done = true;
  if (generation == begun) half_done = false;
}

int main() {
  std::thread restarts(restart), works(work);
  restarts.join();
  works.join();
}
