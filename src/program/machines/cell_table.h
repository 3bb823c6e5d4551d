// The cells of the current state. Those that came with a saved state are borrowed from it, so that
// going back to a state touches no cell; a cell that is about to change is copied first, unless it
// was made here and nobody else has seen it.
#pragma once

#include <cstdint>
#include <span>

#include "machines/cell.h"

namespace ricercar::machines {

// Cells that are kept as long as the list lives.
class KeptCells {
 public:
  KeptCells() = default;
  KeptCells(KeptCells&&) = default;
  KeptCells& operator=(KeptCells&&) = default;
  ~KeptCells() {
    for (const Cell* cell : cells_) {
      if (cell != nullptr && cell->drop()) Cell::destroy(cell);
    }
  }

  void assign(std::span<Cell* const> cells) {
    cells_.assign(cells.begin(), cells.end());
    for (const Cell* cell : cells_) {
      if (cell != nullptr) cell->keep();
    }
  }
  void adopt(Cell* cell) { cells_.push_back(cell); }

  std::uint32_t size() const { return static_cast<std::uint32_t>(cells_.size()); }
  Cell* operator[](std::uint32_t number) const { return cells_[number]; }
  std::span<Cell* const> all() const { return cells_; }

 private:
  PoolVector<Cell*> cells_;
};

class CellTable {
 public:
  CellTable() = default;
  ~CellTable() { drop_owned(); }
  CellTable(const CellTable&) = delete;
  CellTable& operator=(const CellTable&) = delete;

  // The cells must live until the next restore().
  void restore(const KeptCells& from) {
    drop_owned();
    cells_.assign(from.all().begin(), from.all().end());
    is_owned_.assign(cells_.size(), 0);
  }
  std::span<Cell* const> all() const { return cells_; }

  std::uint32_t size() const { return static_cast<std::uint32_t>(cells_.size()); }
  const Cell* operator[](std::uint32_t number) const { return cells_[number]; }

  Cell& own(std::uint32_t number) {
    Cell* cell = cells_[number];
    if (is_owned_[number] != 0) {
      if (!cell->is_shared()) return *cell;
      put(number, new Cell(*cell));
      if (cell->drop()) Cell::destroy(cell);
    } else {
      put(number, new Cell(*cell));
    }
    return *cells_[number];
  }
  std::uint32_t add() {
    cells_.push_back(nullptr);
    is_owned_.push_back(0);
    return size() - 1;
  }
  // Belongs to the table from now on.
  void put(std::uint32_t number, Cell* cell) {
    if (is_owned_[number] == 0) owned_.push_back(number);
    is_owned_[number] = 1;
    cells_[number] = cell;
  }

 private:
  void drop_owned() {
    for (const std::uint32_t number : owned_) {
      if (cells_[number]->drop()) Cell::destroy(cells_[number]);
    }
    owned_.clear();
  }

  PoolVector<Cell*> cells_;
  PoolVector<std::uint8_t> is_owned_;
  PoolVector<std::uint32_t> owned_;
};

}  // namespace ricercar::machines
