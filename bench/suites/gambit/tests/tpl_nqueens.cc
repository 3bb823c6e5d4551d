// N-queens with a task library: a task for every board with one queen, which starts and awaits a
// task for every board with two.
#include <atomic>
#include <cassert>
#include <vector>

#include "../components/queens.h"
#include "../components/task_scheduler.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int size = 8;
constexpr int known_solutions = 92;

using Queens = Board<size>;

class Solver {
 public:
  explicit Solver(TaskSchedulerBug bug) : scheduler_(2, bug) {}

  int solve() {
    scheduler_.run([this] { extend(Queens()); });
    return solutions_;
  }

 private:
  static constexpr int parallel_rows = 2;

  void extend(const Queens& board) {
    std::vector<ScheduledTask*> tasks;
    for (int column = 0; column < size; ++column) {
      Queens next = board;
      if (next.place(column)) tasks.push_back(&scheduler_.start([this, next] { visit(next); }));
    }
    for (ScheduledTask* task : tasks) scheduler_.wait(*task);
  }

  void visit(const Queens& board) {
    if (board.rows() < parallel_rows) {
      extend(board);
    } else {
      solutions_ += board.count_solutions();
    }
  }

  std::atomic<int> solutions_ = 0;
  TaskScheduler scheduler_;
};

void test(TaskSchedulerBug bug) {
  Solver solver(bug);
  const int solutions = solver.solve();
  assert(solutions == known_solutions);
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::TaskSchedulerBug;
  gambit::test(gambit::choose_bug<TaskSchedulerBug>(
      argument_count, arguments, {{"overwritten-end", TaskSchedulerBug::overwritten_end}}));
  return 0;
}
