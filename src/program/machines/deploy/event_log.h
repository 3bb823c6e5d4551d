// The log of a node: what its machines announced, and what they sent of the recorded types, with
// the times of its CausalClock. docs/reference/wire-format.md describes the file.
//
// append() is for one thread at a time; records() is thread-safe after the last record(). Every
// event is written at once, so that it survives the process.
#pragma once

#include <ricercar/detail/encode.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::deploy {

class EventLog {
 public:
  // An empty path: no log. A file that is there already is continued; a part of an event at its
  // end, left by a machine that lost its power, is cut off. Throws std::runtime_error.
  EventLog(const std::string& path, const std::string& node);
  ~EventLog();
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  void record(const detail::Codec& codec);
  bool records(const detail::EventType& type) const {
    return type.number < codecs_.size() && codecs_[type.number] != nullptr;
  }
  // Throws UsageError for an announced event whose type is not recorded: its monitors would
  // miss it.
  void append(MachineId from, const detail::Event& event, bool is_announced, std::uint64_t time);

  std::uint64_t last_time() const { return last_time_; }  // in the file that was continued

 private:
  void write(std::string_view body);

  std::string path_;
  int file_ = -1;
  std::vector<const detail::Codec*> codecs_;  // by the number of the event type
  std::uint64_t last_time_ = 0;
};

// An event in a log file.
struct LoggedEvent {
  std::uint64_t time = 0;
  std::string node;
  MachineId from;
  bool is_announced = false;
  std::string name;   // of its type
  std::string shape;  // of its type
  std::string payload;
};

struct LogContent {
  std::vector<LoggedEvent> events;
  std::size_t whole_bytes = 0;  // behind them is a part of a record
  std::size_t bytes = 0;
};

// Throws std::runtime_error if the file cannot be read or is no log.
LogContent read_log(const std::string& path);
// The same for the bytes of a file that is called `path`.
LogContent parse_log(std::string_view bytes, const std::string& path);

}  // namespace ricercar::deploy
