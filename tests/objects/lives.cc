// Synchronisation objects that end while another thread uses them. The first argument says which
// object and what is done with it, the second one how it ends: `destroyed` and `freed` by another
// thread, at any time; `alive`: after both threads are done with it.
//
// The first thread goes first by itself, and then nothing is wrong: the search has to let the other
// one go before it.
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {

struct Object {
  const char* name;
  void (*make)(void*);
  void (*use)(void*);
  void (*destroy)(void*);  // null: it cannot be destroyed, only freed
};

template <typename T>
T* as(void* memory) {
  return static_cast<T*>(memory);
}

timespec long_ago() { return {1, 0}; }

void make_mutex(void* memory) { pthread_mutex_init(as<pthread_mutex_t>(memory), nullptr); }
void destroy_mutex(void* memory) { pthread_mutex_destroy(as<pthread_mutex_t>(memory)); }
void unlock_if(int error, void* memory) {
  if (error == 0) pthread_mutex_unlock(as<pthread_mutex_t>(memory));
}
void make_rwlock(void* memory) { pthread_rwlock_init(as<pthread_rwlock_t>(memory), nullptr); }
void destroy_rwlock(void* memory) { pthread_rwlock_destroy(as<pthread_rwlock_t>(memory)); }
void unlock_rwlock_if(int error, void* memory) {
  if (error == 0) pthread_rwlock_unlock(as<pthread_rwlock_t>(memory));
}
void make_condition(void* memory) { pthread_cond_init(as<pthread_cond_t>(memory), nullptr); }
void destroy_condition(void* memory) { pthread_cond_destroy(as<pthread_cond_t>(memory)); }
void make_semaphore(void* memory) { sem_init(as<sem_t>(memory), 0, 2); }
void destroy_semaphore(void* memory) { sem_destroy(as<sem_t>(memory)); }

template <typename T>
void construct(void* memory) {
  new (memory) T;
}

const Object objects[] = {
    {"mutex_lock", make_mutex,
     [](void* m) { unlock_if(pthread_mutex_lock(as<pthread_mutex_t>(m)), m); }, destroy_mutex},
    {"mutex_trylock", make_mutex,
     [](void* m) { unlock_if(pthread_mutex_trylock(as<pthread_mutex_t>(m)), m); }, destroy_mutex},
    {"mutex_timedlock", make_mutex,
     [](void* m) {
       const timespec limit = long_ago();
       unlock_if(pthread_mutex_timedlock(as<pthread_mutex_t>(m), &limit), m);
     },
     destroy_mutex},
    {"rwlock_read", make_rwlock,
     [](void* m) { unlock_rwlock_if(pthread_rwlock_rdlock(as<pthread_rwlock_t>(m)), m); },
     destroy_rwlock},
    {"rwlock_write", make_rwlock,
     [](void* m) { unlock_rwlock_if(pthread_rwlock_wrlock(as<pthread_rwlock_t>(m)), m); },
     destroy_rwlock},
    {"rwlock_tryread", make_rwlock,
     [](void* m) { unlock_rwlock_if(pthread_rwlock_tryrdlock(as<pthread_rwlock_t>(m)), m); },
     destroy_rwlock},
    {"spin", [](void* m) { pthread_spin_init(as<pthread_spinlock_t>(m), 0); },
     [](void* m) {
       pthread_spin_lock(as<pthread_spinlock_t>(m));
       pthread_spin_unlock(as<pthread_spinlock_t>(m));
     },
     [](void* m) { pthread_spin_destroy(as<pthread_spinlock_t>(m)); }},
    {"condition_signal", make_condition,
     [](void* m) { pthread_cond_signal(as<pthread_cond_t>(m)); }, destroy_condition},
    {"condition_broadcast", make_condition,
     [](void* m) { pthread_cond_broadcast(as<pthread_cond_t>(m)); }, destroy_condition},
    {"condition_wait", make_condition,
     [](void* m) {
       pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
       const timespec limit = long_ago();
       pthread_mutex_lock(&mutex);
       pthread_cond_timedwait(as<pthread_cond_t>(m), &mutex, &limit);
       pthread_mutex_unlock(&mutex);
     },
     destroy_condition},
    {"semaphore_post", make_semaphore, [](void* m) { sem_post(as<sem_t>(m)); }, destroy_semaphore},
    {"semaphore_wait", make_semaphore, [](void* m) { sem_wait(as<sem_t>(m)); }, destroy_semaphore},
    {"semaphore_trywait", make_semaphore, [](void* m) { sem_trywait(as<sem_t>(m)); },
     destroy_semaphore},
    {"semaphore_value", make_semaphore,
     [](void* m) {
       int value;
       sem_getvalue(as<sem_t>(m), &value);
     },
     destroy_semaphore},
    {"barrier", [](void* m) { pthread_barrier_init(as<pthread_barrier_t>(m), nullptr, 1); },
     [](void* m) { pthread_barrier_wait(as<pthread_barrier_t>(m)); },
     [](void* m) { pthread_barrier_destroy(as<pthread_barrier_t>(m)); }},
    {"once", [](void* m) { *as<pthread_once_t>(m) = PTHREAD_ONCE_INIT; },
     [](void* m) { pthread_once(as<pthread_once_t>(m), [] {}); }, nullptr},
    {"c11_mutex", [](void* m) { mtx_init(as<mtx_t>(m), mtx_plain); },
     [](void* m) {
       mtx_lock(as<mtx_t>(m));
       mtx_unlock(as<mtx_t>(m));
     },
     [](void* m) { mtx_destroy(as<mtx_t>(m)); }},
    {"c11_condition", [](void* m) { cnd_init(as<cnd_t>(m)); },
     [](void* m) { cnd_signal(as<cnd_t>(m)); }, [](void* m) { cnd_destroy(as<cnd_t>(m)); }},
    {"cxx_mutex", construct<std::mutex>,
     [](void* m) { const std::lock_guard<std::mutex> guard(*as<std::mutex>(m)); }, nullptr},
    {"cxx_shared_mutex", construct<std::shared_mutex>,
     [](void* m) { const std::shared_lock<std::shared_mutex> guard(*as<std::shared_mutex>(m)); },
     nullptr},
    {"cxx_condition", construct<std::condition_variable>,
     [](void* m) { as<std::condition_variable>(m)->notify_all(); },
     [](void* m) { as<std::condition_variable>(m)->~condition_variable(); }},
    {"cxx_once", construct<std::once_flag>,
     [](void* m) { std::call_once(*as<std::once_flag>(m), [] {}); }, nullptr},
};

const Object& find(const char* name) {
  for (const Object& object : objects) {
    if (std::strcmp(object.name, name) == 0) return object;
  }
  std::fprintf(stderr, "no object %s\n", name);
  std::exit(2);
}

void end(const Object& object, const std::string& how, void* memory) {
  if (how == "destroyed") object.destroy(memory);
  if (how == "freed") std::free(memory);
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const Object& object = find(arguments[1]);
  const std::string how = arguments[2];
  void* memory = std::malloc(64);
  object.make(memory);
  std::atomic<bool> keep = false;
  std::thread other([&] {
    if (!keep) end(object, how, memory);
  });
  object.use(memory);
  other.join();
  if (how == "alive") {
    object.use(memory);
    if (object.destroy != nullptr) object.destroy(memory);
    std::free(memory);
  }
}
