// A thread other than main ends the program with status 3 if it comes before the other thread's
// update.
#include <atomic>
#include <cstdlib>
#include <thread>

namespace {

std::atomic<bool> updated = false;

void update() { updated = true; }

void check() {
  if (!updated) std::exit(3);  // <- bug: fails
}

}  // namespace

int main() {
  std::thread updater(update);
  std::thread checker(check);
  updater.join();
  checker.join();
  return 0;
}
