// The N-queens problem: in how many ways N queens can stand on a board of N by N fields without one
// attacking another. One queen for each row.
#pragma once

#include <array>

namespace gambit {

template <int size>
class Board {
 public:
  // Puts the queen of the next row into a column. False: it would be attacked.
  bool place(int column) {
    for (int row = 0; row < rows_; ++row) {
      const int distance = rows_ - row;
      const int other = columns_[row];
      if (other == column || other == column - distance || other == column + distance) return false;
    }
    columns_[rows_++] = column;
    return true;
  }

  int rows() const { return rows_; }

  // The number of solutions that begin with this board.
  int count_solutions() const {
    if (rows_ == size) return 1;
    int count = 0;
    for (int column = 0; column < size; ++column) {
      Board next = *this;
      if (next.place(column)) count += next.count_solutions();
    }
    return count;
  }

 private:
  std::array<int, size> columns_ = {};
  int rows_ = 0;
};

}  // namespace gambit
