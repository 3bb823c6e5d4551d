// AB-BA: two threads take two locks in opposite order; each holding its first lock, they wait for
// each other.
#include <mutex>
#include <thread>

namespace {

std::mutex a;
std::mutex b;
int shared = 0;

void lock_both(std::mutex& first, std::mutex& second) {
  std::lock_guard first_guard(first);    // <- why: locks
  std::lock_guard second_guard(second);  // <- bug: waits // <- why: waits
  ++shared;
}

}  // namespace

int main() {
  std::thread forward([] { lock_both(a, b); });
  std::thread backward([] { lock_both(b, a); });
  forward.join();   // <- bug: waits
  backward.join();  // <- bug: waits
  return 0;
}
