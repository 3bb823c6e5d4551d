// new and delete between threads: a producer hands objects to a consumer through an atomic slot,
// and the consumer deletes them; what is left is deleted by main.
#include <atomic>
#include <cassert>
#include <memory>
#include <string>
#include <thread>

namespace {

std::atomic<std::string*> slot = nullptr;

void produce() {
  for (int i = 0; i < 2; ++i) {
    std::string* const previous = slot.exchange(new std::string(100, 'a'));
    delete previous;
  }
}

void consume() {
  for (int i = 0; i < 2; ++i) {
    const std::unique_ptr<std::string> taken(slot.exchange(nullptr));
    if (taken) assert(taken->size() == 100);
  }
}

struct alignas(64) Aligned {
  char bytes[64] = {};
};

}  // namespace

int main() {
  std::thread producer(produce);
  std::thread consumer(consume);
  producer.join();
  consumer.join();
  delete slot.load();
  const std::unique_ptr<Aligned[]> array(new Aligned[2]);
  assert(array[1].bytes[63] == 0);
  return 0;
}
