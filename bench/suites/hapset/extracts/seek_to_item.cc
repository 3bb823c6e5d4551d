// After the cursor over a list of items in Mozilla: an atomicity violation.
//
// `stale-position`: a reader looks for an item, lets go of the list, and then reads at the position
// that it has found. If another thread removes an item before that position in between, the reader
// has another item than the one it was looking for.
#include "extract.h"

namespace hapset {
namespace {

constexpr int capacity = 6;
constexpr int wanted = 104;
constexpr int redraws = 5;

struct List {
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  int items[capacity] = {100, 101, 102, 103, 104, 105};
  int size = capacity;
};

List list;
Statistics drawn;
bool stale_position = false;

int position_of(int item) {
  for (int i = 0; i < list.size; ++i) {
    if (list.items[i] == item) return i;
  }
  return 0;
}

int seek_to_item(int item) {
  pthread_mutex_lock(&list.lock);
  const int position = position_of(item);
  if (stale_position) {
    pthread_mutex_unlock(&list.lock);
    pthread_mutex_lock(&list.lock);
  }
  const int found = list.items[position];
  pthread_mutex_unlock(&list.lock);
  return found;
}

void remove_first() {
  pthread_mutex_lock(&list.lock);
  for (int i = 1; i < list.size; ++i) list.items[i - 1] = list.items[i];
  --list.size;
  pthread_mutex_unlock(&list.lock);
}

void* show_item(void*) {
  const int found = seek_to_item(wanted);
  assert(found == wanted);
  for (int i = 0; i < redraws; ++i) drawn.add(1);
  return nullptr;
}

void* shorten(void*) {
  remove_first();
  for (int i = 0; i < redraws; ++i) drawn.add(1);
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  stale_position = Arguments(count, words, {"stale-position"}).planted("stale-position");
  const pthread_t reader = start(show_item);
  const pthread_t writer = start(shorten);
  join(reader);
  join(writer);
  assert(drawn.total() == 2 * redraws);
  return 0;
}
