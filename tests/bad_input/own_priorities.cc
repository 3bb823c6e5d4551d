// Priority functions with mistakes in them.
#include <ricercar/priority.h>

#include <cstdlib>
#include <mutex>
#include <stdexcept>
#include <thread>

class Throws : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace&, std::size_t step, unsigned) override {
    if (step > 5) throw std::runtime_error("no idea what this is worth");
    return 0;
  }
};
class ThrowsNumber : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace&, std::size_t, unsigned) override { throw 7; }
};
class Crashes : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace&, std::size_t, unsigned) override { std::abort(); }
};
volatile bool never_ends = true;
class Hangs : public ricercar::PriorityFunction {
 public:
  unsigned priority(const ricercar::Trace&, std::size_t, unsigned) override {
    while (never_ends) continue;
    return 0;
  }
};
const ricercar::RegisterPriority<Hangs> hangs("hangs");
const ricercar::RegisterPriority<Throws> throws("throws");
const ricercar::RegisterPriority<ThrowsNumber> throws_number("throws-number");
const ricercar::RegisterPriority<Crashes> crashes("crashes");

std::mutex mutex;

int main() {
  const auto body = [] {
    for (int i = 0; i < 3; ++i) std::lock_guard lock(mutex);
  };
  std::thread first(body), second(body);
  first.join();
  second.join();
}
