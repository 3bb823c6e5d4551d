// thread_local objects: each thread that uses one has its own, constructed at the first use and
// destroyed before the thread can be joined. A thread that does not use it has none.
#include <atomic>
#include <cassert>
#include <string>
#include <thread>

namespace {

std::atomic<int> constructions = 0;
std::atomic<int> destructions = 0;

class Buffer {
 public:
  Buffer() : text_("a text too long to be stored inside the string object") { ++constructions; }
  ~Buffer() { ++destructions; }
  void append(char letter) { text_ += letter; }
  char back() const { return text_.back(); }

 private:
  std::string text_;
};

thread_local Buffer buffer;
thread_local int calls = 0;

void use(char letter) {
  assert(calls == 0);
  for (int i = 0; i < 2; ++i) {
    buffer.append(letter);
    ++calls;
    std::this_thread::yield();
    assert(buffer.back() == letter);
  }
  assert(calls == 2);
}

}  // namespace

int main() {
  std::thread one(use, 'a');
  std::thread two(use, 'b');
  std::thread idle([] {});
  one.join();
  two.join();
  idle.join();
  assert(constructions == 2);
  assert(destructions == 2);
  use('c');
  assert(constructions == 3);
  return 0;
}
