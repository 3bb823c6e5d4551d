// Thread-specific data: each thread has its own value under a key; at the end of a thread the
// destructor frees a value that is not null, and is called again if it sets one.
#include <pthread.h>

#include <cassert>

namespace {

void expect(int expected, int result) { assert(result == expected); }

pthread_key_t key;
pthread_key_t plain_key;
int destructor_calls[2] = {0, 0};

struct Value {
  int owner;
  bool again;
};

void destroy(void* pointer) {
  Value* const value = static_cast<Value*>(pointer);
  ++destructor_calls[value->owner];
  if (value->again) {
    value->again = false;
    expect(0, pthread_setspecific(key, value));
    return;
  }
  delete value;
}

void* run(void* argument) {
  const int owner = *static_cast<int*>(argument);
  assert(pthread_getspecific(key) == nullptr);
  expect(0, pthread_setspecific(key, new Value{owner, owner == 1}));
  expect(0, pthread_setspecific(plain_key, argument));
  assert(static_cast<Value*>(pthread_getspecific(key))->owner == owner);
  assert(pthread_getspecific(plain_key) == argument);
  return nullptr;
}

}  // namespace

int main() {
  expect(0, pthread_key_create(&key, destroy));
  expect(0, pthread_key_create(&plain_key, nullptr));
  int owners[2] = {0, 1};
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) expect(0, pthread_create(&threads[i], nullptr, run, &owners[i]));
  for (pthread_t thread : threads) expect(0, pthread_join(thread, nullptr));
  assert(pthread_getspecific(key) == nullptr);
  assert(destructor_calls[0] == 1);
  assert(destructor_calls[1] == 2);
  expect(0, pthread_key_delete(key));
  expect(0, pthread_key_delete(plain_key));
  return 0;
}
