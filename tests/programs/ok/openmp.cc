// Regions, loops, reductions, barriers, critical sections, locks, tasks: OpenMP orders all of it.
// libraries: -fopenmp
// options: --executions 150
#include <omp.h>

#include <cassert>

namespace {

constexpr int size = 6;
int values[size];

void loops() {
#pragma omp parallel for num_threads(2)
  for (int i = 0; i < size; ++i) values[i] = i;
  int sum = 0;
#pragma omp parallel for num_threads(2) reduction(+ : sum) schedule(dynamic, 1)
  for (int i = 0; i < size; ++i) sum += values[i];
  assert(sum == 15);
}

void barriers() {
  int left[2] = {0, 0};
#pragma omp parallel num_threads(2)
  {
    const int own = omp_get_thread_num();
    left[own] = own + 1;
#pragma omp barrier
    assert(left[0] + left[1] == 3);
#pragma omp barrier
#pragma omp single
    left[0] = 7;
    assert(left[0] == 7);
  }
  assert(left[0] == 7);
}

void locks() {
  int first = 0;
  int second = 0;
  omp_lock_t lock;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(2)
  {
#pragma omp critical
    ++first;
    omp_set_lock(&lock);
    ++second;
    omp_unset_lock(&lock);
  }
  omp_destroy_lock(&lock);
  assert(first == 2 && second == 2);
}

int sum_of_tasks(int low, int high) {
  if (high - low == 1) return values[low];
  int left = 0;
  const int middle = low + (high - low) / 2;
#pragma omp task shared(left)
  left = sum_of_tasks(low, middle);
  const int right = sum_of_tasks(middle, high);
#pragma omp taskwait
  return left + right;
}

void tasks() {
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    values[0] = 0;
    sum = sum_of_tasks(0, 3);
  }
  assert(sum == 3);
}

}  // namespace

int main() {
  loops();
  barriers();
  locks();
  tasks();
  return 0;
}
