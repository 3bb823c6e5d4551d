// Names of files that an execution makes or removes. Files are not put back, so the next execution
// may see another world than this one did. Not thread-safe.
#pragma once

#include <string>
#include <vector>

namespace ricercar::inline threads {

class ChangedNames {
 public:
  // Whether the running execution is watched.
  bool are_watched() const { return watches_; }
  // From now on; what was seen before is forgotten.
  void watch();
  // A call may make or remove a file of this name; null: it has none.
  void may_change(const char* path);
  // What has become of a name since, as "made the file '/tmp/log'"; empty: all is as it was.
  // Watching ends.
  std::string changed();

 private:
  struct Name {
    std::string path;
    bool existed;
  };

  bool watches_ = false;
  std::vector<Name> names_;
};

}  // namespace ricercar::inline threads
