// Binary log order: each transaction changes the table under one lock and logs the change under
// another. A transaction that overtakes between the two makes the log disagree with the table.
#include <cassert>
#include <mutex>
#include <thread>
#include <vector>

namespace {

std::mutex table_mutex;
std::mutex log_mutex;
std::vector<int> table;
std::vector<int> log_entries;

void insert(int row) {
  {
    std::lock_guard guard(table_mutex);
    table.push_back(row);
  }
  std::lock_guard guard(log_mutex);
  log_entries.push_back(row);
}

}  // namespace

int main() {
  std::thread one(insert, 1);
  std::thread two(insert, 2);
  one.join();
  two.join();
  assert(table == log_entries);  // <- bug: fails
  return 0;
}
