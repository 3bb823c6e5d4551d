// Two threads wait for an event in every round; the last of them to pass sets another one, for
// which the leader waits before it starts the next round.
#include "../components/manual_reset_event.h"

#include <array>
#include <atomic>
#include <cassert>
#include <thread>

#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int rounds = 3;
constexpr int followers = 2;

// The events of one round; a round has its own, so that a slow thread cannot miss one.
struct Round {
  explicit Round(ManualResetEventBug bug) : started(bug), passed(bug) {}

  ManualResetEvent started;
  ManualResetEvent passed;
  std::atomic<int> passing = 0;
  std::atomic<int> number = 0;
};

class EventTest {
 public:
  explicit EventTest(ManualResetEventBug bug) : rounds_{Round(bug), Round(bug), Round(bug)} {}

  void lead() {
    for (int i = 0; i < rounds; ++i) {
      Round& round = rounds_[i];
      round.number = i + 1;
      round.started.set();
      round.passed.wait();
      assert(round.passing == followers);
      round.started.reset();
    }
  }

  void follow() {
    for (int i = 0; i < rounds; ++i) {
      Round& round = rounds_[i];
      round.started.wait();
      assert(round.number == i + 1);
      if (++round.passing == followers) round.passed.set();
    }
  }

 private:
  std::array<Round, rounds> rounds_;
};

void test(ManualResetEventBug bug) {
  EventTest event_test(bug);
  std::thread one([&] { event_test.follow(); });
  std::thread two([&] { event_test.follow(); });
  event_test.lead();
  one.join();
  two.join();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::ManualResetEventBug;
  gambit::test(gambit::choose_bug<ManualResetEventBug>(
      argument_count, arguments, {{"late-waiter", ManualResetEventBug::late_waiter}}));
  return 0;
}
