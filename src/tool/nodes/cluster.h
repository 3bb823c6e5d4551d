// The processes of a cluster and the memory that they share. One of them runs at a time, and only
// while the coordinator waits for it. Not thread-safe.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "cluster/memory.h"
#include "model/options.h"
#include "nodes/cluster_file.h"
#include "nodes/folder_copies.h"
#include "search/control.h"
#include "supervisor/supervisor.h"

namespace ricercar::inline nodes {

class Guardian;
class UndoFile;

// Where what the nodes write goes.
struct NodeOutput {
  int descriptor = -1;  // -1: nowhere
  // A file for each node in this folder; the descriptor gets all of them at the end. Empty: no
  // files.
  std::string folder;
};

// Calls who waits for a node now and then, to look whether that one is still there. A thread of its
// own, so that no wait needs a time limit.
class Ticker {
 public:
  Ticker() : thread_([this] { run(); }) {}
  ~Ticker();
  void watch(const std::atomic<std::uint32_t>& word) { watched_ = &word; }

 private:
  void run();

  std::atomic<const std::atomic<std::uint32_t>*> watched_ = nullptr;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_over_ = false;
  std::thread thread_;
};

class Cluster {
 public:
  // Before the coordinator has mapped the memory of its own search: that of each node takes the
  // same address for a moment.
  Cluster(const ClusterPlan& plan, const Request& request, NodeOutput output,
          const FolderCopies& copies = {});
  ~Cluster();
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  std::uint32_t size() const { return static_cast<std::uint32_t>(plan_.nodes.size()); }
  const NodePlan& plan(std::uint32_t node) const { return plan_.nodes[node]; }
  const ClusterPlan& plan() const { return plan_; }
  NodeSlot& slot(std::uint32_t node) { return cluster_memory().nodes[node]; }
  Network& network() { return cluster_memory().network; }
  const Network& network() const { return cluster_memory().network; }
  BlockLog& blocks() { return cluster_memory().blocks; }
  ReportLog& reports() { return cluster_memory().reports; }
  DiskLog& disk() { return disk_memory().log; }
  const UndoFile& undo_file() const { return *undo_file_; }
  const Guardian& guardian() const { return *guardian_; }

  // Runs the command of the plan that cleans up, if there is one. Throws UsageError if it fails.
  void clean_up();
  // Starts the processes that are not there. Throws UsageError if one does not come to its main.
  void start();
  // Gives the turn to a node and waits until it gives it back. False: its process is gone, or did
  // not come back in time; `why` goes on from its name: " was killed ...".
  bool order(std::uint32_t node, NodeOrder order, std::uint32_t answer = 0);
  const std::string& why(std::uint32_t node) const { return processes_[node].why; }
  pid_t process_of(std::uint32_t node) const { return processes_[node].id; }
  // How often it was told to begin or to go on.
  std::uint64_t turns(std::uint32_t node) const { return processes_[node].turns; }
  // What is about to happen only one search of the cluster may do at a time: the tool ends all of
  // them, and one begins from the start.
  [[noreturn]] static void leave_to_one();
  // Its process is not fit for another execution. A debugger around it ends when its user wants.
  void give_up(std::uint32_t node);
  // Nor for going on in this one: a new process takes its place.
  void renew(std::uint32_t node);

  // Writes what each node has written to the descriptor. Files without anything in them go.
  void show_outputs() const;
  // Copies the files that the nodes have changed to the folder for their output, if there is one.
  void keep_files();
  // What the programs do and nobody models, a line each; and what they did after their start is
  // forgotten.
  std::string not_modelled() const;
  void forget_not_modelled();
  // A number for where all programs are loaded.
  std::uint64_t places() const;
  // A place in the code of a node, as "/path/program(+0x12)".
  std::string place_of(std::uint32_t node, std::uint64_t address) const;
  // Copies from the memory of a node. `address`: in the file of its program. False: it cannot be.
  bool read(std::uint32_t node, std::uint64_t address, void* to, std::size_t size) const;

 private:
  struct Process {
    pid_t id = -1;
    int control = -1;  // descriptor of the memory that the runtime in it uses
    std::string why;
    std::uint64_t turns = 0;
    std::size_t not_modelled_at_start = 0;  // bytes
    // Where its program is: a run-time address minus the address in the file; once it was asked.
    mutable std::optional<std::uint64_t> bias = {};
  };

  std::string output_file(std::uint32_t node) const;
  int open_output(std::uint32_t node) const;
  void keep_file(std::uint32_t node, const std::string& path, std::uintmax_t& left) const;
  void make_memory();
  void make_control(Process& process, const Request& request, Backend backend);
  bool is_debugged(std::uint32_t node) const { return node == debugged_.node; }
  pid_t start_process(std::uint32_t node, Launch& launch) const;
  void count_turn(std::uint32_t node);
  void leave_debugger();
  pid_t program_of(std::uint32_t node) const;
  void start(std::uint32_t node);
  void await_main(std::uint32_t node);
  bool await_post(std::uint32_t node, double seconds);
  std::uint64_t bias_of(std::uint32_t node) const;
  static std::string error_of(const Process& process);
  static void kill(Process& process);

  const ClusterPlan& plan_;
  const double hang_seconds_;
  const NodeUnderDebugger debugged_;
  std::uint32_t last_turn_ = NodeUnderDebugger::none;  // whose it was
  const NodeOutput output_;
  std::unique_ptr<UndoFile> undo_file_;
  std::unique_ptr<Guardian> guardian_;
  int memory_ = -1;
  std::optional<LockedFolders> folders_;
  std::vector<Process> processes_;
  std::optional<Ticker> ticker_;
};

}  // namespace ricercar::inline nodes
