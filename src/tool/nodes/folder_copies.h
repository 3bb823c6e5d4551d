// The folders that nodes have of their own, while they are searched. One search locks them. Where
// several processes search one cluster at a time, none of them may see what another one changes:
// each has a copy of every such folder, which is mounted over it in a mount namespace of its own,
// so that programs find it at the same path. What nodes change elsewhere cannot be copied; then one
// process has to search (ClusterMemory::must_be_alone).
//
// Not thread-safe.
#pragma once

#include <string>
#include <vector>

#include "nodes/cluster_file.h"

namespace ricercar::inline nodes {

// Two searches that put back the files of one folder would take each other's away. Throws
// UsageError if there is another one.
class LockedFolders {
 public:
  explicit LockedFolders(const ClusterPlan& plan);
  ~LockedFolders();
  LockedFolders(const LockedFolders&) = delete;
  LockedFolders& operator=(const LockedFolders&) = delete;

 private:
  std::vector<int> folders_;  // descriptors
};

// What one of several searches has for itself.
struct FolderCopies {
  std::vector<std::string> folders;  // absolute, as the programs see them
  bool hides_owners = false;         // files of other users seem to be nobody's

  std::string lines() const;
};

// From now on this process, and those that it starts, have copies of the folders, which are kept in
// a new folder in `place`. Before there are other threads. Throws UsageError.
FolderCopies mount_copies(const std::string& place, const std::vector<std::string>& folders);

// A cluster that several processes search, as the one sees it who starts them.
class SharedCluster {
 public:
  // Puts back what an earlier search has left, and locks the folders. Throws UsageError.
  explicit SharedCluster(const ClusterPlan& plan);
  ~SharedCluster();
  SharedCluster(const SharedCluster&) = delete;
  SharedCluster& operator=(const SharedCluster&) = delete;

  // For mount_copies: the place, and the folders; empty: there is nothing to copy.
  std::vector<std::string> copies() const;
  // Why there is nothing, although nodes have folders; empty: there is no reason.
  const std::string& why_not_copied() const { return why_not_; }
  // What was put back at the beginning, in words; empty: nothing.
  const std::string& note() const { return note_; }

 private:
  void make_place(const std::string& cluster_file);
  void remove_place();

  std::string note_;
  LockedFolders locks_;
  std::vector<std::string> folders_;  // that are copied
  std::string place_;
  int place_lock_ = -1;
  std::string why_not_;
};

}  // namespace ricercar::inline nodes
