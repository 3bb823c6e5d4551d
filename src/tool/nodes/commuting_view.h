// An execution of a cluster as a reduction sees it (strategy/dpor.cc): tasks with numbers that do
// not depend on the order of what commutes, and for each slot what it touches. Which steps commute:
//
//   two threads of one node                 never: they share its memory, descriptors and time
//   a step of a node, a message that        never: the node can tell which came first
//   arrives there
//   two messages that arrive at one node    never, likewise
//   a message, its sender's steps           they do, once it was sent. But a connection is made for
//                                           both ends at once, and a message to an end that is
//                                           closed is about both ends
//   a send, a close of the other end        never: the close tells whether everything was read
//   a send that may find no room, a read    never
//   two steps that report values            never, if there are properties, which see all nodes.
//                                           A property that sees more than reports is refused
//   two steps with calls about files        never: nodes may share them
//   ends of two clients                     never: the last one ends the execution. If there are
//                                           no clients, ends of two nodes
//   what goes wrong on purpose, anything    never: what can go wrong depends on all nodes
//   all others                              they do
//
// Who could go on before a slot and cannot behind it (a thread at a lock that was taken, at data
// that somebody else has read, in a node that has ended; a connection that finds no room) is kept
// from it by that slot. What lets it go on later cannot come after it, so that is no race; the slot
// that has kept it can: see let_pass.
//
// Owned by the world.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/network.h"
#include "model/dependence.h"
#include "nodes/task_names.h"

namespace ricercar::inline nodes {

class CommutingView {
 public:
  explicit CommutingView(TaskNames& names) : names_(names) {}

  void begin_execution();

  // Something was decided. What follows belongs to it, up to the next one.
  void begin_slot(TaskId task, OperationKind kind, std::uint64_t object, std::uint32_t options);
  // What follows is done by another one, which goes on because of it.
  void let_go(TaskId task) { running_ = task; }
  // The same, for a task that somebody has kept from it meanwhile.
  void begin_kept_slot(TaskId task, std::uint32_t node, std::uint32_t options);
  // The slot keeps another task of the node from going on.
  void keep(TaskId task, std::uint32_t node);
  // What a task that is still kept wants, at the end.
  static Step wanted(TaskId task, std::uint32_t node);
  void add_value(TaskId task, std::size_t chosen, std::uint32_t alternatives);
  void touch(std::uint64_t object) { add(OperationKind::touch, object); }
  void glance(std::uint64_t object) { add(OperationKind::glance, object); }
  // It comes after what has touched the object, and could not have come before.
  void follow(std::uint64_t object) { add(OperationKind::follow, object); }
  void touch(const Touched& touched);
  // The execution ends although others could go on.
  void exit() { add(OperationKind::exit, 0); }

  Trace trace() const { return trace_; }

 private:
  void add(OperationKind kind, std::uint64_t object);

  TaskNames& names_;
  std::vector<Step> trace_;
  TaskId running_ = no_task;  // whose slot it is
};

}  // namespace ricercar::inline nodes
