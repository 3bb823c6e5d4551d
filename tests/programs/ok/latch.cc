// std::latch: two workers count down when their part is written; main waits and sees both parts;
// try_wait and arrive_and_wait agree.
#include <cassert>
#include <latch>
#include <thread>

int main() {
  std::latch parts_done(2);
  std::latch everyone(3);
  int parts[2] = {0, 0};
  const auto work = [&](int index) {
    parts[index] = index + 1;
    parts_done.count_down();
    everyone.arrive_and_wait();
  };
  std::thread one(work, 0);
  std::thread two(work, 1);
  parts_done.wait();
  assert(parts_done.try_wait());
  assert(parts[0] == 1 && parts[1] == 2);
  everyone.arrive_and_wait();
  one.join();
  two.join();
  return 0;
}
