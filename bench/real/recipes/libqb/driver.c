// A thread writes two chunks into a ring buffer, main reads them in order. The files of the buffer
// are removed first: an execution that was cut has left them.
#include <pthread.h>
#include <qb/qbrb.h>
#include <stdlib.h>
#include <unistd.h>

static qb_ringbuffer_t* ring;

static void* produce(void* unused) {
  for (int i = 1; i <= 2; ++i) {
    if (qb_rb_chunk_write(ring, &i, sizeof(i)) != sizeof(i)) abort();
  }
  return unused;
}

int main() {
  pthread_t thread;
  unlink("/dev/shm/qb-ricercar-driver-header");
  unlink("/dev/shm/qb-ricercar-driver-data");
  ring = qb_rb_open("ricercar-driver", 4096, QB_RB_FLAG_CREATE | QB_RB_FLAG_SHARED_THREAD, 0);
  if (ring == NULL) abort();
  pthread_create(&thread, NULL, produce, NULL);
  for (int i = 1; i <= 2; ++i) {
    int value = 0;
    if (qb_rb_chunk_read(ring, &value, sizeof(value), -1) != sizeof(value) || value != i) abort();
  }
  pthread_join(thread, NULL);
  qb_rb_close(ring);
}
