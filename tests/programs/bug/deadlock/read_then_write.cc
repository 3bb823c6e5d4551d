// Read lock, then write lock: a thread that holds a shared mutex as a reader asks for it as a
// writer if the entry is missing, and waits for itself.
#include <mutex>
#include <shared_mutex>
#include <thread>

namespace {

std::shared_mutex mutex;
int entry = 0;

void insert() {
  std::unique_lock lock(mutex);  // <- bug: waits // <- why: waits
  entry = 42;
}

void look_up() {
  std::shared_lock lock(mutex);  // <- why: locks
  if (entry == 0) insert();
}

}  // namespace

int main() {
  std::thread writer(insert);
  std::thread reader(look_up);
  writer.join();  // <- bug: waits
  reader.join();  // <- bug: waits
  return 0;
}
