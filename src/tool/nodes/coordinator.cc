#include "nodes/coordinator.h"

#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/clock.h"
#include "base/error.h"
#include "base/search_heap.h"
#include "base/text.h"
#include "model/step_hash.h"
#include "nodes/nodes_world.h"
#include "search/decisions.h"
#include "search/found_bugs.h"
#include "search/search_loop.h"

namespace ricercar::inline nodes {
namespace {

// The memory of the search, which the tool has made.
Control* attach_control(int descriptor) {
  void* got = ::mmap(reinterpret_cast<void*>(control_address), control_size, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, descriptor, 0);
  auto* control = static_cast<Control*>(got);
  if (got == MAP_FAILED || control->magic != control_magic) return nullptr;
  const std::uint64_t heap = control->heap_start;
  search_heap_attach(reinterpret_cast<void*>(heap), control_address + control_size - heap, false);
  return control;
}

// A look at the request before the memory is mapped where it belongs.
Request request_in(int descriptor) {
  void* got = ::mmap(nullptr, sizeof(Control), PROT_READ, MAP_SHARED, descriptor, 0);
  if (got == MAP_FAILED) throw UsageError("cannot read what was asked for");
  const Request request = static_cast<const Control*>(got)->request;
  ::munmap(got, sizeof(Control));
  return request;
}

const char* shared_text(const std::string& text) {
  char* copy = search_allocate_array<char>(text.size() + 1);
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

void write_recording(Control& control, NodesWorld& world, Cluster& cluster,
                     const RecordedDivergence& divergence) {
  const SharedAllocation shared;
  const char* nothing = shared_text("");
  auto* recording = search_allocate_array<Recording>(1);
  *recording = {};
  recording->outcome = as_record(world.outcome());
  recording->divergence = divergence;
  recording->divergence.found_count = 0;  // they have no names in the tool
  recording->trace_hash = hash_of(world.trace());
  recording->steps = world.trace().size();
  recording->acts = {search_allocate_array<RecordedAct>(world.acts().size()), world.acts().size()};
  for (std::size_t i = 0; i < world.acts().size(); ++i) {
    const NodeAct& act = world.acts()[i];
    recording->acts[i] = {act.kind, act.node, act.target, shared_text(act.words), nothing, 0, 0};
  }
  recording->machines = {search_allocate_array<RecordedMachine>(cluster.size()), cluster.size()};
  for (std::uint32_t i = 0; i < cluster.size(); ++i) {
    recording->machines[i] = {
        i,       MachinePhase::running,        shared_text(cluster.plan(i).name),
        nothing, shared_text(world.ending(i)), nothing};
  }
  control.recording = recording;
}

void replay(Control& control, Cluster& cluster) {
  control.status = Status::running;
  NodesWorld world(control, cluster, [] { return false; });
  world.record();
  ReplayStrategy strategy(control.request.decisions, control.request.checks,
                          control.request.operations);
  strategy.begin();
  world.restore();
  world.run(strategy);
  strategy.end(world.trace(), world.outcome());
  write_recording(control, world, cluster, strategy.divergence());
  control.executions = 1;
  control.steps = world.trace().size();
  control.status = Status::finished;
}

void search(Control& control, Cluster& cluster) {
  const double start = now_seconds();
  SearchLoop loop(control);
  NodesWorld world(control, cluster, [&loop] {
    loop.keep_time();
    return loop.is_over().load();
  });
  loop.run(world);
  control.seconds = now_seconds() - start;
  loop.forget();
}

}  // namespace

int coordinate(const std::string& cluster_file) {
  const char* text = std::getenv(control_variable);
  if (text == nullptr) {
    std::fprintf(stderr, "ricercar: this command is for `ricercar run --nodes` only\n");
    return 2;
  }
  const int descriptor = std::atoi(text);
  ::unsetenv(control_variable);
  std::string problem;
  Control* control = nullptr;
  try {
    const Request request = request_in(descriptor);
    const ClusterPlan plan = read_cluster(cluster_file);
    const bool shows_output = request.mode == Mode::replay;
    Cluster cluster(plan, request, shows_output ? STDOUT_FILENO : -1);
    control = attach_control(descriptor);
    if (control == nullptr) throw UsageError("cannot map the shared memory of the search");
    request.mode == Mode::replay ? replay(*control, cluster) : search(*control, cluster);
    return worker_done;
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (control == nullptr) control = attach_control(descriptor);
  if (control == nullptr) return 2;
  copy_text(control->error, problem);
  control->status = Status::failed;
  return worker_done;
}

}  // namespace ricercar::inline nodes
