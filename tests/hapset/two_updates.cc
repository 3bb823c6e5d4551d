// Two threads that both update two numbers, each under a lock: small enough for every search to
// end.
#include <mutex>
#include <thread>

namespace {

std::mutex mutex;
int one = 0;
int other = 0;

void update(int& number) {
  const std::lock_guard<std::mutex> guard(mutex);
  ++number;
}

void update_both() {
  update(one);
  update(other);
  update(one);
}

}  // namespace

int main() {
  std::thread first(update_both);
  std::thread second(update_both);
  first.join();
  second.join();
  return one == 4 && other == 2 ? 0 : 1;
}
