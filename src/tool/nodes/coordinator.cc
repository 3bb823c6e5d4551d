#include "nodes/coordinator.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "nodes/guardian.h"
#include "nodes/nodes_world.h"
#include "nodes/property_watch.h"
#include "search/search_loop.h"
#include "search/world_process.h"

namespace ricercar::inline nodes {
namespace {

// A look at the request before the memory is mapped where it belongs.
Request request_in(int descriptor) {
  void* got = ::mmap(nullptr, sizeof(Control), PROT_READ, MAP_SHARED, descriptor, 0);
  if (got == MAP_FAILED) throw UsageError("cannot read what was asked for");
  const Request request = static_cast<const Control*>(got)->request;
  ::munmap(got, sizeof(Control));
  return request;
}

// The place for them, and of which folders.
FolderCopies copies_for(const std::vector<std::string>& words) {
  if (words.empty()) return {};
  return mount_copies(words.front(), {std::next(words.begin()), words.end()});
}

void replay_once(Control& control, Cluster& cluster, Properties& properties) {
  NodesWorld world(control, cluster, properties, [] { return false; });
  world.tell();
  replay(control, world);
  cluster.keep_files();
  cluster.show_outputs();
}

void search(Control& control, Cluster& cluster, Properties& properties) {
  const double start = now_seconds();
  SearchLoop loop(control);
  NodesWorld world(control, cluster, properties, [&loop] {
    loop.keep_time();
    return loop.is_over().load();
  });
  loop.run(world);
  control.seconds = now_seconds() - start;
  loop.forget();
}

}  // namespace

int coordinate(const std::string& cluster_file, const std::string& properties,
               const std::string& output, const std::vector<std::string>& copies) {
  const char* descriptor = std::getenv(control_variable);
  if (descriptor == nullptr) {
    std::fprintf(stderr, "ricercar: this command is for `ricercar run --nodes` only\n");
    return 2;
  }
  std::string problem;
  ClusterPlan plan;
  std::unique_ptr<Cluster> cluster;
  try {
    const Request request = request_in(std::atoi(descriptor));
    plan = read_cluster(cluster_file);
    const bool shows_output = request.mode == Mode::replay;
    const FolderCopies own = copies_for(copies);
    cluster = std::make_unique<Cluster>(
        plan, request, NodeOutput{shows_output ? STDOUT_FILENO : -1, shows_output ? output : ""},
        own);
  } catch (const UsageError& error) {
    problem = error.what();
  }
  Control* control = control_from_tool();
  if (control == nullptr) return 2;
  if (cluster) {
    control->guardian = cluster->guardian().process();
    const std::string& note = cluster->undo_file().note();
    if (!note.empty()) copy_text(control->note, note);
  }
  work_for_tool(*control, WorldKind::nodes, [&](Control& asked) {
    if (!problem.empty()) throw UsageError(problem);
    Properties checked(properties);
    if (!checked.empty()) watch_properties(asked, asked.request.hang_seconds);
    asked.request.mode == Mode::replay ? replay_once(asked, *cluster, checked)
                                       : search(asked, *cluster, checked);
    cluster.reset();
  });
}

}  // namespace ricercar::inline nodes
