// std::atomic<std::shared_ptr>: readers load while a writer stores; a reader keeps the object it
// got. The load of libstdc++ 12 gives its internal lock back with a relaxed operation, which a
// strict detector may call a race.
// options: --no-races
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

namespace {

struct Configuration {
  int first;
  int second;
};

std::atomic<std::shared_ptr<const Configuration>> current =
    std::make_shared<const Configuration>(Configuration{1, 1});

void read_value() {
  const std::shared_ptr<const Configuration> seen = current.load();
  assert(seen->first == seen->second);
}

void update() { current.store(std::make_shared<const Configuration>(Configuration{2, 2})); }

}  // namespace

int main() {
  std::thread reader(read_value);
  std::thread writer(update);
  reader.join();
  writer.join();
  assert(current.load()->first == 2);
  return 0;
}
