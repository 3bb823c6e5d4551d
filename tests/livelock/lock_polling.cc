// Looks again and again under a lock whether another thread has done its part, which needs the lock
// too. Nothing makes the loop wait: a schedule may keep the other thread out for ever, but whenever
// the lock is free that thread could run.
#include <mutex>
#include <thread>

namespace {

std::mutex lock;
std::mutex other;
bool done = false;
int rounds = 0;

bool is_done() {
  const std::lock_guard guard(lock);
  ++rounds;
  return done;
}

void look_until_done() {
  while (!is_done()) {
    other.lock();
    other.unlock();
  }
}

void finish() {
  const std::lock_guard guard(lock);
  done = true;
}

}  // namespace

int main() {
  std::thread looker(look_until_done);
  std::thread finisher(finish);
  looker.join();
  finisher.join();
  return 0;
}
