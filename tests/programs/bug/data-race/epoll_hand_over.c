// A thread adds a descriptor with a pointer to a record to an epoll set. Who is told of the event
// reads the record. The bug: the record is written after the descriptor was added. The schedule:
// main is told between the two.
#include <assert.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set;
static int ready;
static int record;

static void* add(void* unused) {
  struct epoll_event event = {.events = EPOLLIN, .data = {.ptr = &record}};
  assert(epoll_ctl(set, EPOLL_CTL_ADD, ready, &event) == 0);
  record = 1;  // <- bug: writes // <- why: writes
  return unused;
}

int main(void) {
  pthread_t thread;
  set = epoll_create1(0);
  ready = eventfd(1, 0);
  pthread_create(&thread, NULL, add, NULL);  // <- why: creates
  struct epoll_event event;
  assert(epoll_wait(set, &event, 1, -1) == 1);
  const int seen = *(int*)event.data.ptr;  // <- bug: reads // <- why: reads
  assert(seen == 0 || seen == 1);
  pthread_join(thread, NULL);
  close(ready);
  close(set);
  return 0;
}
