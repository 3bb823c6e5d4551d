// After the cache entries of Mozilla, of which several channels open streams: a deadlock.
//
// `nested-wait`: a channel that opens a stream before the entry is valid waits for that with the
// lock of the cache in its hands. The writer needs that lock to look up the entry before it makes
// it valid. The fixed channel lets go of the cache before it waits.
#include "extract.h"

namespace hapset {
namespace {

constexpr int reads = 3;

struct Cache {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int lookups = 0;
};

struct Entry {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t became_valid = PTHREAD_COND_INITIALIZER;
  bool is_valid = false;
};

Cache cache;
Entry entry;
Statistics bytes_read;
bool nested_wait = false;

void wait_until_valid() {
  pthread_mutex_lock(&entry.lock);
  while (!entry.is_valid) pthread_cond_wait(&entry.became_valid, &entry.lock);
  pthread_mutex_unlock(&entry.lock);
}

void open_input_stream() {
  pthread_mutex_lock(&cache.lock);
  ++cache.lookups;
  if (!nested_wait) pthread_mutex_unlock(&cache.lock);
  wait_until_valid();
  if (nested_wait) pthread_mutex_unlock(&cache.lock);
}

void make_valid() {
  pthread_mutex_lock(&cache.lock);
  ++cache.lookups;
  pthread_mutex_unlock(&cache.lock);
  pthread_mutex_lock(&entry.lock);
  entry.is_valid = true;
  pthread_cond_broadcast(&entry.became_valid);
  pthread_mutex_unlock(&entry.lock);
}

void* write_entry(void*) {
  make_valid();
  for (int i = 0; i < reads; ++i) bytes_read.add(0);
  return nullptr;
}

void* run_channel(void*) {
  open_input_stream();
  for (int i = 0; i < reads; ++i) bytes_read.add(100);
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  nested_wait = Arguments(count, words, {"nested-wait"}).planted("nested-wait");
  const pthread_t writer = start(write_entry);
  const pthread_t first = start(run_channel);
  const pthread_t second = start(run_channel);
  join(writer);
  join(first);
  join(second);
  assert(bytes_read.total() == 2 * reads * 100);
  return 0;
}
