// Two users share an object that counts them; the last one deletes it.
//
// Bug: it deletes the object while it holds the mutex in it. Every schedule shows it.
#include <mutex>
#include <thread>

struct Shared {
  std::mutex mutex;
  int users = 2;
};

void leave(Shared* shared) {
  shared->mutex.lock();
  if (--shared->users == 0) {
    delete shared;  // <- bug: fails
    return;
  }
  shared->mutex.unlock();
}

int main() {
  auto* shared = new Shared;
  std::thread other(leave, shared);
  leave(shared);
  other.join();
}
