// A thread comes to one write in a way that leaves frames behind, or that nobody announces. Before
// that it has been there on another way, from frames of the same size in the same place. Another
// thread writes after it, without order, so that the report shows how this one came there.
//
//   odd_stacks WAY
#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define OWN_FRAME __attribute__((noinline, noipa))
#ifdef __clang__
#undef OWN_FRAME
#define OWN_FRAME __attribute__((noinline, optnone))
#endif

static int shared;
static int mine;
static int is_done;
static volatile int keep;
static jmp_buf back;
static ucontext_t caller, coroutine;
static char coroutine_stack[1 << 16];
static const char* way;

OWN_FRAME static void target(int* what) {
  ++*what;
  keep = 1;
}

OWN_FRAME static void first_caller(int* what) {
  target(what);
  keep = 2;
}
OWN_FRAME static void second_caller(int* what) {
  target(what);
  keep = 3;
}

// --- Frames that longjmp leaves behind ---

OWN_FRAME static void jump(int* what) {
  ++*what;
  longjmp(back, 1);
}
OWN_FRAME static void first_jumper(int* what) {
  jump(what);
  keep = 4;
}
OWN_FRAME static void jumps(void) {
  if (setjmp(back) == 0) first_jumper(&mine);
  second_caller(&shared);
  keep = 5;
}

// --- A handler ---

static void handler(int signal) {
  (void)signal;
  first_caller(&mine);
  second_caller(&shared);
  keep = 6;
}
OWN_FRAME static void raises(void) {
  first_caller(&mine);
  raise(SIGUSR1);
  keep = 7;
}

// --- Another stack ---

static void in_coroutine(void) {
  first_caller(&mine);
  swapcontext(&coroutine, &caller);
  second_caller(&shared);
  swapcontext(&coroutine, &caller);
}
OWN_FRAME static void switches(void) {
  getcontext(&coroutine);
  coroutine.uc_stack.ss_sp = coroutine_stack;
  coroutine.uc_stack.ss_size = sizeof coroutine_stack;
  coroutine.uc_link = &caller;
  makecontext(&coroutine, in_coroutine, 0);
  first_caller(&mine);
  swapcontext(&caller, &coroutine);
  second_caller(&mine);
  swapcontext(&caller, &coroutine);
  keep = 8;
}

// --- A function in between that announces nothing: the same one, from two places ---

static int* compared;
static int compare(const void* a, const void* b) {
  target(compared);
  return *(const int*)a - *(const int*)b;
}
OWN_FRAME static void first_sorter(int* numbers) {
  compared = &mine;
  qsort(numbers, 2, sizeof *numbers, compare);
  keep = 9;
}
OWN_FRAME static void second_sorter(int* numbers) {
  compared = &shared;
  qsort(numbers, 2, sizeof *numbers, compare);
  keep = 10;
}
OWN_FRAME static void sorts(void) {
  int numbers[2] = {2, 1};
  first_sorter(numbers);
  second_sorter(numbers);
  keep = 13;
}

// --- Frames whose size is known only while they run ---

OWN_FRAME static void grow(int size, int* what) {
  char* room = alloca(size);
  memset(room, 1, size);
  keep = room[size - 1];
  target(what);
  keep = room[0];
}
OWN_FRAME static void grows(void) {
  for (int i = 1; i < 9; ++i) grow(100 * i, &mine);
  grow(150, &shared);
  keep = 11;
}

// --- Recursion that is deeper than what a report shows ---

OWN_FRAME static void descend(int depth, int* what) {
  ++mine;
  if (depth == 0) {
    target(what);
  } else {
    descend(depth - 1, what);
  }
  ++mine;
}
OWN_FRAME static void recurses(void) {
  descend(500, &mine);
  descend(3, &shared);
  keep = 12;
}

static void* odd(void* unused) {
  if (strcmp(way, "longjmp") == 0) jumps();
  if (strcmp(way, "handler") == 0) raises();
  if (strcmp(way, "context") == 0) switches();
  if (strcmp(way, "callback") == 0) sorts();
  if (strcmp(way, "alloca") == 0) grows();
  if (strcmp(way, "recursion") == 0) recurses();
  __atomic_store_n(&is_done, 1, __ATOMIC_RELAXED);
  return unused;
}

static void* plain(void* unused) {
  while (__atomic_load_n(&is_done, __ATOMIC_RELAXED) == 0) {
  }
  ++shared;
  return unused;
}

int main(int count, char** arguments) {
  if (count != 2) return 2;
  way = arguments[1];
  signal(SIGUSR1, handler);
  pthread_t one, two;
  pthread_create(&one, NULL, odd, NULL);
  pthread_create(&two, NULL, plain, NULL);
  pthread_join(one, NULL);
  pthread_join(two, NULL);
  return 0;
}
