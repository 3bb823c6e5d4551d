// What a replica keeps on disk, in the folder in which it runs: its term and vote in the file
// `state`, its log in the file `log`, a line for each entry with a checksum: a crash may leave any
// part of what was not synced. Not thread-safe.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "../common/bug.h"
#include "../common/files.h"
#include "../common/sockets.h"

namespace raft {

struct Entry {
  std::uint64_t term = 0;
  std::string command;

  bool operator==(const Entry&) const = default;
};

class Storage {
 public:
  Storage() {
    read_state();
    read_log();
    file_ = ::open("log", O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    if (file_ < 0) suite::die("log");
    // What was written by halves before a crash is no entry.
    if (::ftruncate(file_, static_cast<off_t>(ends_.back())) != 0) suite::die("log");
  }
  ~Storage() { ::close(file_); }
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  std::uint64_t term() const { return term_; }
  const std::string& vote() const { return vote_; }
  std::uint64_t last_index() const { return entries_.size(); }
  std::uint64_t last_term() const { return term_of(last_index()); }
  // Entries are counted from 1.
  const Entry& entry(std::uint64_t index) const { return entries_[index - 1]; }
  std::uint64_t term_of(std::uint64_t index) const { return index == 0 ? 0 : entry(index).term; }

  // On disk before it returns.
  void set_state(std::uint64_t term, const std::string& vote) {
    term_ = term;
    vote_ = vote;
    const std::string kept = suite::has_bug("forgets_vote") ? "" : vote;
    suite::replace_file("state", std::to_string(term) + " " + (kept.empty() ? "-" : kept) + "\n");
  }

  void append(const Entry& entry) {
    const std::string text = std::to_string(entry.term) + " " + entry.command;
    const std::string line = std::to_string(checksum(text)) + " " + text + "\n";
    suite::write_all(file_, line);
    entries_.push_back(entry);
    ends_.push_back(ends_.back() + line.size());
  }

  // Entries from this one on are gone.
  void cut(std::uint64_t index) {
    entries_.resize(index - 1);
    ends_.resize(index);
    if (::ftruncate(file_, static_cast<off_t>(ends_.back())) != 0) suite::die("ftruncate");
  }

  void sync() {
    if (suite::has_bug("no_sync")) return;
    if (::fsync(file_) != 0) suite::die("fsync");
  }

 private:
  static std::uint32_t checksum(const std::string& text) {
    std::uint32_t sum = 2166136261U;
    for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
    return sum;
  }

  void read_state() {
    std::istringstream words(suite::content_of("state"));
    if (!(words >> term_ >> vote_)) term_ = 0, vote_.clear();
    if (vote_ == "-") vote_.clear();
  }

  void read_log() {
    const std::string text = suite::content_of("log");
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string line = text.substr(begin, end - begin);
      const std::size_t space = line.find(' ');
      if (space == std::string::npos) break;
      const std::string entry = line.substr(space + 1);
      if (line.substr(0, space) != std::to_string(checksum(entry))) break;
      const std::size_t next = entry.find(' ');
      entries_.push_back({std::stoull(entry.substr(0, next)), entry.substr(next + 1)});
      ends_.push_back(end + 1);
    }
  }

  std::uint64_t term_ = 0;
  std::string vote_;
  std::vector<Entry> entries_;
  std::vector<std::size_t> ends_ = {
      0};  // where each entry ends in the file; the first is its start
  int file_ = -1;
};

}  // namespace raft
