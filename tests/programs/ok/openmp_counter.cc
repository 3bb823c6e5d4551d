// Threads of an OpenMP loop add to one variable, each to its own copy.
// libraries: -fopenmp
// options: --executions 150
#include <cstdio>

int main() {
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum)
  for (int i = 0; i < 4; ++i) sum += i;
  std::printf("%d\n", sum);
  return 0;
}
