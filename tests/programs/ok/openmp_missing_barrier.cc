// Each thread reads what its neighbour has written before the barrier.
// libraries: -fopenmp
// options: --executions 150
#include <omp.h>

int main() {
  int values[2] = {0, 0};
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    const int own = omp_get_thread_num();
    values[own] = own + 1;
#pragma omp barrier
    const int other = values[1 - own];
#pragma omp critical
    sum += other;
  }
  return sum > 3 ? 1 : 0;
}
