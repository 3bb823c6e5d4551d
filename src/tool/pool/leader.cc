#include "pool/leader.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>
#include <utility>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "pool/leader_link.h"
#include "pool/parcel.h"
#include "pool/worker_link.h"
#include "search/piece_source.h"
#include "supervisor/signals.h"

namespace ricercar::inline pool {
namespace {

constexpr int look_up_ms = 200;
constexpr double seconds_between_renewals = 1;
constexpr double seconds_between_attempts = 0.5;
// Items for each process that works: the one that it searches, the next one, and one that is on its
// way.
constexpr std::size_t items_for_each = 3;
constexpr std::size_t least_processes = 2;
constexpr std::size_t most_processes = 4096;

// Results that may wait for that of an earlier piece. The first pieces of a deep tree come one
// after the other, and others are searched meanwhile.
std::size_t pieces_ahead(std::size_t processes) {
  constexpr std::size_t for_each = 256;
  return for_each * processes;
}

// The beginning of a log, in a smaller form.
class ShortLog {
 public:
  void add(const LogEntry& entry) {
    ++entries_;
    bytes_ += entry.content.size();
    for (const std::string* text : {&entry.name, &entry.kind, &entry.checksum, &entry.content})
      writer_.text(*text);
    writer_.number(entry.number);
  }
  bool is_empty() const { return entries_ == 0; }
  bool is_full() const { return entries_ >= most_entries_ || bytes_ >= most_bytes; }
  std::string take() {
    entries_ = bytes_ = 0;
    return to_parcel(std::exchange(writer_, {}).take());
  }

  static std::vector<LogEntry> entries_of(const std::string& parcel) {
    const std::string bytes = from_parcel(parcel);
    std::vector<LogEntry> entries;
    for (ByteReader reader(bytes); !reader.at_end();) {
      LogEntry& entry = entries.emplace_back();
      for (std::string* text : {&entry.name, &entry.kind, &entry.checksum, &entry.content})
        *text = reader.text();
      entry.number = reader.number();
    }
    return entries;
  }

 private:
  static constexpr std::size_t most_bytes = std::size_t{1} << 20;

  // Tests have short logs.
  static std::size_t entries_from_environment() {
    constexpr std::size_t usual = 2048;
    const char* value = std::getenv("RICERCAR_POOL_LOG_ENTRIES");
    return value == nullptr ? usual : std::strtoull(value, nullptr, 10);
  }

  std::size_t most_entries_ = entries_from_environment();
  ByteWriter writer_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;  // of what they contain
};

class Leader {
 public:
  Leader(SharedControl& whole, const LeaderPlan& plan) : whole_(whole), plan_(plan) {}

  Led lead() {
    while (!is_ending()) {
      try {
        if (!link_) begin();
        step();
      } catch (const ConnectionLost& error) {
        lose(error);
      } catch (const LeadLost& error) {
        lose_lead(error);
      } catch (const PoolIsFull&) {
        throw UsageError("the Redis at " + plan_.address.text +
                         " is full (maxmemory), and has no room for a search");
      } catch (const RedisError& error) {
        throw UsageError("the pool at " + plan_.address.text + " says: " + error.what());
      }
    }
    end();
    return std::move(result_);
  }

 private:
  void say(const std::string& text) const { plan_.say(PoolNews::other, text); }
  Supervised& supervised() { return result_.supervised; }
  double seconds() const { return seconds_before_ + now_seconds() - start_; }
  bool is_ending() const { return is_stopping_ || (order_ && order_->is_over()); }

  // --- From what is in the pool ---

  void begin() {
    link_.emplace(plan_.address, token_);
    has_begun_ ? find_again() : create();
    link_->take_lead();
    if (goes_on_ && !has_begun_)
      result_.notes.emplace_back("it went on with the search that was in the pool");
    has_begun_ = true;
    plan_.begin_anew();
    order_ =
        make_whole_search(whole_.control(), plan_.make_strategy, pieces_ahead(least_processes));
    handed_out_.clear();
    last_.clear();
    short_log_ = {};
    full_since_ = 0;
    processes_ = least_processes;
    jobs_ = -1;
    fill();
    // First the items and then the log: of what is gone by then the log says why.
    const PoolItems items = link_->items();
    read_log();
    reconcile(items);
    link_->wait_for_log(last_);
    gone_since_ = 0;
  }

  void create() {
    if (!link_->is_safe() && gone_since_ == 0) {
      say("this Redis keeps no append-only file (appendonly no), so a restart of it loses the "
          "search");
    }
    PoolFacts there = link_->create(plan_.facts);
    plan_.require_same(there);
    search_ = there["number"];
    goes_on_ = there.count("seconds") != 0;
    if (goes_on_) seconds_before_ = std::atof(there["seconds"].c_str());
  }

  void find_again() {
    if (link_->find() == search_) return;
    throw UsageError(
        "the search is gone from the pool: somebody has removed it, or Redis was restarted without "
        "an append-only file (appendonly yes)");
  }

