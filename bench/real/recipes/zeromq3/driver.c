// What the argument asks for:
//   exchange   a thread sends, main receives, over the transport inside of a process
//   ipc        the same over a socket of the system, with an I/O thread
//   terminate  main terminates the context while a thread waits for a message, then closes its
//   socket shutdown   a thread shuts the context down while main uses a socket
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <zmq.h>

static void* context;

static void check(int condition) {
  if (!condition) abort();
}

static void* send_one(void* address) {
  void* socket = zmq_socket(context, ZMQ_PAIR);
  check(zmq_connect(socket, address) == 0);
  check(zmq_send(socket, "one", 4, 0) == 4);
  check(zmq_close(socket) == 0);
  return NULL;
}

static void exchange(char* address) {
  pthread_t thread;
  char buffer[4];
  void* socket = zmq_socket(context, ZMQ_PAIR);
  check(zmq_bind(socket, address) == 0);
  pthread_create(&thread, NULL, send_one, address);
  check(zmq_recv(socket, buffer, sizeof(buffer), 0) == 4 && strcmp(buffer, "one") == 0);
  pthread_join(thread, NULL);
  check(zmq_close(socket) == 0);
  check(zmq_ctx_term(context) == 0);
}

static void* wait_for_end(void* socket) {
  char buffer[4];
  check(zmq_recv(socket, buffer, sizeof(buffer), 0) == -1 && errno == ETERM);
  check(zmq_close(socket) == 0);
  return NULL;
}

static void terminate() {
  pthread_t thread;
  void* socket = zmq_socket(context, ZMQ_PULL);
  check(zmq_bind(socket, "inproc://driver") == 0);
  pthread_create(&thread, NULL, wait_for_end, socket);
  check(zmq_ctx_term(context) == 0);
  pthread_join(thread, NULL);
}

static void* shut_down(void* unused) {
  check(zmq_ctx_shutdown(context) == 0);
  return unused;
}

static void use_and_shut_down() {
  pthread_t thread;
  pthread_create(&thread, NULL, shut_down, NULL);
  void* socket = zmq_socket(context, ZMQ_PULL);
  if (socket != NULL) {
    char buffer[4];
    zmq_connect(socket, "inproc://nobody");
    check(zmq_recv(socket, buffer, sizeof(buffer), 0) == -1 && errno == ETERM);
    check(zmq_close(socket) == 0);
  }
  pthread_join(thread, NULL);
  check(zmq_ctx_term(context) == 0);
}

int main(int count, char** arguments) {
  const char* mode = count > 1 ? arguments[1] : "exchange";
  context = zmq_ctx_new();
  if (strcmp(mode, "exchange") == 0) exchange("inproc://driver");
  if (strcmp(mode, "ipc") == 0) exchange("ipc://@ricercar-driver");
  if (strcmp(mode, "terminate") == 0) terminate();
  if (strcmp(mode, "shutdown") == 0) use_and_shut_down();
}
