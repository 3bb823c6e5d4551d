// The main thread looks again and again whether another one is done, and holds a lock for each
// look.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
bool is_done = false;

bool looks_done() {
  const std::lock_guard guard(mutex);
  return is_done;
}

void finish() {
  const std::lock_guard guard(mutex);
  is_done = true;
}

}  // namespace

int main() {
  std::thread other(finish);
  while (!looks_done()) continue;
  other.join();
}