  void read_log() {
    for (std::size_t call = 0;; ++call) {
      const std::optional<std::string> beginning = link_->beginning_of_log(call);
      if (!beginning) break;
      for (const LogEntry& entry : ShortLog::entries_of(*beginning)) apply(entry);
    }
    for (;;) {
      std::vector<LogEntry> entries = link_->log_after(last_);
      if (entries.empty()) return;
      for (LogEntry& entry : entries) read(std::move(entry));
    }
  }

  // What is in the stream and what should be there become the same.
  void reconcile(const PoolItems& items) {
    std::vector<std::string> unwanted;
    for (const auto& [number, item] : items) {
      const auto wanted = handed_out_.find(number);
      if (wanted != handed_out_.end() && wanted->second.checksum == item.checksum) {
        wanted->second.entry = item.entry;
      } else {
        unwanted.push_back(item.entry);
      }
    }
    link_->withdraw(unwanted);
    try_to_hand_out();
  }

  // --- What has become of pieces ---

  void read(LogEntry entry) {
    if (entry.kind == "result" && is_wanted(entry)) entry.content = from_parcel(entry.content);
    if (apply(entry)) short_log_.add(entry);
    last_ = entry.name;
    if (short_log_.is_full()) shorten_log();
  }

  void shorten_log() {
    if (!short_log_.is_empty()) link_->shorten_log(short_log_.take(), last_);
  }

  // True: it has changed something.
  bool apply(const LogEntry& entry) {
    last_ = entry.name;
    if (order_->is_over()) return false;
    const bool is_of_piece = entry.kind == "result" || entry.kind == "aside";
    if (is_of_piece && !is_wanted(entry)) return false;
    if (entry.kind == "result") add_result(entry);
    if (entry.kind == "aside") set_aside(entry);
    if (entry.kind == "processes") set_processes(std::stoull(entry.content));
    if (entry.kind == "alone") result_.must_be_alone = is_stopping_ = true;
    drop();
    fill();
    return true;
  }

  // Redis may have come back from a state before the piece was handed out, and its number is
  // another one's by now.
  bool is_wanted(const LogEntry& entry) const {
    const auto item = handed_out_.find(entry.number);
    return item != handed_out_.end() && item->second.checksum == entry.checksum;
  }

  void add_result(const LogEntry& entry) {
    handed_out_.erase(entry.number);
    order_->done(entry.number, piece_result_from(entry.content));
  }

  void set_aside(const LogEntry& entry) {
    handed_out_.erase(entry.number);
    order_->set_aside(entry.number);
    supervised().ending = Ending::gave_up;
    supervised().message =
        "piece " + std::to_string(entry.number) +
        " of the search was set aside, and what is in it was not searched: " + entry.content;
  }

  void set_processes(std::size_t count) {
    processes_ = std::clamp(count, least_processes, most_processes);
    order_->let_wait(pieces_ahead(processes_));
  }

  // --- Handing out ---

  void drop() {
    if (order_->taken() == handed_out_.size()) return;
    for (auto item = handed_out_.begin(); item != handed_out_.end();) {
      if (!order_->is_dropped(item->first)) {
        ++item;
        continue;
      }
      if (!item->second.entry.empty()) dropped_.push_back(item->second.entry);
      item = handed_out_.erase(item);
    }
  }

  // Depends on nothing but the log.
  void fill() {
    while (handed_out_.size() < items_for_each * processes_) {
      const std::optional<PieceTask> task = order_->next();
      if (!task) return;
      const std::string bytes = to_bytes(*task);
      handed_out_[task->number] = {std::to_string(checksum(bytes)), "", to_parcel(bytes)};
    }
  }

  void hand_out() {
    link_->withdraw(std::exchange(dropped_, {}));
    std::vector<std::pair<const std::uint64_t, HandedOut>*> items;
    for (auto& item : handed_out_) {
      if (item.second.entry.empty()) items.push_back(&item);
    }
    link_->hand_out(items);
  }

  // What Redis has no room for is handed out later.
  void try_to_hand_out() {
    try {
      if (full_since_ == 0 || now_seconds() > next_attempt_) hand_out();
      if (full_since_ != 0 && is_all_handed_out()) full_since_ = 0;
    } catch (const PoolIsFull&) {
      be_full();
    }
  }

  bool is_all_handed_out() const {
    return std::none_of(handed_out_.begin(), handed_out_.end(),
                        [](const auto& item) { return item.second.entry.empty(); });
  }

  void be_full() {
    const double now = now_seconds();
    next_attempt_ = now + seconds_between_attempts;
    shorten_log();
    if (full_since_ != 0) return;
    full_since_ = now;
    say("Redis is full (maxmemory), and the search waits until there is room");
  }

  // --- While it is searched ---

