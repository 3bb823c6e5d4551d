// Figure 1 of the paper on HaPSet: a pointer is freed between the look at it and its use.
#include <atomic>
#include <thread>

namespace {

int object = 0;
std::atomic<int*> p = nullptr;

void use() {
  if (p != nullptr) {  // e2
    *p = 10;           // e3
  }
}

}  // namespace

int main() {
  std::thread owner([] {
    p = &object;  // e1
    p = nullptr;  // e4
  });
  std::thread user(use);
  owner.join();
  user.join();
}
