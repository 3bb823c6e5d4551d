// libtbb-dev: tasks on the library's own threads, which it loads further libraries for while the
// program runs. What orders the tasks is inside of the library, which is not instrumented.
// options: --no-races --executions 60
// libraries: -ltbb
#include <tbb/concurrent_queue.h>
#include <tbb/global_control.h>
#include <tbb/task_group.h>

#include <atomic>
#include <cassert>

int main() {
  const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  std::atomic<int> sum = 0;
  tbb::concurrent_queue<int> queue;
  tbb::task_group group;
  for (int i = 1; i <= 2; ++i) {
    group.run([&, i] {
      sum += i;
      queue.push(i);
    });
  }
  group.wait();
  assert(sum == 3);
  int first = 0, second = 0;
  assert(queue.try_pop(first) && queue.try_pop(second));
  assert(first + second == 3);
}
