// A static constructor that creates a thread and joins it, before main.
#include <thread>

static const int answer = [] {
  int value = 0;
  std::thread thread([&value] { value = 42; });
  thread.join();
  return value;
}();

int main() { return answer == 42 ? 0 : 1; }
