// Each thread reads what its neighbour has written, without a barrier in between.
// libraries: -fopenmp
#include <omp.h>

int main() {
  int values[2] = {0, 0};
  int sum = 0;
#pragma omp parallel num_threads(2)
  {
    const int own = omp_get_thread_num();
    values[own] = own + 1;              // <- bug: writes
    const int other = values[1 - own];  // <- bug: reads
#pragma omp critical
    sum += other;
  }
  return sum > 3 ? 1 : 0;
}
