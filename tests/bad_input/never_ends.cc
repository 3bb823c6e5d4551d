// One thread loops for ever, without any operation that a scheduler could see.
#include <thread>

int main() {
  std::thread([] {
    volatile int turns = 0;
    while (turns >= 0) turns = turns == 1 ? 0 : 1;
  }).join();
  return 0;
}
