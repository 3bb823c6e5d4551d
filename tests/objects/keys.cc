// Thread keys that one thread deletes and another one uses. The first argument says how; with
// `joined` as the second one main waits for the other thread first, and nothing is wrong.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <cassert>
#include <cstring>

namespace {

int value = 1;
pthread_key_t key;
tss_t c11_key;
sem_t is_set;
std::atomic<bool> is_stopping = false;
std::atomic<int> destroyed = 0;

void count(void*) { ++destroyed; }
void create() { pthread_key_create(&key, nullptr); }

struct BeforeMain {
  BeforeMain() { create(); }
};
const BeforeMain before_main;

void remove() { pthread_key_delete(key); }
void nothing() {}

struct Meeting {
  const char* name;
  void (*before)();
  void (*one)();  // the other thread
  void (*two)();  // main
  void (*after)();
};

const Meeting meetings[] = {
    {"get", create, [] { pthread_getspecific(key); }, remove, nothing},
    {"set", create, [] { pthread_setspecific(key, &value); }, remove, nothing},
    {"c11_get", [] { tss_create(&c11_key, nullptr); }, [] { tss_get(c11_key); },
     [] { tss_delete(c11_key); }, nothing},
    {"c11_set", [] { tss_create(&c11_key, nullptr); }, [] { tss_set(c11_key, &value); },
     [] { tss_delete(c11_key); }, nothing},
    // Only between looking and using is there a moment in which it goes wrong.
    {"checked", create,
     [] {
       if (!is_stopping) pthread_getspecific(key);
     },
     [] {
       is_stopping = true;
       remove();
     },
     nothing},
    {"deleted_by_other", create, remove, [] { pthread_getspecific(key); }, nothing},
    // The number of a deleted key may be given to another one.
    {"used_again", create, [] { pthread_setspecific(key, &value); },
     [] {
       remove();
       pthread_key_t other;
       pthread_key_create(&other, nullptr);
     },
     nothing},
    // No misuse: but what a thread keeps is forgotten without a call of the destructor.
    {"destructor",
     [] {
       sem_init(&is_set, 0, 0);
       pthread_key_create(&key, count);
     },
     [] {
       pthread_setspecific(key, &value);
       sem_post(&is_set);
     },
     [] {
       sem_wait(&is_set);
       remove();
     },
     [] { assert(destroyed == 1); }},
    // Keys from before main may go while threads are there: then their values are gone, too.
    {"before_main", nothing,
     [] {
       pthread_setspecific(key, &value);
       assert(pthread_getspecific(key) == &value);
     },
     remove, nothing},
};

void* run(void* meeting) {
  static_cast<const Meeting*>(meeting)->one();
  return nullptr;
}

void meet(const Meeting& meeting, bool joins_first) {
  meeting.before();
  pthread_t thread;
  pthread_create(&thread, nullptr, run, const_cast<Meeting*>(&meeting));
  if (joins_first) pthread_join(thread, nullptr);
  meeting.two();
  if (!joins_first) pthread_join(thread, nullptr);
  meeting.after();
}

// Whoever is alone when it deletes the key may have come early, too.
void meet_detached() {
  create();
  pthread_t thread;
  pthread_create(&thread, nullptr, run, const_cast<Meeting*>(&meetings[0]));
  pthread_detach(thread);
  remove();
}

// Each has a key of its own, which it deletes: fine in every order.
void* use_own_key(void*) {
  pthread_key_t own;
  pthread_key_create(&own, nullptr);
  pthread_setspecific(own, &value);
  assert(pthread_getspecific(own) == &value);
  pthread_key_delete(own);
  return nullptr;
}

void meet_with_own_keys() {
  pthread_t thread;
  pthread_create(&thread, nullptr, use_own_key, nullptr);
  use_own_key(nullptr);
  pthread_join(thread, nullptr);
}

}  // namespace

int main(int count, char** arguments) {
  assert(count >= 2);
  const bool joins_first = count > 2 && std::strcmp(arguments[2], "joined") == 0;
  if (std::strcmp(arguments[1], "detached") == 0) meet_detached();
  if (std::strcmp(arguments[1], "own_keys") == 0) meet_with_own_keys();
  for (const Meeting& meeting : meetings) {
    if (std::strcmp(meeting.name, arguments[1]) == 0) meet(meeting, joins_first);
  }
  return 0;
}
