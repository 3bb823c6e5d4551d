// Two users share an object that counts them; the last one deletes it.
//
// The last one unlocks the mutex before it deletes the object: nobody else knows it any more.
#include <mutex>
#include <thread>

struct Shared {
  std::mutex mutex;
  int users = 2;
};

void leave(Shared* shared) {
  shared->mutex.lock();
  const bool is_last = --shared->users == 0;
  shared->mutex.unlock();
  if (is_last) delete shared;
}

int main() {
  auto* shared = new Shared;
  std::thread other(leave, shared);
  leave(shared);
  other.join();
}
