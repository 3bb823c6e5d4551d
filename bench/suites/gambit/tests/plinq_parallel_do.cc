// A parallel loop whose iterations write to a table, and some of which fail: every iteration runs
// once, every failure is reported, and the final action runs once, after all of them.
#include <array>
#include <atomic>
#include <cassert>
#include <mutex>
#include <set>
#include <stdexcept>

#include "../components/parallel_do.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int iterations = 510;
constexpr int workers = 3;

class LoopTest {
 public:
  explicit LoopTest(ParallelDoBug bug)
      : loop_(iterations, workers, bug,
              {[this](int iteration) { iterate(iteration); }, [this] { finish(); }}) {}

  void run() {
    const int failures = loop_.run();
    assert(finished_ == 1);
    assert(failures == iterations / failing);
    std::set<int> failed;
    for (int i = 0; i < failures; ++i) failed.insert(loop_.failure(i));
    assert(static_cast<int>(failed.size()) == failures);
  }

 private:
  static constexpr int failing = 10;  // every tenth iteration fails

  void iterate(int iteration) {
    const int times = ++times_[iteration];
    assert(times == 1);
    {
      const std::lock_guard lock(mutex_);
      sum_ += iteration;
    }
    if (iteration % failing == 0) throw std::runtime_error("every tenth iteration fails");
  }

  void finish() {
    const int finished = ++finished_;
    assert(finished == 1);
    const std::lock_guard lock(mutex_);
    assert(sum_ == iterations * (iterations - 1) / 2);
  }

  ParallelDo loop_;
  std::array<std::atomic<int>, iterations> times_ = {};
  std::mutex mutex_;
  int sum_ = 0;
  std::atomic<int> finished_ = 0;
};

void test(ParallelDoBug bug) { LoopTest(bug).run(); }

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::ParallelDoBug;
  gambit::test(gambit::choose_bug<ParallelDoBug>(argument_count, arguments,
                                                 {{"restored-range", ParallelDoBug::restored_range},
                                                  {"lost-failure", ParallelDoBug::lost_failure},
                                                  {"double-final", ParallelDoBug::double_final}}));
  return 0;
}
