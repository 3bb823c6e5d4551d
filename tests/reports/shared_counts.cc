// Two threads count in an object that a shared pointer keeps alive.
#include <memory>
#include <thread>

namespace {

struct Entry {
  int hits = 0;
};

}  // namespace

int main() {
  const auto entry = std::make_shared<Entry>();
  std::thread other([entry] {
    const std::shared_ptr<Entry> own = entry;
    ++own->hits;
  });
  ++entry->hits;
  other.join();
  return entry->hits == 0 ? 1 : 0;
}
