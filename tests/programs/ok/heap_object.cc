// Heap object, fixed: the reader takes the lock too. The bug twin is bug/data-race/heap_object.cc.
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>

namespace {

struct Record {
  std::mutex mutex;
  int size = 0;
};

void write_record(Record& record) {
  std::lock_guard guard(record.mutex);
  record.size = 10;
}

void read_record(Record& record) {
  std::lock_guard guard(record.mutex);
  assert(record.size == 0 || record.size == 10);
}

}  // namespace

int main() {
  const auto record = std::make_unique<Record>();
  std::thread writer([&record] { write_record(*record); });
  std::thread reader([&record] { read_record(*record); });
  writer.join();
  reader.join();
  return 0;
}
