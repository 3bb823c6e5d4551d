// A server with one worker, and a client in the same process that asks once. The server may lose
// patience, because its time limits are part of the search: then there is no answer.
#include <arpa/inet.h>
#include <civetweb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int answer(struct mg_connection* connection, void* unused) {
  (void)unused;
  mg_printf(connection, "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok");
  return 200;
}

static void ask(int port) {
  static const char request[] = "GET / HTTP/1.0\r\n\r\n";
  struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  char buffer[1000] = "";
  size_t got = 0;
  int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, (struct sockaddr*)&address, sizeof(address)) != 0) abort();
  if (write(client, request, strlen(request)) != (ssize_t)strlen(request)) abort();
  for (ssize_t n; (n = read(client, buffer + got, sizeof(buffer) - 1 - got)) > 0;) got += n;
  if (got > 0 && strstr(buffer, "\r\n\r\nok") == NULL && strstr(buffer, " 408 ") == NULL) abort();
  close(client);
}

int main() {
  const char* options[] = {"listening_ports", "127.0.0.1:0", "num_threads", "1", NULL};
  struct mg_server_port ports[1];
  mg_init_library(0);
  struct mg_context* server = mg_start(NULL, NULL, options);
  if (server == NULL || mg_get_server_ports(server, 1, ports) != 1) abort();
  mg_set_request_handler(server, "/", answer, NULL);
  ask(ports[0].port);
  mg_stop(server);
  mg_exit_library();
}
