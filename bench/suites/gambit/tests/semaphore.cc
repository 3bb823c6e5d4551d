// Three threads share two permits, one at a time; then three others ask for a permit to keep, and
// two of them get one.
#include "../components/semaphore.h"

#include <atomic>
#include <cassert>
#include <thread>
#include <vector>

#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int permits = 2;
constexpr int threads = 3;
constexpr int rounds = 4;

class SemaphoreTest {
 public:
  explicit SemaphoreTest(SemaphoreBug bug) : semaphore_(permits, bug) {}

  void share() {
    for (int i = 0; i < rounds; ++i) {
      semaphore_.wait();
      const int holders = ++holders_;
      assert(holders <= permits);
      --holders_;
      semaphore_.release();
    }
  }

  void keep() {
    if (!semaphore_.try_wait()) return;
    const int holders = ++holders_;
    assert(holders <= permits);
  }

  void finish() const {
    assert(holders_ == permits);
    assert(semaphore_.permits() == 0);
  }

 private:
  Semaphore semaphore_;
  std::atomic<int> holders_ = 0;
};

template <typename Work>
void run_threads(const Work& work) {
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) running.emplace_back(work);
  for (std::thread& thread : running) thread.join();
}

void test(SemaphoreBug bug) {
  SemaphoreTest semaphore_test(bug);
  run_threads([&] { semaphore_test.share(); });
  run_threads([&] { semaphore_test.keep(); });
  semaphore_test.finish();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::SemaphoreBug;
  gambit::test(gambit::choose_bug<SemaphoreBug>(argument_count, arguments,
                                                {{"split-take", SemaphoreBug::split_take}}));
  return 0;
}
