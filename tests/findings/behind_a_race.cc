// A counter that nobody locks, and behind it two locks that are taken in both orders.
#include <mutex>
#include <thread>

namespace {

int calls;
std::mutex a, b;

void count_calls() { ++calls; }

void a_then_b() {
  count_calls();
  const std::lock_guard first(a);
  const std::lock_guard second(b);
}

void b_then_a() {
  count_calls();
  const std::lock_guard first(b);
  const std::lock_guard second(a);
}

}  // namespace

int main() {
  std::thread one(a_then_b);
  std::thread two(b_then_a);
  one.join();
  two.join();
}
