// Heap object: the writer fills an object under a lock, but the reader looks into it without the
// lock.
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
  std::lock_guard guard(record.mutex);  // <- why: locks
  record.size = 10;                     // <- bug: writes // <- why: writes
}

void read_record(const Record& record) {
  assert(record.size == 0 || record.size == 10);  // <- bug: reads // <- why: reads
}

}  // namespace

int main() {
  const auto record = std::make_unique<Record>();
  std::thread writer([&record] { write_record(*record); });
  // With -O2 g++ knows the line of the read only as part of this one.
  std::thread reader([&record] { read_record(*record); });  // <- bug: reads
  writer.join();
  reader.join();
  return 0;
}
