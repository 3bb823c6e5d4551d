// Every kind of task on one dispatcher whose queue has a limit: plain tasks, tasks with follow-ups,
// a port's handler and an iterator.
#include <atomic>
#include <cassert>

#include "../components/dispatcher.h"
#include "../components/iterator_task.h"
#include "../components/port.h"
#include "../components/spin.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

class TaskCoverage {
 public:
  explicit TaskCoverage(TaskQueueBug bug)
      : dispatcher_(2, {.max_depth = 2, .bug = bug}),
        handled_(dispatcher_),
        awaited_(dispatcher_),
        iterator_(dispatcher_, IteratorBug::none, [this](int item) { return iterate(item); }) {}

  void run() {
    iterator_.start();
    post_plain_tasks();
    post_follow_ups();
    post_to_handlers();
    awaited_.post(1);
    awaited_.post(2);
    spin_until([this] { return iterator_.finished(); });
    dispatcher_.shut_down();
    assert(plain_ == 3);
    assert(follow_ups_ == 2);
    assert(handler_sum_ == 1 + 2);
    assert(iterator_sum_ == 1 + 2);
  }

 private:
  void post_plain_tasks() {
    for (int i = 0; i < 3; ++i) dispatcher_.post([this] { ++plain_; });
  }

  void post_follow_ups() {
    for (int i = 0; i < 2; ++i) {
      dispatcher_.post([this] { dispatcher_.post_follow_up([this] { ++follow_ups_; }); });
    }
  }

  void post_to_handlers() {
    handled_.post(1);
    for (int i = 0; i < 2; ++i) handled_.receive([this](int item) { handler_sum_ += item; });
    handled_.post(2);
  }

  Port<int>* iterate(int item) {
    iterator_sum_ += item;
    return item == 2 ? nullptr : &awaited_;
  }

  Dispatcher dispatcher_;
  Port<int> handled_;
  Port<int> awaited_;
  IteratorTask iterator_;
  std::atomic<int> plain_ = 0;
  std::atomic<int> follow_ups_ = 0;
  std::atomic<int> handler_sum_ = 0;
  int iterator_sum_ = 0;
};

void test(TaskQueueBug bug) { TaskCoverage(bug).run(); }

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::TaskQueueBug;
  gambit::test(gambit::choose_bug<TaskQueueBug>(argument_count, arguments,
                                                {{"stale-depth", TaskQueueBug::stale_depth}}));
  return 0;
}
