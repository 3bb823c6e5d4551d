/* A queue that clients share, in C and with the streams of the C library:
 *
 *   serve right|wrong    a thread for each client; `wrong` gives out the last one
 *   use NAME WORDS       pushes for each +, pops for each -, and reports what it asks and gets */
#include <netdb.h>
#include <pthread.h>
#include <ricercar/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int items[16], count, gives_last;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void take(FILE *out) {
  if (count == 0) {
    fprintf(out, "none\n");
    return;
  }
  const int at = gives_last ? count - 1 : 0;
  fprintf(out, "%d\n", items[at]);
  --count;
  memmove(items + at, items + at + 1, (size_t)(count - at) * sizeof *items);
}

static void *serve_one(void *number) {
  FILE *in = fdopen((int)(long)number, "r"), *out = fdopen(dup((int)(long)number), "w");
  char line[32];
  while (fgets(line, sizeof line, in) != NULL) {
    pthread_mutex_lock(&mutex);
    if (line[0] == '-') {
      take(out);
    } else {
      items[count++] = atoi(line);
      fprintf(out, "done\n");
    }
    pthread_mutex_unlock(&mutex);
    fflush(out);
  }
  fclose(in);
  fclose(out);
  return NULL;
}

static int serve(void) {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in own = {.sin_family = AF_INET, .sin_port = htons(7000)};
  if (bind(listener, (struct sockaddr *)&own, sizeof own) != 0 || listen(listener, 4) != 0)
    return 2;
  for (;;) {
    pthread_t thread;
    const long client = accept(listener, NULL, NULL);
    pthread_create(&thread, NULL, serve_one, (void *)client);
    pthread_detach(thread);
  }
}

static int connected(void) {
  struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM}, *list = NULL;
  if (getaddrinfo("queue", "7000", &hints, &list) != 0) exit(2);
  const int number = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(number, list->ai_addr, list->ai_addrlen) != 0) exit(2);
  freeaddrinfo(list);
  return number;
}

static int use(const char *name, const char *words) {
  const int number = connected();
  FILE *in = fdopen(number, "r"), *out = fdopen(dup(number), "w");
  int next = name[0];
  char line[32];
  for (; *words != 0; ++words) {
    const struct ricercar_value value = ricercar_integer(++next);
    const int pushes = *words == '+';
    ricercar_invoke(name, pushes ? "push" : "pop", &value, pushes ? 1 : 0);
    pushes ? fprintf(out, "%d\n", next) : fprintf(out, "-\n");
    fflush(out);
    if (fgets(line, sizeof line, in) == NULL) return 2;
    if (pushes || line[0] == 'n') {
      ricercar_respond(name);
    } else {
      ricercar_respond_with(name, ricercar_integer(atoi(line)));
    }
  }
  return 0;
}

int main(int words, char **arguments) {
  if (words < 3) return 2;
  gives_last = strcmp(arguments[2], "wrong") == 0;
  return strcmp(arguments[1], "serve") == 0 ? serve() : use(arguments[2], arguments[3]);
}
