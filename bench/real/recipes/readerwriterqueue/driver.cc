// Three items through a queue that starts with room for one: it grows meanwhile.
#include <cstdlib>
#include <thread>

#include "readerwriterqueue.h"

template <class Queue, class Take>
void run(Queue& queue, Take take) {
  std::thread producer([&queue] {
    for (int item = 1; item <= 3; ++item) queue.enqueue(item);
  });
  for (int expected = 1; expected <= 3; ++expected) {
    if (take(queue) != expected) std::abort();
  }
  producer.join();
}

int main(int count, char**) {
  if (count == 1) {
    moodycamel::ReaderWriterQueue<int> queue(1);
    run(queue, [](auto& from) {
      int item = 0;
      while (!from.try_dequeue(item)) std::this_thread::yield();
      return item;
    });
  } else {
    moodycamel::BlockingReaderWriterQueue<int> queue(1);
    run(queue, [](auto& from) {
      int item = 0;
      from.wait_dequeue(item);
      return item;
    });
  }
}
