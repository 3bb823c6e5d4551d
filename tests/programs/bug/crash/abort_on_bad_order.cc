// abort: a state machine calls abort when it is closed before it was opened, and nothing keeps the
// closer from coming first.
#include <cstdlib>
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
bool opened = false;

void open_door() {
  std::lock_guard guard(mutex);
  opened = true;
}

void close_door() {
  std::lock_guard guard(mutex);
  if (!opened) std::abort();  // <- bug: fails
  opened = false;
}

}  // namespace

int main() {
  std::thread opener(open_door);
  std::thread closer(close_door);
  opener.join();
  closer.join();
  return 0;
}
