// Static objects make thread keys before main and delete them after it, as test libraries do: in
// every execution the keys are there again, with their values and destructors, and a deleted key is
// gone.
#include <pthread.h>

#include <cassert>
#include <cerrno>
#include <cstdlib>
#include <thread>

namespace {

void expect(int expected, int result) {
  if (result != expected) std::abort();
}

int destroyed = 0;

class Key {
 public:
  explicit Key(void (*destructor)(void*)) { expect(0, pthread_key_create(&key_, destructor)); }
  ~Key() {
    if (deleted_) return;
    expect(0, pthread_key_delete(key_));
    expect(EINVAL, pthread_setspecific(key_, this));
  }
  void set(const void* value) const { expect(0, pthread_setspecific(key_, value)); }
  void* get() const { return pthread_getspecific(key_); }
  void remove() {
    deleted_ = true;
    expect(0, pthread_key_delete(key_));
    expect(EINVAL, pthread_key_delete(key_));
  }

 private:
  pthread_key_t key_ = 0;
  bool deleted_ = false;
};

Key plain(nullptr);
Key with_destructor([](void*) { ++destroyed; });
Key removed_in_main(nullptr);

// A value from before main belongs to the main thread.
const int early_value = 7;
const bool is_set = [] {
  plain.set(&early_value);
  return true;
}();

}  // namespace

int main() {
  assert(is_set && plain.get() == &early_value && with_destructor.get() == nullptr);
  plain.set(nullptr);
  removed_in_main.set(&early_value);
  removed_in_main.remove();
  std::thread one([] {
    assert(plain.get() == nullptr);
    with_destructor.set(&early_value);
  });
  one.join();
  assert(destroyed == 1);
  std::thread two([] { with_destructor.set(&early_value); });
  two.join();
  assert(destroyed == 2);
}
