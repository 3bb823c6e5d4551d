// Two consumers of a collection, whose producer completes it when its items have been taken. Then
// the producer fills a second one, which has one consumer, and which is read to its end too.
#include "../components/blocking_collection.h"

#include <atomic>
#include <cassert>
#include <cstdlib>
#include <optional>
#include <thread>

#include "../components/manual_reset_event.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

struct Sizes {
  int first_items = 4;
  int second_items = 31;
};

class CollectionTest {
 public:
  CollectionTest(BlockingCollectionBug bug, const Sizes& sizes)
      : sizes_(sizes), first_(4, bug), second_(3, bug), all_taken_(ManualResetEventBug::none) {}

  void produce() {
    for (int i = 1; i <= sizes_.first_items; ++i) first_.add(i);
    all_taken_.wait();
    first_.complete_adding();
    for (int i = 1; i <= sizes_.second_items; ++i) second_.add(i);
    second_.complete_adding();
  }

  void consume_first() { consume(first_); }

  void consume_both() {
    consume(first_);
    consume(second_);
  }

  void finish() const {
    const auto sum_up_to = [](int last) { return last * (last + 1) / 2; };
    assert(sum_ == sum_up_to(sizes_.first_items) + sum_up_to(sizes_.second_items));
  }

 private:
  void consume(BlockingCollection& collection) {
    while (const std::optional<int> item = collection.take()) {
      sum_ += *item;
      if (++taken_ == sizes_.first_items) all_taken_.set();
    }
  }

  const Sizes sizes_;
  BlockingCollection first_;
  BlockingCollection second_;
  ManualResetEvent all_taken_;  // of the first collection
  std::atomic<int> taken_ = 0;
  std::atomic<int> sum_ = 0;
};

void test(BlockingCollectionBug bug, const Sizes& sizes) {
  CollectionTest collection_test(bug, sizes);
  std::thread one([&] { collection_test.consume_first(); });
  std::thread two([&] { collection_test.consume_both(); });
  collection_test.produce();
  one.join();
  two.join();
  collection_test.finish();
}

}  // namespace
}  // namespace gambit

// Behind the bug: the numbers of items of the two collections, so that a search may come to an end.
int main(int argument_count, char** arguments) {
  using gambit::BlockingCollectionBug;
  gambit::Sizes sizes;
  if (argument_count == 4) sizes = {std::atoi(arguments[2]), std::atoi(arguments[3])};
  gambit::test(gambit::choose_bug<BlockingCollectionBug>(
                   argument_count == 4 ? 2 : argument_count, arguments,
                   {{"overlooked-consumer", BlockingCollectionBug::overlooked_consumer}}),
               sizes);
  return 0;
}
