// Without an argument: a thread asks, main answers, over the transport inside of a process; then
// everything is closed. With one: main starts a sleep, which a thread cancels; main waits for its
// end and asks for the result.
#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <nng/protocol/reqrep0/req.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void check(int status) {
  if (status != 0) abort();
}

static void* ask(void* unused) {
  nng_socket socket;
  char answer[4];
  size_t size = sizeof(answer);
  check(nng_req0_open(&socket));
  check(nng_dial(socket, "inproc://driver", NULL, 0));
  check(nng_send(socket, "one", 4, 0));
  check(nng_recv(socket, answer, &size, 0));
  if (strcmp(answer, "two") != 0) abort();
  check(nng_close(socket));
  return unused;
}

static void exchange() {
  nng_socket socket;
  char question[4];
  size_t size = sizeof(question);
  pthread_t thread;
  check(nng_rep0_open(&socket));
  check(nng_listen(socket, "inproc://driver", NULL, 0));
  pthread_create(&thread, NULL, ask, NULL);
  check(nng_recv(socket, question, &size, 0));
  if (strcmp(question, "one") != 0) abort();
  check(nng_send(socket, "two", 4, 0));
  pthread_join(thread, NULL);
  check(nng_close(socket));
}

static void* cancel(void* operation) {
  nng_aio_cancel(operation);
  return NULL;
}

static void sleep_and_cancel() {
  nng_aio* operation;
  pthread_t thread;
  check(nng_aio_alloc(&operation, NULL, NULL));
  nng_sleep_aio(10, operation);
  pthread_create(&thread, NULL, cancel, operation);
  nng_aio_wait(operation);
  int result = nng_aio_result(operation);
  if (result != 0 && result != NNG_ECANCELED) abort();
  pthread_join(thread, NULL);
  nng_aio_free(operation);
}

int main(int count, char** arguments) {
  (void)arguments;
  if (count == 1) exchange();
  if (count > 1) sleep_and_cancel();
  nng_fini();
}
