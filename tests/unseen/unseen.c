/* Two threads do what the first argument says. Some of it is not modelled. */
#define _GNU_SOURCE
#include <aio.h>
#include <assert.h>
#include <fcntl.h>
#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

enum { page = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static const char *what;
static FILE *stream;
static int file;

static int is(const char *name) { return strcmp(what, name) == 0; }

static void own_stream(int number) {
  FILE *mine = fopen("streamed", number == 0 ? "w" : "r");
  if (mine == NULL) return;
  char line[16];
  if (number == 0) {
    fputs("line\n", mine);
  } else if (fgets(line, sizeof line, mine) == NULL) {
    line[0] = 0;
  }
  fclose(mine);
}

static void map_often(void) {
  int memory = memfd_create("memory", 0);
  assert(ftruncate(memory, page) == 0);
  for (int i = 0; i < 70; ++i) mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
}

static void map_again(void) {
  void *once = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  assert(mremap(once, 0, page, MREMAP_MAYMOVE) != MAP_FAILED);
}

static void write_to_file(void) {
  struct iovec part = {"x", 1};
  if (is("mapped and written")) assert(write(file, "x", 1) == 1);
  if (is("pwritev")) assert(pwritev(file, &part, 1, 0) == 1);
}

static void start_elsewhere(void) {
  char parameters[256] = {0};
  struct aiocb request;
  memset(&request, 0, sizeof request);
  request.aio_fildes = -1;
  if (is("io_uring")) syscall(SYS_io_uring_setup, 0, parameters);
  if (is("aio")) aio_fsync(O_SYNC, &request);
}

static void *work(void *argument) {
  const int number = *(const int *)argument;
  struct tm broken_down;
  const time_t moment = 1000;
  wchar_t wide[8];
  if (is("one stream")) fprintf(stream, "%d\n", number);
  if (is("one stream, read")) fgetc(stream);
  if (is("streams of one file")) own_stream(number);
  if (is("stream under a lock")) {
    pthread_mutex_lock(&mutex);
    fprintf(stream, "%d\n", number);
    pthread_mutex_unlock(&mutex);
  }
  if (is("output")) printf("%d\n", number);
  if (is("unlink by number")) syscall(SYS_unlink, "nothing");
  if (is("localtime")) localtime(&moment);
  if (is("localtime_r")) localtime_r(&moment, &broken_down);
  if (is("wcscpy")) wcscpy(wide, L"wide");
  if (is("rounding")) fesetround(FE_TONEAREST);
  write_to_file();
  start_elsewhere();
  return NULL;
}

static void prepare(void) {
  const time_t moment = 1000;
  pthread_mutexattr_t attributes;
  stream = tmpfile();
  fputs("some text\n", stream);
  rewind(stream);
  file = memfd_create("file", 0);
  assert(ftruncate(file, page) == 0);
  localtime(&moment); /* alone */
  if (is("many mappings")) map_often();
  if (is("mremap")) map_again();
  if (is("mapped and written") || is("mapped")) {
    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  if (is("file for all")) {
    int named = open("named", O_RDWR | O_CREAT, 0600);
    assert(ftruncate(named, page) == 0);
    mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, named, 0);
    close(named);
  }
  if (is("robust")) {
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  }
}

int main(int count, char **arguments) {
  if (count != 2) return 2;
  what = arguments[1];
  prepare();
  const int numbers[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, work, (void *)&numbers[i]);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  fclose(stream);
  close(file);
  return 0;
}
