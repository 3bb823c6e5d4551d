// A thread sends, main receives, over the transport inside of a process. With an argument, main
// terminates the context while the thread waits for a message, and the thread closes its socket.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

static void* context;

static void check(int condition) {
  if (!condition) abort();
}

static void* send_one(void* unused) {
  void* socket = zmq_socket(context, ZMQ_PAIR);
  check(zmq_connect(socket, "inproc://driver") == 0);
  check(zmq_send(socket, "one", 4, 0) == 4);
  check(zmq_close(socket) == 0);
  return unused;
}

static void* wait_for_end(void* socket) {
  char buffer[4];
  check(zmq_recv(socket, buffer, sizeof(buffer), 0) == -1 && errno == ETERM);
  check(zmq_close(socket) == 0);
  return NULL;
}

static void exchange() {
  pthread_t thread;
  char buffer[4];
  void* socket = zmq_socket(context, ZMQ_PAIR);
  check(zmq_bind(socket, "inproc://driver") == 0);
  pthread_create(&thread, NULL, send_one, NULL);
  check(zmq_recv(socket, buffer, sizeof(buffer), 0) == 4 && strcmp(buffer, "one") == 0);
  pthread_join(thread, NULL);
  check(zmq_close(socket) == 0);
  check(zmq_ctx_term(context) == 0);
}

static void terminate() {
  pthread_t thread;
  void* socket = zmq_socket(context, ZMQ_PULL);
  check(zmq_bind(socket, "inproc://driver") == 0);
  pthread_create(&thread, NULL, wait_for_end, socket);
  check(zmq_ctx_term(context) == 0);
  pthread_join(thread, NULL);
}

int main(int count, char** arguments) {
  (void)arguments;
  context = zmq_ctx_new();
  if (count == 1) exchange();
  if (count > 1) terminate();
}
