// client NAME: asks three times, and expects the answer to its own last question, or none in time.
#include <nng/nng.h>
#include <nng/protocol/reqrep0/req.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(int status) {
  if (status != 0) abort();
}

static void ask(nng_socket socket, const char* name, int number) {
  char question[32] = "";
  char answer[32] = "";
  size_t size = sizeof(answer);
  snprintf(question, sizeof(question), "%s %d", name, number);
  check(nng_send(socket, question, strlen(question) + 1, 0));
  int result = nng_recv(socket, answer, &size, 0);
  if (result == NNG_ETIMEDOUT) return;
  check(result);
  if (strcmp(question, answer) != 0) abort();
}

int main(int count, char** words) {
  nng_socket socket;
  (void)count;
  check(nng_req0_open(&socket));
  check(nng_socket_set_ms(socket, NNG_OPT_REQ_RESENDTIME, 1000));
  check(nng_socket_set_ms(socket, NNG_OPT_RECVTIMEO, 5000));
  // The server may be gone for a while: a dialer that is not blocking tries again by itself.
  check(nng_dial(socket, "tcp://server:5555", NULL, NNG_FLAG_NONBLOCK));
  for (int number = 1; number <= 3; ++number) ask(socket, words[1], number);
  check(nng_close(socket));
  nng_fini();
}
