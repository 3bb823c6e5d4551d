// The file in which a search waits to be gone on with (--checkpoint, --resume): a line that says
// what it is, a line of facts as JSON for whoever looks into it, and the search itself as the
// worker has written it down (search/kept_search.cc), compressed. A checksum covers all of it.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/identity.h"
#include "search/control.h"

namespace ricercar::inline cli {

class PlaceNames;

class Checkpoint {
 public:
  // `path`: where the search is kept; empty: in `resumed`, which names the file to go on from, if
  // any. Throws UsageError if that file is damaged or holds another search, or if `path` holds a
  // search that is not finished.
  Checkpoint(const std::string& path, const std::string& resumed, Identity identity);

  // What to go on from, for the worker; empty: a new search.
  const std::string& resumed() const { return body_; }
  // Of a search that goes on: it has counted different executions from its beginning.
  bool counts_traces() const { return counts_traces_; }
  // How long it was searched before.
  double seconds_before() const { return seconds_before_; }

  // The places that the strategy has numbers of: those that were kept, and from now on all.
  void share(PlaceNames& names);

  // How long to wait at most from one look to the next.
  static int tick_ms();
  // Called several times a second while a worker runs, with the seconds that it has searched: takes
  // what it has written down, and asks for more when it is time.
  void look(Control& control, double seconds);
  // The worker has ended.
  void finish(const Control& control, double seconds);

  // The last one could be written.
  bool is_written() const { return problem_.empty(); }
  // What a user should know at the end; empty: nothing.
  const std::string& note() const { return note_; }

 private:
  void take(const Control& control, double seconds, bool is_finished);
  std::string content(const Control& control, double seconds, bool is_finished) const;

  std::string path_;
  Identity identity_;
  std::string body_;
  std::vector<std::string> places_;
  const PlaceNames* names_ = nullptr;
  double seconds_before_ = 0;
  bool counts_traces_ = true;
  double next_ = 0;               // seconds of this search
  std::uint64_t taken_ = 0;       // Keeping::number
  std::uint64_t executions_ = 0;  // of the one in the file
  std::string problem_;           // why the last one could not be written
  std::string note_;
};

}  // namespace ricercar::inline cli
