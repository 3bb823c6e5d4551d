// One piece of memory at two addresses, by ways that the first argument names: `memfd`, `file`,
// `segment` (System V), `part` (the second mapping begins in the middle of the first one). The
// second argument says what two threads do with it, each at its own address: `atomics` lose an
// update, `plain` accesses race, a `mutex` keeps them apart, a `semaphore` hands over.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include <atomic>
#include <cassert>
#include <cstring>
#include <new>
#include <thread>

namespace {

constexpr std::size_t page = 4096;

struct Shared {
  std::atomic<int> atomic;
  int plain;
  pthread_mutex_t mutex;
  sem_t semaphore;
};

struct Views {
  char* one;
  char* two;  // the same memory
};

char* map(int file, std::size_t size, off_t offset) {
  void* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
  assert(memory != MAP_FAILED);
  return static_cast<char*>(memory);
}

Views views_of(const char* way) {
  if (std::strcmp(way, "segment") == 0) {
    const int id = shmget(IPC_PRIVATE, page, IPC_CREAT | 0600);
    const Views views = {static_cast<char*>(shmat(id, nullptr, 0)),
                         static_cast<char*>(shmat(id, nullptr, 0))};
    shmctl(id, IPC_RMID, nullptr);
    return views;
  }
  const bool is_file = std::strcmp(way, "file") == 0;
  const int file = is_file ? open("mapped", O_CREAT | O_RDWR, 0600) : memfd_create("memory", 0);
  assert(ftruncate(file, 2 * page) == 0);
  if (std::strcmp(way, "part") == 0) return {map(file, 2 * page, 0) + page, map(file, page, page)};
  return {map(file, page, 0), map(file, page, 0)};
}

void add_with_atomics(Shared& shared) { shared.atomic = shared.atomic + 1; }
void add_plainly(Shared& shared) { shared.plain = shared.plain + 1; }
void add_with_mutex(Shared& shared) {
  pthread_mutex_lock(&shared.mutex);
  add_plainly(shared);
  pthread_mutex_unlock(&shared.mutex);
}
void add_with_semaphore(Shared& shared) {
  sem_wait(&shared.semaphore);
  add_plainly(shared);
  sem_post(&shared.semaphore);
}

using Add = void (*)(Shared&);

Add add_of(const char* what) {
  if (std::strcmp(what, "atomics") == 0) return add_with_atomics;
  if (std::strcmp(what, "plain") == 0) return add_plainly;
  return std::strcmp(what, "mutex") == 0 ? add_with_mutex : add_with_semaphore;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) return 2;
  const Views views = views_of(arguments[1]);
  const Add add = add_of(arguments[2]);
  auto* one = new (views.one) Shared;
  auto* two = reinterpret_cast<Shared*>(views.two);
  one->atomic = one->plain = 0;
  pthread_mutex_init(&one->mutex, nullptr);
  sem_init(&one->semaphore, 1, 1);
  std::thread first([=] { add(*one); });
  std::thread second([=] { add(*two); });
  first.join();
  second.join();
  assert(one->atomic + two->plain == 2);
}