  void step() {
    pollfd watched[] = {{signals_.descriptor(), POLLIN, 0}, {link_->descriptor(), POLLIN, 0}};
    ::poll(watched, 2, look_up_ms);
    look_at_signals();
    for (LogEntry& entry : link_->new_entries()) read(std::move(entry));
    try_to_hand_out();
    link_->wait_for_log(last_);
    look_at_time();
    show_progress();
  }

  void look_at_signals() {
    while (const int signal = signals_.next()) {
      if (signal == SIGCHLD || signal == signal_of_question) continue;
      if (signal == SIGTSTP) {
        ::raise(SIGSTOP);
        continue;
      }
      supervised().interrupted = result_.stays = is_stopping_ = true;
    }
  }

  void look_at_time() {
    if (plan_.max_seconds > 0 && seconds() > plan_.max_seconds)
      supervised().out_of_time = is_stopping_ = true;
    if (now_seconds() < next_renewal_) return;
    next_renewal_ = now_seconds() + seconds_between_renewals;
    const std::int64_t jobs = link_->renew({{"seconds", std::to_string(seconds())},
                                            {"executions", std::to_string(whole_->executions)}});
    if (jobs < 0) return be_stopped();
    if (jobs != jobs_ && jobs > 0) link_->note("processes", std::to_string(jobs));
    if (jobs == 0 && jobs_ != 0) plan_.say(PoolNews::no_workers, "no worker takes part at present");
    jobs_ = jobs;
  }

  void be_stopped() {
    result_.notes.emplace_back("somebody has stopped the search: ricercar pool stop");
    supervised().interrupted = is_stopping_ = true;
  }

  void show_progress() {
    if (!plan_.progress || now_seconds() < shown_ + look_up_ms / 1000.0) return;
    shown_ = now_seconds();
    order_->update();
    plan_.progress(whole_.control(), seconds());
  }

  void lose(const std::exception& error) {
    link_.reset();
    if (!has_begun_) {
      throw UsageError("there is no Redis at " + plan_.address.text + ": " + error.what());
    }
    const double now = now_seconds();
    if (std::exchange(gone_since_, gone_since_ == 0 ? now : gone_since_) == 0)
      say(std::string("the pool cannot be reached, and is tried again: ") + error.what());
    if (now - gone_since_ > pool_patience_seconds()) {
      throw UsageError("the pool at " + plan_.address.text +
                       " cannot be reached any more: " + error.what());
    }
    pause();
  }

  // Who has led it may be gone, and is known to be after a while.
  void lose_lead(const LeadLost& error) {
    link_.reset();
    const double now = now_seconds();
    if (std::exchange(gone_since_, gone_since_ == 0 ? now : gone_since_) == 0)
      say(std::string(error.what()) + ", if that one is still there: it may take a while " +
          "until that is known");
    if (now - gone_since_ > seconds_of_lead + 1) throw UsageError(error.what());
    pause();
  }

  // Signals that ask for nothing come, too.
  void pause() {
    const double end = now_seconds() + seconds_between_attempts;
    for (double left = seconds_between_attempts; left > 0 && !is_stopping_;
         left = end - now_seconds()) {
      pollfd watched = {signals_.descriptor(), POLLIN, 0};
      ::poll(&watched, 1, static_cast<int>(left * 1000) + 1);
      look_at_signals();
    }
  }

  // --- The end ---

  void end() {
    if (link_) try_to_leave();
    if (order_) order_->stop();
    supervised().seconds = seconds();
  }

  // If it cannot be told it stays in the pool, and nobody waits for it.
  void try_to_leave() {
    try {
      if (result_.stays) {
        link_->leave();
      } else {
        link_->finish();
      }
    } catch (const std::exception& error) {
      result_.notes.push_back(std::string("the search could not be taken out of the pool: ") +
                              error.what());
    }
  }

  SharedControl& whole_;
  const LeaderPlan& plan_;
  const Signals signals_;
  const double start_ = now_seconds();
  double seconds_before_ = 0;
  Led result_;
  std::optional<LeaderLink> link_;
  std::unique_ptr<WholeSearch> order_;
  PoolItems handed_out_;              // and not back; without an entry: not in the pool yet
  std::vector<std::string> dropped_;  // entries that nobody wants any more
  std::string last_;                  // the entry of the log that was applied last
  std::string search_;                // its number
  const std::string token_ = random_number();
  std::size_t processes_ = least_processes;
  std::int64_t jobs_ = -1;  // as Redis has said last
  double next_renewal_ = 0;
  double shown_ = 0;
  ShortLog short_log_;       // what was read of the log since it was shortened
  double gone_since_ = 0;    // 0: Redis is there
  double full_since_ = 0;    // 0: it has room
  double next_attempt_ = 0;  // to hand out what it had no room for
  bool has_begun_ = false;
  bool goes_on_ = false;  // with a search that was there before
  bool is_stopping_ = false;
};

}  // namespace

Led lead_search(SharedControl& whole, const LeaderPlan& plan) { return Leader(whole, plan).lead(); }

}  // namespace ricercar::inline pool
