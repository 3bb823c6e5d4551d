#include "thread.h"

#include "errors.h"

namespace hapset::pool {

Thread::Thread(ThreadOptions options, std::unique_ptr<Runnable> runnable)
    : options_(options), runnable_(std::move(runnable)) {}

Thread::~Thread() { join(); }

void Thread::start() {
  if (is_joinable_) throw InvalidState("the thread was started before");
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) throw SystemFailure("no attributes of a thread");
  if (options_.stack_bytes != 0) pthread_attr_setstacksize(&attributes, options_.stack_bytes);
  const int error = pthread_create(&native_, &attributes, &Thread::enter, runnable_.get());
  pthread_attr_destroy(&attributes);
  if (error != 0) throw SystemFailure("no thread");
  is_joinable_ = true;
}

// The new thread sees its runnable only: start() may not have come back when it runs.
void* Thread::enter(void* argument) {
  static_cast<Runnable*>(argument)->run();
  return nullptr;
}

void Thread::join() {
  if (!is_joinable_) return;
  is_joinable_ = false;
  pthread_join(native_, nullptr);
}

bool Thread::is_current() const {
  return is_joinable_ && pthread_equal(native_, pthread_self()) != 0;
}

std::unique_ptr<Thread> ThreadFactory::make(std::unique_ptr<Runnable> runnable) const {
  Runnable* const body = runnable.get();
  auto thread = std::make_unique<Thread>(options_, std::move(runnable));
  body->set_thread(thread.get());
  return thread;
}

}  // namespace hapset::pool
