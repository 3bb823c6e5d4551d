// A list in C. The argument says how the program tells what it allocates; a node is freed while
// another thread looks at it.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct node {
  int value;
  struct node* next;
};
typedef struct node other_name;

struct list {
  pthread_mutex_t lock;
  struct node* head;
};

static struct list* the_list;

static struct node* make(const char* how, int value) {
  if (strcmp(how, "declared") == 0) {
    struct node* made = malloc(sizeof *made);
    made->value = value;
    return made;
  }
  void* made = NULL;
  if (strcmp(how, "by_size") == 0) made = malloc(sizeof(struct node));
  if (strcmp(how, "by_cast") == 0) made = (struct node*)calloc(1, 16);
  if (strcmp(how, "by_other_name") == 0) made = malloc(sizeof(other_name));
  ((struct node*)made)->value = value;
  return made;
}

static void add(other_name* made) {
  made->next = the_list->head;
  the_list->head = made;
}

static struct node* first(void) {
  pthread_mutex_lock(&the_list->lock);
  struct node* found = the_list->head;
  pthread_mutex_unlock(&the_list->lock);
  return found;
}

static void* look(void* unused) {
  struct node* found = first();
  if (found != NULL && found->value == 0) abort();
  return unused;
}

static void* take_out(void* unused) {
  pthread_mutex_lock(&the_list->lock);
  struct node* gone = the_list->head;
  the_list->head = gone->next;
  pthread_mutex_unlock(&the_list->lock);
  free(gone);
  return unused;
}

int main(int count, char** arguments) {
  if (count < 2) return 2;
  the_list = malloc(sizeof *the_list);
  pthread_mutex_init(&the_list->lock, NULL);
  the_list->head = NULL;
  add(make(arguments[1], 2));
  add(make(arguments[1], 1));
  pthread_t threads[2];
  pthread_create(&threads[0], NULL, look, NULL);
  pthread_create(&threads[1], NULL, take_out, NULL);
  pthread_join(threads[0], NULL);
  pthread_join(threads[1], NULL);
  return 0;
}
