// A parallel query: select a number for each index of a source, on several workers, and deliver the
// results to a consumer, with their sum and the lowest index that has a result. Then the workers
// group the results by their value.
#pragma once

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "spin.h"

namespace gambit {

enum class ParallelQueryBug {
  none,
  // The first worker opens the source. Whether it is open is asked and said in two steps, so two
  // workers open it.
  double_open,
  // A worker reads where the next chunk begins and writes where it ends, in two steps: two workers
  // process the same chunk.
  shared_chunk,
  // The lowest index is compared and replaced in two steps: a worker replaces a lower index that
  // came between them by its own.
  raised_first,
  // A worker signs off before it delivers the rest of its results. The consumer, who sees nobody at
  // work and nothing to fetch, leaves without them.
  late_delivery,
  // The sums of the workers are added by a read and a separate write: one of two is lost.
  lost_sum,
};

// The indices, in chunks. It has to be opened once, by whoever comes first.
class QuerySource {
 public:
  struct Chunk {
    int begin;
    int end;
  };

  QuerySource(int size, int chunk_size, ParallelQueryBug bug)
      : bug_(bug), size_(size), chunk_size_(chunk_size) {}

  // Returns when the source is open.
  void open() {
    if (claim_opening()) {
      ++openings_;
      state_ = State::open;
    }
    spin_until([this] { return state_ == State::open; });
  }

  // Nothing: the end is reached.
  std::optional<Chunk> next_chunk() {
    const int begin = advance();
    if (begin >= size_) return std::nullopt;
    return Chunk{begin, std::min(begin + chunk_size_, size_)};
  }

  int openings() const { return openings_; }

 private:
  enum class State { closed, opening, open };

  bool claim_opening() {
    if (bug_ == ParallelQueryBug::double_open) {
      if (state_ != State::closed) return false;
      state_ = State::opening;
      return true;
    }
    State expected = State::closed;
    return state_.compare_exchange_strong(expected, State::opening);
  }

  int advance() {
    if (bug_ == ParallelQueryBug::shared_chunk) {
      const int begin = next_;
      next_ = begin + chunk_size_;
      return begin;
    }
    return next_.fetch_add(chunk_size_);
  }

  const ParallelQueryBug bug_;
  const int size_;
  const int chunk_size_;
  std::atomic<State> state_ = State::closed;
  std::atomic<int> openings_ = 0;
  std::atomic<int> next_ = 0;
};

struct QueryResult {
  int index;
  int value;
};

// What the workers deliver and the consumer fetches.
class MergeBuffer {
 public:
  explicit MergeBuffer(int workers) : workers_(workers) {}

  void deliver(const std::vector<QueryResult>& results) {
    const std::lock_guard lock(mutex_);
    results_.insert(results_.end(), results.begin(), results.end());
  }

  void sign_off() { --workers_; }

  // Waits for all workers.
  std::vector<QueryResult> fetch_all() {
    spin_until([this] { return workers_ == 0; });
    const std::lock_guard lock(mutex_);
    return std::move(results_);
  }

 private:
  std::atomic<int> workers_;
  std::mutex mutex_;
  std::vector<QueryResult> results_;
};

class ParallelQuery {
 public:
  // Nothing: the index has no result.
  using Selector = std::function<std::optional<int>(int index)>;

  ParallelQuery(int size, int workers, ParallelQueryBug bug, Selector selector)
      : bug_(bug),
        selector_(std::move(selector)),
        source_(size, chunk_size, bug),
        buffer_(workers),
        first_(size) {
    for (int i = 0; i < workers; ++i) workers_.emplace_back([this] { work(); });
  }

  std::vector<QueryResult> fetch_all() { return buffer_.fetch_all(); }

  // What follows is to be asked after `finish`.
  void finish() {
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  int sum() const { return sum_; }
  int first() const { return first_; }
  int openings() const { return source_.openings(); }
  int group_size(int value) { return groups_[value]; }

 private:
  static constexpr int chunk_size = 2;

  void work() {
    source_.open();
    std::vector<QueryResult> results;
    while (const std::optional<QuerySource::Chunk> chunk = source_.next_chunk()) {
      for (int index = chunk->begin; index < chunk->end; ++index) select(index, results);
    }
    add_sum(results);
    deliver(results);
    group(results);
  }

  void select(int index, std::vector<QueryResult>& results) {
    const std::optional<int> value = selector_(index);
    if (!value) return;
    results.push_back({index, *value});
    lower_first(index);
  }

  void lower_first(int index) {
    int first = first_;
    if (bug_ == ParallelQueryBug::raised_first) {
      if (index < first) first_ = index;
      return;
    }
    while (index < first && !first_.compare_exchange_strong(first, index)) {
    }
  }

  void add_sum(const std::vector<QueryResult>& results) {
    int sum = 0;
    for (const QueryResult& result : results) sum += result.value;
    if (bug_ == ParallelQueryBug::lost_sum) {
      const int total = sum_;
      sum_ = total + sum;
    } else {
      sum_ += sum;
    }
  }

  void deliver(const std::vector<QueryResult>& results) {
    if (bug_ == ParallelQueryBug::late_delivery) {
      buffer_.sign_off();
      buffer_.deliver(results);
    } else {
      buffer_.deliver(results);
      buffer_.sign_off();
    }
  }

  void group(const std::vector<QueryResult>& results) {
    for (const QueryResult& result : results) {
      const std::lock_guard lock(groups_mutex_);
      ++groups_[result.value];
    }
  }

  const ParallelQueryBug bug_;
  const Selector selector_;
  QuerySource source_;
  MergeBuffer buffer_;
  std::atomic<int> first_;
  std::atomic<int> sum_ = 0;
  std::mutex groups_mutex_;
  std::map<int, int> groups_;
  std::vector<std::thread> workers_;
};

}  // namespace gambit
