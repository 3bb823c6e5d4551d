// A thread sends, main receives, over the transport inside of a process; then both close their
// sockets.
#include <nn.h>
#include <pair.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void check(int condition) {
  if (!condition) abort();
}

static void* send_one(void* unused) {
  int socket = nn_socket(AF_SP, NN_PAIR);
  check(nn_connect(socket, "inproc://driver") >= 0);
  check(nn_send(socket, "one", 4, 0) == 4);
  char buffer[4];
  check(nn_recv(socket, buffer, sizeof(buffer), 0) == 4 && strcmp(buffer, "two") == 0);
  check(nn_close(socket) == 0);
  return unused;
}

int main() {
  pthread_t thread;
  char buffer[4];
  int socket = nn_socket(AF_SP, NN_PAIR);
  check(nn_bind(socket, "inproc://driver") >= 0);
  pthread_create(&thread, NULL, send_one, NULL);
  check(nn_recv(socket, buffer, sizeof(buffer), 0) == 4 && strcmp(buffer, "one") == 0);
  check(nn_send(socket, "two", 4, 0) == 4);
  pthread_join(thread, NULL);
  check(nn_close(socket) == 0);
}
