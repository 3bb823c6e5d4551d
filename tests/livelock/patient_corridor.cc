// As tests/programs/bug/livelock/corridor.cc, but one of the two gives up after many rounds, unless
// it has seen a flag that the other one raises and takes down again. So there are two executions
// that look alike for a long time: one comes to its end, one never does.
#include <atomic>
#include <thread>

namespace {

std::atomic<bool> interested[2] = {false, false};
std::atomic<bool> is_urgent = false;

void pass_corridor(int me, bool gives_up) {
  for (int rounds = 0; !gives_up || rounds < 1000; ++rounds) {
    interested[me] = true;
    if (!interested[1 - me]) break;
    interested[me] = false;
    std::this_thread::yield();
  }
  interested[me] = false;
}

}  // namespace

int main() {
  std::thread one([] {
    is_urgent = true;
    is_urgent = false;
    pass_corridor(0, false);
  });
  std::thread two([] { pass_corridor(1, !is_urgent); });
  one.join();
  two.join();
  return 0;
}
