// After the connections of Mozilla's HTTP handler: an order violation.
//
// `early-dispatch`: a connection asks for the events of its socket before it has stored the
// transaction that the events are for. If the first event comes in between, the handler follows a
// null pointer.
#include <atomic>

#include "extract.h"

namespace hapset {
namespace {

constexpr int events = 4;

struct Transaction {
  std::atomic<int> headers = 0;
};

struct Connection {
  std::atomic<bool> wants_events = false;
  std::atomic<Transaction*> transaction = nullptr;
};

Transaction the_transaction;
Connection connection;
Statistics bytes;
Mailbox log_lines;
bool early_dispatch = false;

void connect() {
  if (early_dispatch) {
    connection.wants_events.store(true);
    connection.transaction.store(&the_transaction);
  } else {
    connection.transaction.store(&the_transaction);
    connection.wants_events.store(true);
  }
}

void* open_page(void*) {
  connect();
  for (int i = 0; i < events; ++i) {
    bytes.add(10);
    log_lines.post(i);
  }
  return nullptr;
}

void on_socket_ready() {
  if (!connection.wants_events.load()) return;
  connection.transaction.load()->headers.fetch_add(1);
}

void* poll_sockets(void*) {
  on_socket_ready();
  for (int i = 0; i < events; ++i) {
    bytes.add(10);
    int line = 0;
    log_lines.take(line);
  }
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  early_dispatch = Arguments(count, words, {"early-dispatch"}).planted("early-dispatch");
  const pthread_t page = start(open_page);
  const pthread_t socket_thread = start(poll_sockets);
  join(page);
  join(socket_thread);
  assert(bytes.total() == 2 * events * 10);
  return 0;
}
