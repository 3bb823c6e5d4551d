/* A system call past the C library: nobody sees it. */
#include <pthread.h>

static void *work(void *argument) {
  long result = 39; /* getpid */
  __asm__ volatile("mov $39, %%eax\n\tsyscall" : "=a"(result) : : "rcx", "r11", "memory");
  return result > 0 ? argument : 0;
}

int main(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], 0, work, 0);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], 0);
  return 0;
}
