// A worker's connections to a pool: items come in, what they have shown goes out. A connection that
// is gone is made anew, and what was not acknowledged is sent again: it counts once, whatever
// happens (scripts.h). Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "pool/pool.h"

namespace ricercar::inline pool {

struct PoolItem {
  std::string entry;     // its name in the stream
  std::string number;    // of the piece
  std::string checksum;  // likewise
  std::string parcel;
  std::string attempt = {};  // its name, once it was begun
};

// So long an item stays with a worker of which nothing is heard.
double lease_seconds();
// So long somebody waits for a Redis that was there before.
double pool_patience_seconds();

class WorkerLink {
 public:
  // `search`: the number of the search. `jobs`: processes that search.
  WorkerLink(const PoolAddress& address, std::string search, std::uint32_t jobs);
  ~WorkerLink();
  WorkerLink(const WorkerLink&) = delete;
  WorkerLink& operator=(const WorkerLink&) = delete;

  // The search is not there any more.
  bool is_over() const { return is_over_; }
  // Readable when there is something to read.
  int descriptor() { return reader_ ? reader_->redis().descriptor() : -1; }
  // Items that have come since the last call. `wanted`: so many more would be good to have. `held`:
  // those that are being searched, or will be. Throws UsageError if Redis is gone for too long.
  std::vector<PoolItem> exchange(std::size_t wanted, const std::vector<std::string>& held);
  // Of those that were held at the last call: somebody else has them by now.
  const std::vector<std::string>& lost() const { return lost_; }

  // Too many attempts without a result, and an item is set aside.
  void begin(PoolItem& item);
  // Is on its way at the latest with the next exchange().
  void complete(const PoolItem& item, std::string result);
  // Somebody else has to search it.
  void release(const PoolItem& item, bool was_attempt);
  // False: another worker was the first to say what this is, and has said something else.
  bool agrees(const std::string& what, const std::string& value);
  // To the leader, whatever it is.
  void tell(const std::string& kind, const std::string& message);
  // Waits until all that was said has arrived; for a while, if it cannot.
  void flush();

 private:
  struct Saying {
    Script script;
    std::vector<std::string> words;
  };

  void connect();
  void lose(const std::exception& error);
  void say(Saying saying);
  void send_all();
  void hear();
  void hear_all();
  void take_items(std::vector<PoolItem>& items, const ReplyView& entries);
  void read_items(std::vector<PoolItem>& items, std::size_t wanted);
  void renew(const std::vector<std::string>& held);
  void take_over(std::vector<PoolItem>& items);
  bool set_aside(const PoolItem& item);
  template <typename Work>
  void try_to(Work work);

  const PoolAddress address_;
  const std::string search_;
  const std::string name_;           // of this worker
  const std::string presence_;       // and with the number of its processes
  std::optional<RedisPool> reader_;  // somebody may wait for its answer
  std::optional<RedisPool> writer_;
  bool is_asked_ = false;  // the reader, for items
  bool is_over_ = false;
  std::deque<Saying> said_;  // and not answered yet
  std::size_t sent_ = 0;     // so many of them, on this connection
  std::vector<std::string> lost_;
  double next_renewal_ = 0;
  double next_takeover_ = 0;
  double next_connect_ = 0;
  double gone_since_ = 0;  // 0: it is there
  std::uint64_t attempts_ = 0;
};

}  // namespace ricercar::inline pool
