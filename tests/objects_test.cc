// What threads share besides memory: synchronisation objects that end while they are used.
#include "support/tool.h"

namespace ricercar::test {
namespace {

constexpr int bug = 1;
constexpr const char* lives = "objects/lives.cc";

class Lives : public ToolTest {
 protected:
  static Finished search(const std::string& strategy, const std::string& object,
                         const std::string& end) {
    return tool({"run", "--strategy", strategy, "--executions", "1000", "--out", "out",
                 program(lives), object, end});
  }
};

const char* const destroyable[] = {"mutex_lock",
                                   "mutex_trylock",
                                   "mutex_timedlock",
                                   "rwlock_read",
                                   "rwlock_write",
                                   "rwlock_tryread",
                                   "spin",
                                   "condition_signal",
                                   "condition_wait",
                                   "semaphore_post",
                                   "condition_broadcast",
                                   "semaphore_wait",
                                   "semaphore_trywait",
                                   "semaphore_value",
                                   "barrier",
                                   "c11_mutex",
                                   "c11_condition",
                                   "cxx_condition"};
const char* const only_freed[] = {"once", "cxx_mutex", "cxx_shared_mutex", "cxx_once"};

TEST_F(Lives, OfObjectsThatAreDestroyedEndTheirUse) {
  for (const char* object : destroyable) {
    SCOPED_TRACE(object);
    expect(search("dpor", object, "destroyed"), bug, {"lock misuse: ", "destroyed"});
  }
}

TEST_F(Lives, OfFreedObjectsEndTheirUse) {
  for (const char* object : destroyable) {
    SCOPED_TRACE(object);
    expect(search("pb", object, "freed"), bug, {"use after free: T0 ", "freed by T1"});
  }
  for (const char* object : only_freed) {
    SCOPED_TRACE(object);
    expect(search("pb", object, "freed"), bug, {"use after free: T0 ", "freed by T1"});
  }
}

TEST_F(Lives, AreSearchedByEveryStrategy) {
  for (const char* strategy :
       {"mixed", "dfs", "pb", "dpor", "bpor", "bestfirst", "pct", "random"}) {
    SCOPED_TRACE(strategy);
    expect(search(strategy, "condition_signal", "destroyed"), bug,
           {"lock misuse: T0 signals a condition variable that was destroyed"});
  }
}

TEST_F(Lives, ThatEndAfterTheLastUseAreFine) {
  for (const char* object : destroyable) {
    SCOPED_TRACE(object);
    expect(search("dpor", object, "alive"), 0, {"nothing is left to explore"});
  }
  for (const char* object : only_freed) {
    SCOPED_TRACE(object);
    expect(search("dpor", object, "alive"), 0, {"nothing is left to explore"});
  }
}

}  // namespace
}  // namespace ricercar::test
