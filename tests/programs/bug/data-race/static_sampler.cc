// A thread that a static object starts before main samples a counter, and main counts, without
// anything that orders the two. The object's destructor joins the thread after main.
#include <atomic>
#include <thread>

namespace {

int counter = 0;

class Sampler {
 public:
  Sampler() : thread_([this] { last_ = counter; }) {}  // <- bug: reads
  ~Sampler() { thread_.join(); }

 private:
  std::atomic<int> last_ = 0;
  std::thread thread_;
};

Sampler sampler;

}  // namespace

int main() { ++counter; }  // <- bug: writes
