// After the file transports of Mozilla and the service that owns them: a deadlock.
//
// `opposite-order`: a transport that ends holds its own lock and takes the service's, to be taken
// off the list. The service, when it suspends everything, holds its lock and takes the transports'.
// The fixed transport lets go of its own lock first.
#include "extract.h"

namespace hapset {
namespace {

constexpr int blocks = 5;

struct Transport {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  bool is_open = true;
  bool is_suspended = false;
};

struct Service {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int open_transports = 1;
};

Transport transport;
Service service;
Statistics transferred;
bool opposite_order = false;

void close_transport() {
  pthread_mutex_lock(&transport.lock);
  transport.is_open = false;
  if (!opposite_order) pthread_mutex_unlock(&transport.lock);
  pthread_mutex_lock(&service.lock);
  --service.open_transports;
  pthread_mutex_unlock(&service.lock);
  if (opposite_order) pthread_mutex_unlock(&transport.lock);
}

void suspend_all() {
  pthread_mutex_lock(&service.lock);
  pthread_mutex_lock(&transport.lock);
  if (transport.is_open) transport.is_suspended = true;
  pthread_mutex_unlock(&transport.lock);
  pthread_mutex_unlock(&service.lock);
}

void transfer() {
  for (int i = 0; i < blocks; ++i) transferred.add(512);
}

void* run_transport(void*) {
  close_transport();
  transfer();
  return nullptr;
}

void* go_offline(void*) {
  suspend_all();
  transfer();
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  opposite_order = Arguments(count, words, {"opposite-order"}).planted("opposite-order");
  const pthread_t reader = start(run_transport);
  const pthread_t user = start(go_offline);
  join(reader);
  join(user);
  assert(transferred.total() == 2 * blocks * 512);
  return 0;
}
