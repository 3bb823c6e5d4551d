// The memory that all processes of a cluster share: who has the turn, what it is told, what it
// answers; the network, and what the nodes report. The coordinator makes it from a memory file and
// maps it at one address, as every node does.
//
// One process runs at a time. A node has the turn from the moment in which the coordinator gives it
// until it posts what it has come to; then it waits.
#pragma once

#include <atomic>
#include <cstdint>

#include "cluster/blocks.h"
#include "cluster/network.h"
#include "cluster/reports.h"
#include "disk/log.h"
#include "model/ids.h"
#include "model/open_trace.h"
#include "model/operation.h"
#include "model/recording.h"
#include "model/task_set.h"

namespace ricercar::inline cluster {

inline constexpr std::uint64_t cluster_address = 0x1f0000000000;
inline constexpr std::uint64_t cluster_size = std::uint64_t{16} << 30;  // reserved, not used up
inline constexpr std::uint64_t cluster_magic = 0x3172657473756c63;      // "cluster1"
inline constexpr std::uint64_t disk_size = (std::uint64_t{2} << 30) + (std::uint64_t{1} << 20);
inline constexpr std::uint64_t disk_magic = 0x316b736964726372;  // "rcrdisk1"
inline constexpr const char* node_variable = "RICERCAR_NODE";    // DESCRIPTOR:NUMBER

// What a node is told.
enum class NodeOrder : std::uint8_t {
  run,     // begin an execution
  choose,  // take this option, or this value
  look,    // something may have arrived: say again what there is to choose from
  cut,     // the execution is over
  leave,   // so is all: the process ends
};

// What a node has come to.
enum class NodePost : std::uint8_t {
  nothing,  // it has not come to main yet
  ready,    // it waits for an execution to begin
  choice,   // which of its tasks goes on
  value,    // which of so many alternatives a task gets
  idle,     // all its tasks wait for something from outside
  ended,    // the execution is over: see `outcome`
};

// What may go wrong with a call of a node.
enum CallFault : std::uint8_t {
  call_is_fine = 0,
  call_fails = 1,     // EIO
  disk_is_full = 2,   // ENOSPC
  call_is_short = 4,  // it reads or writes less than it could
};

// A task of a node that waits to read from a socket, and for nothing else.
struct AwaitedArrival {
  TaskId task = no_task;
  EndpointId endpoint = no_endpoint;
};

struct NodeSlot {
  std::atomic<std::uint32_t> turn = 0;  // 1: the node's; a futex
  NodeOrder order = NodeOrder::run;
  NodePost post = NodePost::nothing;
  std::uint32_t answer = 0;
  bool stops = false;            // and stops there first, for the debugger
  std::uint64_t hand_overs = 0;  // how often it has got the turn from another node
  std::int32_t process = -1;     // its number, which is not that of a debugger around it

  // A choice.
  TaskId running = no_task;
  TaskSet enabled;
  TaskSet due;                            // of these: what goes on because its time limit passes
  std::uint64_t deadline = 0;             // when that is
  std::uint32_t alternatives = 0;         // a value
  TaskId chooser = no_task;               // likewise
  Operation pending[max_tasks];           // by task; of those that are enabled, or of the chooser
  char calls[max_tasks][24] = {};         // likewise: the function that the program has called
  std::uint8_t may_fail[max_tasks] = {};  // likewise: how that may go wrong, bits of CallFault
  std::uint8_t fails[max_tasks] = {};     // how it does, because the coordinator says so

  // It is idle, and what an arrival lets go on is known without a look of the node: these are all
  // its tasks, and what they wait for.
  static constexpr std::uint32_t most_awaited = 16;
  bool foresees = false;
  std::uint32_t awaited_count = 0;
  AwaitedArrival awaited[most_awaited] = {};
  TaskId last = no_task;     // who has made the last step
  bool looks_first = false;  // before it does what it is told: something has arrived

  // The execution so far, and its end.
  OpenTrace open;
  std::uint32_t tasks = 0;
  std::uint64_t clock = 0;     // nanoseconds since the node has begun; it begins with what is here
  std::uint32_t lives = 0;     // so often it has begun again in this execution
  std::uint64_t earliest = 0;  // what has arrived was sent at this time: it is not earlier now
  std::int64_t skew = 0;       // nanoseconds by which its date is wrong
  RecordedOutcome outcome = {};
  bool has_locked_files = false;  // or looked whether it can, since the coordinator asked last
  bool meets_in_kernel = false;   // it uses what the kernel keeps for several processes
  bool left_damage = false;       // the process is not fit for another execution
  bool was_limited = false;       // the limit of steps was reached

  char name[64] = "";
};

struct ClusterMemory {
  std::uint64_t magic = cluster_magic;
  std::uint32_t node_count = 0;
  Network network;
  ReportLog reports;
  bool notes_blocks = false;
  BlockLog blocks;
  char undo_file[1024] = "";  // with the disk memory; empty: that is a part of this one
  // What may still go wrong with files and streams in this execution, and whether a crash may.
  std::uint32_t disk_faults = 0;
  std::uint32_t short_transfers = 0;
  bool may_crash = false;
  // Where several search the cluster at a time: each has copies of its own of these folders, which
  // are absolute and have a line each. A node that is about to meet others elsewhere says so, and
  // waits for its end.
  bool is_one_of_several = false;
  bool hides_owners = false;  // whose a file is shows only if it is the user's own
  char copied_folders[std::size_t{16} << 10] = "";
  std::atomic<bool> must_be_alone = false;
  NodeSlot nodes[max_nodes];
};

inline ClusterMemory& cluster_memory() {
  return *reinterpret_cast<ClusterMemory*>(cluster_address);
}

// What the running execution has done to files: the last part of the cluster's memory, and, where
// that can be, a file on a disk, in which it stays when all processes are gone. So it says who has
// written it.
struct DiskMemory {
  std::uint64_t magic = disk_magic;
  std::int32_t coordinator = 0;  // its process
  char boot[64] = "";            // of the machine
  DiskLog log;
};

inline DiskMemory& disk_memory() {
  return *reinterpret_cast<DiskMemory*>(cluster_address + cluster_size - disk_size);
}

}  // namespace ricercar::inline cluster
