/* How often the threads count depends on how many executions there were before. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int count;
static int rounds;

static void *work(void *argument) {
  for (int i = 0; i <= rounds; ++i) atomic_fetch_add(&count, 1);
  return argument;
}

int main(void) { /* with calls that are not put back */
  long file = syscall(SYS_openat, AT_FDCWD, "runs", O_CREAT | O_RDWR, 0644);
  rounds = (int)(syscall(SYS_lseek, file, 0, SEEK_END) % 3);
  if (syscall(SYS_pwrite64, file, "x", 1, syscall(SYS_lseek, file, 0, SEEK_CUR)) != 1) return 1;
  close((int)file);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return 0;
}
