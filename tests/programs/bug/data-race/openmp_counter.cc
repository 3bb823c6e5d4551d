// Threads of an OpenMP loop add to one variable, which is not a reduction.
// libraries: -fopenmp
#include <cstdio>

int main() {
  int sum = 0;
#pragma omp parallel for num_threads(2)  // <- bug: reads, writes
  for (int i = 0; i < 4; ++i) sum += i;  // <- bug: reads, writes
  std::printf("%d\n", sum);
  return 0;
}
