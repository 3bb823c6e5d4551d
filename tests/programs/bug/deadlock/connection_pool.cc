// A pool of connections. give_back() notifies only if no connection was idle, because only then can
// somebody wait. But two can wait when two connections come back one after the other: the second
// one is not told to anybody, and whoever waits for it waits for ever.
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace {

struct Connection {
  int queries = 0;
};

class ConnectionPool {
 public:
  explicit ConnectionPool(std::vector<Connection*> connections) : idle_(std::move(connections)) {}

  Connection* take() {
    std::unique_lock lock(mutex_);
    while (idle_.empty()) available_.wait(lock);  // <- bug: waits // <- why: waits
    Connection* connection = idle_.back();
    idle_.pop_back();
    return connection;
  }

  void give_back(Connection* connection) {
    std::lock_guard lock(mutex_);
    const bool was_empty = idle_.empty();
    idle_.push_back(connection);             // <- why: writes
    if (was_empty) available_.notify_one();  // <- why: signals
  }

 private:
  std::mutex mutex_;
  std::condition_variable available_;
  std::vector<Connection*> idle_;
};

void query(ConnectionPool& pool) {
  Connection* connection = pool.take();
  ++connection->queries;
  pool.give_back(connection);
}

}  // namespace

int main() {
  Connection one, two;
  ConnectionPool pool({&one, &two});
  Connection* first = pool.take();
  Connection* second = pool.take();
  std::thread reader([&pool] { query(pool); });
  std::thread writer([&pool] { query(pool); });
  pool.give_back(first);
  pool.give_back(second);
  reader.join();  // <- bug: waits
  writer.join();  // <- bug: waits
  assert(one.queries + two.queries == 2);
  return 0;
}
