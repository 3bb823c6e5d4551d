#include "detect/data_race_oracle.h"

namespace ricercar::inline detect {
namespace {

bool is_acquire(Order order) {
  return order == Order::consume || order == Order::acquire || order == Order::acq_rel ||
         order == Order::seq_cst;
}

bool is_release(Order order) {
  return order == Order::release || order == Order::acq_rel || order == Order::seq_cst;
}

bool overlaps(std::uint64_t address, RaceOracle::Memory range) {
  return address >= range.address && address < range.address + range.size;
}

}  // namespace

int RaceOracle::add(TaskId task) {
  Node node{task, life_[task], {}};
  if (last_[task] >= 0) node.before.push_back(last_[task]);
  nodes_.push_back(node);
  last_[task] = next() - 1;
  return last_[task];
}

bool RaceOracle::reaches(int from, int to) const {
  std::vector<bool> seen(nodes_.size());
  std::vector<int> rest = {to};
  while (!rest.empty()) {
    const int node = rest.back();
    rest.pop_back();
    if (node == from) return true;
    if (node < from || seen[node]) continue;  // edges lead forward
    seen[node] = true;
    rest.insert(rest.end(), nodes_[node].before.begin(), nodes_[node].before.end());
  }
  return false;
}

void RaceOracle::task_created(TaskId parent, TaskId child) {
  const int node = add(parent);
  life_[child] = ++lives_;
  last_[child] = node;
  release_fences_[child].clear();
  observed_[child].clear();
}

void RaceOracle::task_joined(TaskId joiner, TaskId ended) {
  const int last = last_[ended];
  const int node = add(joiner);
  if (last >= 0) nodes_[node].before.push_back(last);
}

void RaceOracle::acquire(TaskId task, std::uint64_t object) {
  const int node = add(task);
  for (const int release : objects_[object]) nodes_[node].before.push_back(release);
}

void RaceOracle::release(TaskId task, std::uint64_t object, bool replaces) {
  if (replaces) objects_[object].clear();
  objects_[object].push_back(add(task));
}

void RaceOracle::fence(TaskId task, Order order) {
  const int node = add(task);
  if (is_acquire(order)) {
    for (const int source : observed_[task]) nodes_[node].before.push_back(source);
  }
  if (is_release(order)) release_fences_[task].push_back(node);
}

// The release operations, and the release fences, that a read of the current value synchronises
// with if it is, or is followed by, an acquire.
std::vector<int> RaceOracle::sources_of(std::uint64_t address) const {
  std::vector<int> sources;
  const auto found = modifications_.find(address);
  if (found == modifications_.end()) return sources;
  for (auto head = found->second.rbegin(); head != found->second.rend(); ++head) {
    if (head->is_release) sources.push_back(head->node);
    sources.insert(sources.end(), head->fences.begin(), head->fences.end());
    if (!head->is_update) break;  // the value is in no sequence that begins earlier
  }
  return sources;
}

RaceOracle::Verdict RaceOracle::atomic(TaskId task, Memory range, Order order, bool reads,
                                       bool writes) {
  const int node = add(task);
  if (reads) {
    for (const int source : sources_of(range.address)) {
      observed_[task].push_back(source);
      if (is_acquire(order)) nodes_[node].before.push_back(source);
    }
  }
  if (writes) {
    modifications_[range.address].push_back(
        {node, reads, is_release(order), release_fences_[task]});
  }
  return access(node, {writes, true, range});
}

RaceOracle::Verdict RaceOracle::plain(TaskId task, Memory range, bool is_write) {
  if (is_write && plain_writes_end_release_sequences_) {
    std::erase_if(modifications_,
                  [&](const auto& atomic) { return overlaps(atomic.first, range); });
  }
  return access(add(task), {is_write, false, range});
}

RaceOracle::Verdict RaceOracle::freed(TaskId task, Memory range) {
  end_names(range);
  return plain(task, range, true);
}

void RaceOracle::allocated(Memory range) {
  end_names(range);
  for (std::uint64_t i = 0; i < range.size; ++i) {
    bytes_[range.address + i - memory_.address].accesses.clear();
  }
}

void RaceOracle::end_names(Memory range) {
  const auto is_in_range = [&](const auto& named) { return overlaps(named.first, range); };
  std::erase_if(objects_, is_in_range);
  std::erase_if(modifications_, is_in_range);
}

RaceOracle::Verdict RaceOracle::access(int node, Access access) {
  nodes_[node].is_access = true;
  nodes_[node].access = access;
  Verdict verdict;
  std::map<int, bool> known;  // a range meets the same earlier access at many bytes
  for (std::uint64_t i = 0; i < access.range.size; ++i) {
    Byte& byte = bytes_[access.range.address + i - memory_.address];
    if (byte.has_raced) verdict.is_unspecified = true;
    for (const int earlier : byte.accesses) {
      const auto [found, is_new] = known.emplace(earlier, false);
      if (is_new) found->second = is_race(earlier, node);
      if (!found->second || byte.has_raced) continue;
      verdict.is_race = true;
      byte.has_raced = true;
    }
    byte.accesses.push_back(node);
  }
  return verdict;
}

bool RaceOracle::is_race(int earlier, int later) const {
  const Node& a = nodes_[earlier];
  const Node& b = nodes_[later];
  if (a.task == b.task && a.life == b.life) return false;
  if (!a.access.is_write && !b.access.is_write) return false;
  if (a.access.is_atomic && b.access.is_atomic) return false;
  return !reaches(earlier, later);
}

bool RaceOracle::confirms(const Race& race, int other) const {
  const int node = next() - 1;
  if (other < 0 || other >= node || !nodes_[other].is_access || !is_race(other, node)) return false;
  for (const Node* access : {&nodes_[node], &nodes_[other]}) {
    if (!overlaps(race.address, access->access.range)) return false;
    if (!overlaps(race.address + race.size - 1, access->access.range)) return false;
  }
  const Access& mine = nodes_[node].access;
  const Access& theirs = nodes_[other].access;
  return race.task == nodes_[node].task && race.other_task == nodes_[other].task &&
         race.is_write == mine.is_write && race.other_is_write == theirs.is_write &&
         race.is_atomic == mine.is_atomic && race.other_is_atomic == theirs.is_atomic;
}

}  // namespace ricercar::inline detect
