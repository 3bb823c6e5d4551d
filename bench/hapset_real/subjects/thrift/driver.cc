// The load test of Thrift's own tests, as small as the paper has it: WORKERS, each with five tasks,
// on a thread manager that is stopped at the end.
#include <thrift/concurrency/Monitor.h>
#include <thrift/concurrency/ThreadManager.h>

#include <cassert>
#include <cstdlib>
#include <memory>

using namespace apache::thrift::concurrency;

namespace {

constexpr std::size_t tasks_of_worker = 5;

class Task : public Runnable {
 public:
  Task(Monitor& monitor, std::size_t& left) : monitor_(monitor), left_(left) {}

  void run() override {
    Synchronized guard(monitor_);
    if (--left_ == 0) monitor_.notify();
  }

 private:
  Monitor& monitor_;
  std::size_t& left_;
};

}  // namespace

int main(int, char** arguments) {
  const auto workers = static_cast<std::size_t>(std::atoi(arguments[1]));
  Monitor monitor;
  std::size_t left = workers * tasks_of_worker;
  const std::shared_ptr<ThreadManager> manager = ThreadManager::newSimpleThreadManager(workers);
  manager->threadFactory(std::make_shared<ThreadFactory>(false));
  manager->start();
  for (std::size_t i = left; i > 0; --i) manager->add(std::make_shared<Task>(monitor, left));
  {
    Synchronized guard(monitor);
    while (left > 0) monitor.wait();
  }
  manager->stop();
  assert(manager->workerCount() == 0);
}
