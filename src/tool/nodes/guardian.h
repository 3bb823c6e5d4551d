// Puts the files of the nodes back when nobody else can any more: a process that outlives the
// coordinator and the tool, and a file beside that of the cluster, in which what was done to files
// stays when everything is gone. The nodes write that file as they change others, by memory (see
// disk/log.h): it costs no more than memory does. Not thread-safe.
//
// Where such a file cannot be made (a folder that is only read, a file system without `fallocate`)
// there is the process alone.
#pragma once

#include <sys/types.h>

#include <string>

#include "cluster/memory.h"
#include "nodes/cluster_file.h"

namespace ricercar::inline nodes {

// The file. It is locked as long as the coordinator or the guardian is there.
class UndoFile {
 public:
  // Puts back first what an earlier search of this cluster has left. Throws UsageError if that
  // cannot be done any more.
  explicit UndoFile(const ClusterPlan& plan);
  // There is none: what is changed is a copy, and of no use any more when all processes are gone.
  UndoFile() = default;
  ~UndoFile();
  UndoFile(const UndoFile&) = delete;
  UndoFile& operator=(const UndoFile&) = delete;

  // The part of the cluster's memory that is about files becomes that of the search that begins.
  void map();
  // Where it is; empty: there is none.
  const std::string& path() const { return path_; }
  // The files are as they were.
  void remove();
  // What was put back at the beginning, in words; empty: nothing.
  const std::string& note() const { return note_; }

 private:
  void put_back(const std::string& path, const ClusterPlan& plan);
  bool make(const std::string& path);
  bool map_file();
  void close();

  std::string path_;
  int number_ = -1;
  std::string note_;
};

// The process, a child of the coordinator. It waits for the end of that one, ends the nodes that
// are left, and puts their files back.
class Guardian {
 public:
  // `memory`: the file of the cluster's memory, which this process has mapped.
  Guardian(UndoFile& file, int memory);
  // Nothing is left to do.
  ~Guardian();
  Guardian(const Guardian&) = delete;
  Guardian& operator=(const Guardian&) = delete;

  pid_t process() const { return process_; }

 private:
  pid_t process_;
};

}  // namespace ricercar::inline nodes
