// Answers every request with itself, for ever.
#include <nng/nng.h>
#include <nng/protocol/reqrep0/rep.h>
#include <stdlib.h>

static void check(int status) {
  if (status != 0) abort();
}

int main() {
  nng_socket socket;
  check(nng_rep0_open(&socket));
  check(nng_listen(socket, "tcp://0.0.0.0:5555", NULL, 0));
  for (;;) {
    nng_msg* message;
    check(nng_recvmsg(socket, &message, 0));
    check(nng_sendmsg(socket, message, 0));
  }
}
