// Handlers of the program for its own faults: one jumps back, one mends what was wrong and goes on,
// one ends the program well. Several threads have faults at the same time.
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static __thread sigjmp_buf back;
static __thread int jumps;
static char *page;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int handled;

static void jump_back(int signal) {
  assert(signal == SIGSEGV || signal == SIGFPE);
  siglongjmp(back, 1);
}

// Waits for a lock: other threads run, and have faults, while this one is in its handler.
static void open_page(int signal, siginfo_t *details, void *context) {
  assert(signal == SIGSEGV && context != 0);
  assert((char *)details->si_addr == page);
  pthread_mutex_lock(&mutex);
  handled++;
  mprotect(page, 4096, PROT_READ | PROT_WRITE);
  pthread_mutex_unlock(&mutex);
}

static void leave(int signal) {
  (void)signal;
  _exit(0);
}

static void handle(int signal, void (*handler)(int)) {
  struct sigaction action = {0};
  action.sa_handler = handler;
  sigaction(signal, &action, 0);
}

static void *jump_twice(void *unused) {
  (void)unused;
  volatile int zero = 0;
  if (sigsetjmp(back, 1) == 0) *(volatile int *)(uintptr_t)(8 + zero) = 1;
  jumps++;
  if (sigsetjmp(back, 1) == 0) zero = 1 / zero;
  jumps++;
  assert(jumps == 2);
  return 0;
}

static void *touch_page(void *unused) {
  (void)unused;
  *(volatile char *)page += 0;
  return 0;
}

static void in_two_threads(void *(*routine)(void *)) {
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], 0, routine, 0);
  for (int i = 0; i < 2; i++) pthread_join(threads[i], 0);
}

int main(void) {
  handle(SIGSEGV, jump_back);
  handle(SIGFPE, jump_back);
  in_two_threads(jump_twice);
  page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct sigaction action = {0};
  action.sa_sigaction = open_page;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, 0);
  pthread_t thread;
  pthread_create(&thread, 0, touch_page, 0);
  pthread_join(thread, 0);
  assert(handled == 1);
  signal(SIGSEGV, leave);
  *(volatile int *)8 = 1;
  return 1;
}
