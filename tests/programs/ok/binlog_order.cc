// Binary log order, fixed: the change is logged while the table is still locked. The bug twin is
// bug/assertion/binlog_order.cc.
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
  std::lock_guard table_guard(table_mutex);
  table.push_back(row);
  std::lock_guard log_guard(log_mutex);
  log_entries.push_back(row);
}

}  // namespace

int main() {
  std::thread one(insert, 1);
  std::thread two(insert, 2);
  one.join();
  two.join();
  assert(table == log_entries);
  return 0;
}
