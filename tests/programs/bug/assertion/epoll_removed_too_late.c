// A thread says that it is done and removes a descriptor from an epoll set; main looks into the set
// when it has heard that. The bug: it says so too early. The schedule: main looks between the two.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

static int set;
static int ready;
static atomic_int done;

static void* remove_it(void* unused) {
  done = 1;
  epoll_ctl(set, EPOLL_CTL_DEL, ready, NULL);
  return unused;
}

int main(void) {
  pthread_t thread;
  struct epoll_event event = {.events = EPOLLIN};
  set = epoll_create1(0);
  ready = eventfd(1, 0);
  assert(epoll_ctl(set, EPOLL_CTL_ADD, ready, &event) == 0);
  pthread_create(&thread, NULL, remove_it, NULL);
  if (done) assert(epoll_wait(set, &event, 1, 0) == 0);  // <- bug: fails
  pthread_join(thread, NULL);
  close(ready);
  close(set);
  return 0;
}
