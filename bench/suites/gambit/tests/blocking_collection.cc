// Two consumers of a collection, whose producer completes it when its items have been taken. Then
// the producer fills a second one, which has one consumer, and which is read to its end too.
#include "../components/blocking_collection.h"

#include <atomic>
#include <cassert>
#include <optional>
#include <thread>

#include "../components/manual_reset_event.h"
#include "../components/unit_test.h"

namespace gambit {
namespace {

constexpr int first_items = 4;
constexpr int second_items = 6;

class CollectionTest {
 public:
  explicit CollectionTest(BlockingCollectionBug bug)
      : first_(4, bug), second_(3, bug), all_taken_(ManualResetEventBug::none) {}

  void produce() {
    for (int i = 1; i <= first_items; ++i) first_.add(i);
    all_taken_.wait();
    first_.complete_adding();
    for (int i = 1; i <= second_items; ++i) second_.add(i);
    second_.complete_adding();
  }

  void consume_first() { consume(first_); }

  void consume_both() {
    consume(first_);
    consume(second_);
  }

  void finish() const {
    assert(sum_ == first_items * (first_items + 1) / 2 + second_items * (second_items + 1) / 2);
  }

 private:
  void consume(BlockingCollection& collection) {
    while (const std::optional<int> item = collection.take()) {
      sum_ += *item;
      if (++taken_ == first_items) all_taken_.set();
    }
  }

  BlockingCollection first_;
  BlockingCollection second_;
  ManualResetEvent all_taken_;  // of the first collection
  std::atomic<int> taken_ = 0;
  std::atomic<int> sum_ = 0;
};

void test(BlockingCollectionBug bug) {
  CollectionTest collection_test(bug);
  std::thread one([&] { collection_test.consume_first(); });
  std::thread two([&] { collection_test.consume_both(); });
  collection_test.produce();
  one.join();
  two.join();
  collection_test.finish();
}

}  // namespace
}  // namespace gambit

int main(int argument_count, char** arguments) {
  using gambit::BlockingCollectionBug;
  gambit::test(gambit::choose_bug<BlockingCollectionBug>(
      argument_count, arguments,
      {{"overlooked-consumer", BlockingCollectionBug::overlooked_consumer}}));
  return 0;
}
