// What is not modelled of System V semaphores. The first argument says which.
#include <sys/ipc.h>
#include <sys/sem.h>

#include <string>

namespace {

void change(int set, short by, int count) {
  sembuf operations[2] = {{0, by, 0}, {1, by, 0}};
  semop(set, operations, static_cast<std::size_t>(count));
}

}  // namespace

int main(int, char** arguments) {
  const std::string how = arguments[1];
  const int set = semget(IPC_PRIVATE, 2, 0600);
  if (how == "several") change(set, 1, 2);
  if (how == "zero") change(set, 0, 1);
  if (how == "larger") change(set, 2, 1);
  if (how == "command") semctl(set, 0, GETNCNT);
  return 0;
}
