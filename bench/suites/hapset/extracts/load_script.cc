// After the loading of scripts in Mozilla: an atomicity violation.
//
// `shared-current`: the script that is being loaded is kept in one global variable, which is set
// when the load begins and read when it is complete. Each access is locked, the pair is not: if
// another document begins a load in between, the wrong script is compiled.
#include "extract.h"

namespace hapset {
namespace {

constexpr int documents = 2;
constexpr int chunks = 3;

struct Script {
  int owner = 0;
  int compiled = 0;
};

pthread_mutex_t current_lock = PTHREAD_MUTEX_INITIALIZER;
Script* current = nullptr;
Script scripts[documents];
Statistics bytes;
Mailbox events;
bool shared_current = false;

void load_script(Script* script) {
  pthread_mutex_lock(&current_lock);
  current = script;
  if (shared_current) {
    pthread_mutex_unlock(&current_lock);
    pthread_mutex_lock(&current_lock);
  }
  ++current->compiled;
  pthread_mutex_unlock(&current_lock);
}

void* load_document(void* argument) {
  Script* script = static_cast<Script*>(argument);
  load_script(script);
  for (int i = 0; i < chunks; ++i) {
    bytes.add(64);
    events.post(script->owner);
  }
  return nullptr;
}

}  // namespace
}  // namespace hapset

int main(int count, char** words) {
  using namespace hapset;
  shared_current = Arguments(count, words, {"shared-current"}).planted("shared-current");
  pthread_t threads[documents];
  for (int i = 0; i < documents; ++i) {
    scripts[i].owner = i;
    threads[i] = start(load_document, &scripts[i]);
  }
  for (const pthread_t thread : threads) join(thread);
  for (const Script& script : scripts) assert(script.compiled == 1);
  assert(bytes.total() == documents * chunks * 64);
  return 0;
}
