// Three threads, a semaphore with two slots, and nothing that could go wrong: each takes a slot and
// gives it back. With libstdc++ 12 the program can hang for ever all the same (bug 104928 of GCC).
// acquire() notes the counter, here 1, and loses that last slot to another thread; it sees 0 for as
// long as it tries, and goes to sleep until the counter is not what it noted. But a slot has come
// back in the meantime, with a notification that nobody waited for yet: the counter is 1 again, and
// the thread sleeps beside a free slot. Who gives back the next one finds that the counter was not
// 0 and wakes nobody.
//
//   ricercar c++ -std=c++20 counting_semaphore.cc -o counting_semaphore
//   ricercar run ./counting_semaphore
#include <latch>
#include <semaphore>
#include <thread>

int main() {
  std::counting_semaphore<2> slots(2);
  std::latch start(3);
  const auto work = [&] {
    start.arrive_and_wait();
    slots.acquire();
    slots.release();
  };
  std::jthread first(work), second(work), third(work);
}
