// A lost update behind much other work, and a priority function that knows where to look for it.
#include <ricercar/priority.h>

#include <atomic>
#include <cassert>
#include <thread>

// First where a thread is about to store to an atomic: what it stores may be out of date by then.
class BeforeStores : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace& trace, std::size_t step, unsigned task) override {
    const bool preempts = trace[step].task != task;
    return preempts && trace[step].is("atomic_store") ? 0 : 1;
  }
};
const ricercar::RegisterPriority<BeforeStores> before_stores("before-stores");

std::atomic<int> visits, total;

void visit() {
  for (int i = 0; i < 20; ++i) ++visits;
  total = total + 1;
  for (int i = 0; i < 20; ++i) ++visits;
}

int main() {
  std::thread first(visit), second(visit);
  first.join();
  second.join();
  assert(total == 2);
}
