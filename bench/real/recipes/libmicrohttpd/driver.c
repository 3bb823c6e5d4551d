// A server and its client in one process: the client asks once over a socket pair, then the server
// stops.
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static enum MHD_Result answer(void* unused, struct MHD_Connection* connection, const char* path,
                              const char* method, const char* version, const char* data,
                              size_t* size, void** state) {
  (void)unused, (void)path, (void)method, (void)version, (void)data, (void)size, (void)state;
  struct MHD_Response* response = MHD_create_response_from_buffer(2, "ok", MHD_RESPMEM_PERSISTENT);
  enum MHD_Result result = MHD_queue_response(connection, MHD_HTTP_OK, response);
  MHD_destroy_response(response);
  return result;
}

static void ask(int descriptor) {
  static const char request[] = "GET / HTTP/1.0\r\n\r\n";
  char buffer[1000] = "";
  size_t got = 0;
  if (write(descriptor, request, strlen(request)) != (ssize_t)strlen(request)) abort();
  for (ssize_t n; (n = read(descriptor, buffer + got, sizeof(buffer) - 1 - got)) > 0;) got += n;
  buffer[got] = 0;
  if (strstr(buffer, "200 OK") == NULL || strstr(buffer, "\r\n\r\nok") == NULL) abort();
}

int main(int count, char** arguments) {
  (void)arguments;
  unsigned flags =
      MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ITC;
  if (count > 1) flags |= MHD_USE_THREAD_PER_CONNECTION;
  int ends[2];
  struct sockaddr address = {.sa_family = AF_UNIX};
  struct MHD_Daemon* server = MHD_start_daemon(flags, 0, NULL, NULL, answer, NULL, MHD_OPTION_END);
  if (server == NULL || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) abort();
  if (MHD_add_connection(server, ends[1], &address, sizeof(address)) != MHD_YES) abort();
  ask(ends[0]);
  close(ends[0]);
  MHD_stop_daemon(server);
}
