// Two threads with two steps each, for the pictures of the guide: the first step of each touches a
// variable of its own, the second one touches what both share.
#include <atomic>
#include <thread>

std::atomic<int> left, right, both;

int main() {
  std::thread b([] {
    right = 1;
    both = 2;
  });
  left = 1;
  both = 1;
  b.join();
}
