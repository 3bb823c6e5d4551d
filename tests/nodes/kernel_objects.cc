// Nodes that meet at what the kernel keeps under a name or a key. The reader waits for the letters
// of two writers, or for two turns.
//
//   WAY reader|one|two KEY
//
// WAY: `pipe`, `stream` (the same through the C library), `semaphore`, `queue` (POSIX), `messages`
// (System V), `memory` (looks at it until it is there), `locks` for several processes; `first`: a
// pipe, and `one` must be first, which it need not be.
#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/stat.h>

#include "../../examples/nodes/net.h"

namespace {

std::string key;
bool is_reader;
char letter;

void meet_at_pipe(bool any_order) {
  mkfifo("pipe", 0600);
  if (!is_reader) {
    const int end = open("pipe", O_WRONLY);
    assert(end >= 0 && write(end, &letter, 1) == 1);
    return;
  }
  const int end = open("pipe", O_RDONLY);
  std::string all;
  char byte = 0;
  while (all.size() < 2) {
    if (read(end, &byte, 1) == 1) {
      all += byte;
    } else {
      usleep(1000);  // the next one has not opened it yet
    }
  }
  assert(all == "ot" || (any_order && all == "to"));
}

// One line, by whoever opens it first.
void meet_at_stream() {
  mkfifo("pipe", 0600);
  std::FILE* stream = std::fopen("pipe", is_reader ? "r" : "w");
  assert(stream != nullptr);
  if (!is_reader) {
    std::fprintf(stream, "line %c\n", letter);
  } else {
    char line[32] = "";
    assert(std::fgets(line, sizeof line, stream) == line);
    assert(std::string(line) == "line o\n" || std::string(line) == "line t\n");
  }
  std::fclose(stream);
}

void meet_at_semaphore() {
  sem_t* semaphore = sem_open(("/" + key).c_str(), O_CREAT, 0600, 0);
  assert(semaphore != SEM_FAILED);
  if (!is_reader) {
    assert(sem_post(semaphore) == 0);
    return;
  }
  assert(sem_wait(semaphore) == 0 && sem_wait(semaphore) == 0);
  int value = -1;
  assert(sem_getvalue(semaphore, &value) == 0 && value == 0);
  assert(sem_trywait(semaphore) == -1 && errno == EAGAIN);
  const timespec soon = {time(nullptr) + 1, 0};
  assert(sem_timedwait(semaphore, &soon) == -1 && errno == ETIMEDOUT);
  assert(sem_close(semaphore) == 0 && sem_unlink(("/" + key).c_str()) == 0);
}

void meet_at_queue() {
  mq_attr size = {};
  size.mq_maxmsg = 4;
  size.mq_msgsize = 1;
  const mqd_t queue = mq_open(("/" + key).c_str(), O_RDWR | O_CREAT, 0600, &size);
  assert(queue >= 0);
  if (!is_reader) {
    assert(mq_send(queue, &letter, 1, 0) == 0);
    return;
  }
  char first = 0, second = 0;
  assert(mq_receive(queue, &first, 1, nullptr) == 1);
  assert(mq_receive(queue, &second, 1, nullptr) == 1);
  assert(first + second == 'o' + 't');
  const timespec soon = {time(nullptr) + 1, 0};
  assert(mq_timedreceive(queue, &first, 1, nullptr, &soon) == -1 && errno == ETIMEDOUT);
}

struct Message {
  long type = 1;
  char text = 0;
};

void meet_at_messages() {
  const int queue = msgget(std::stoi(key), IPC_CREAT | 0600);
  assert(queue >= 0);
  Message message;
  message.text = letter;
  if (!is_reader) {
    assert(msgsnd(queue, &message, 1, 0) == 0);
    return;
  }
  assert(msgrcv(queue, &message, 1, 0, 0) == 1 && msgrcv(queue, &message, 1, 0, 0) == 1);
}

void meet_in_memory() {
  const int memory = shmget(std::stoi(key), 4096, IPC_CREAT | 0600);
  auto* value = static_cast<volatile int*>(shmat(memory, nullptr, 0));
  if (!is_reader) *value = *value + 1;
}

void make_locks() {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
}

}  // namespace

int main(int, char** arguments) {
  const std::string way = arguments[1], who = arguments[2];
  is_reader = who == "reader";
  letter = who[0];
  key = arguments[3];
  if (way == "pipe" || way == "first") meet_at_pipe(way == "pipe");
  if (way == "stream") meet_at_stream();
  if (way == "semaphore") meet_at_semaphore();
  if (way == "queue") meet_at_queue();
  if (way == "messages") meet_at_messages();
  if (way == "memory") meet_in_memory();
  if (way == "locks") make_locks();
}
