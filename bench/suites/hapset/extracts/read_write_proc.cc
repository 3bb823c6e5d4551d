// After the asynchronous file operations of Mozilla on the Macintosh: an order violation.
//
// `late-pending`: a read is started, and only then marked as pending. If it completes in between,
// the mark of its end is overwritten, and the reader waits for an end that has been.
#include "extract.h"

namespace hapset {
namespace {

constexpr int blocks = 4;

struct Operation {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
  bool is_started = false;
  bool is_pending = false;
  int bytes = 0;
};

Operation operation;
Statistics transferred;
Mailbox blocks_done;
bool late_pending = false;

void start_read() {
  pthread_mutex_lock(&operation.lock);
  operation.is_started = true;
  if (!late_pending) operation.is_pending = true;
  pthread_cond_broadcast(&operation.changed);
  pthread_mutex_unlock(&operation.lock);
}

void mark_pending() {
  pthread_mutex_lock(&operation.lock);
  operation.is_pending = true;
  pthread_mutex_unlock(&operation.lock);
}

void wait_until_done() {
  pthread_mutex_lock(&operation.lock);
  while (operation.is_pending) pthread_cond_wait(&operation.changed, &operation.lock);
  assert(operation.bytes == 512);
  pthread_mutex_unlock(&operation.lock);
}

void* read_write_proc(void*) {
  start_read();
  if (late_pending) mark_pending();
  wait_until_done();
  for (int i = 0; i < blocks; ++i) {
    transferred.add(512);
    blocks_done.post(i);
  }
  return nullptr;
}

void wait_until_started() {
  pthread_mutex_lock(&operation.lock);
  while (!operation.is_started) pthread_cond_wait(&operation.changed, &operation.lock);
  pthread_mutex_unlock(&operation.lock);
}

void complete() {
  pthread_mutex_lock(&operation.lock);
  operation.bytes = 512;
  operation.is_pending = false;
  pthread_cond_broadcast(&operation.changed);
  pthread_mutex_unlock(&operation.lock);
}

void* run_device(void*) {
  wait_until_started();
  complete();
  for (int i = 0; i < blocks; ++i) {
    transferred.add(512);
    int block = 0;
    blocks_done.take(block);
  }
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  late_pending = Arguments(count, words, {"late-pending"}).planted("late-pending");
  const pthread_t process = start(read_write_proc);
  const pthread_t device = start(run_device);
  join(process);
  join(device);
  assert(transferred.total() == 2 * blocks * 512);
  return 0;
}
