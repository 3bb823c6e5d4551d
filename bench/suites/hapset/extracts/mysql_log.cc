// After MySQL's binary log: an atomicity violation.
//
// `split-rotation`: to begin a new file, the log is closed in one critical section and opened again
// in another one. A statement that is committed in between finds no open log, which is no error
// (logging may be off), and its record is in neither file: a replica would never hear of it.
#include "extract.h"

namespace hapset {
namespace {

constexpr int statements = 3;
constexpr int status_updates = 5;

struct BinaryLog {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  bool is_open = true;
  int file = 1;
  int records = 0;  // in all files
};

BinaryLog binary_log;
Statistics committed;
Statistics status;
bool split_rotation = false;

void close_file() { binary_log.is_open = false; }

void open_next_file() {
  ++binary_log.file;
  binary_log.is_open = true;
}

void rotate() {
  pthread_mutex_lock(&binary_log.lock);
  close_file();
  if (split_rotation) {
    pthread_mutex_unlock(&binary_log.lock);
    pthread_mutex_lock(&binary_log.lock);
  }
  open_next_file();
  pthread_mutex_unlock(&binary_log.lock);
}

void write_record() {
  pthread_mutex_lock(&binary_log.lock);
  if (binary_log.is_open) ++binary_log.records;
  pthread_mutex_unlock(&binary_log.lock);
}

void* flush_logs(void*) {
  rotate();
  for (int i = 0; i < status_updates; ++i) status.add(1);
  return nullptr;
}

void* execute_statements(void*) {
  for (int i = 0; i < statements; ++i) {
    committed.add(1);
    write_record();
    status.add(1);
  }
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  split_rotation = Arguments(count, words, {"split-rotation"}).planted("split-rotation");
  const pthread_t administrator = start(flush_logs);
  const pthread_t client = start(execute_statements);
  join(administrator);
  join(client);
  assert(binary_log.records == committed.total());
  return 0;
}
