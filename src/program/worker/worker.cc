#include "worker/worker.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <cstring>

#include "base/text.h"
#include "search/mailbox.h"
#include "search/process_facts.h"
#include "search/search_loop.h"
#include "threads/memory/external_state.h"
#include "threads/memory/not_modelled.h"
#include "threads/node_files.h"
#include "threads/node_sockets.h"
#include "threads/process.h"
#include "worker/runtime.h"
#include "worker/threads_world.h"

namespace ricercar::inline worker {

namespace {

Control* control_block = nullptr;

}  // namespace

Control* current_control() { return control_block; }
void set_current_control(Control* control) { control_block = control; }

bool run_search(Control& control, const Subject& program) {
  control_block = &control;
  ThreadsWorld world(control, program);
  return SearchLoop(control).run(world);
}

void add_note(Control& control, const std::string& text) {
  const std::string before = control.note;
  copy_text(control.note, before.empty() ? text : before + "; " + text);
}

}  // namespace ricercar::inline worker

namespace ricercar::inline threads {

void needs_fork(const char* why) {
  Control* control = control_block != nullptr ? control_block : attached_control();
  if (control == nullptr || control->forks) return;
  control->forks = true;
  add_note(*control,
           std::string("each execution is a fork of its own, because the program ") + why);
}

// Forks of the program have written it down, too, where it is shared.
void not_modelled(const char* what, std::uint64_t site) {
  Control* control = control_block != nullptr ? control_block : attached_control();
  if (control == nullptr || std::strstr(control->not_modelled, what) != nullptr) return;
  std::string line = what;
  if (site != 0) line += ", at " + place_of(site);
  const std::size_t used = std::strlen(control->not_modelled);
  if (used + line.size() + 2 > sizeof control->not_modelled) return;
  std::strcpy(control->not_modelled + used, (line + "\n").c_str());
}

// If there are others the tool kills all of them, and one begins from the start.
void must_be_alone() {
  if (is_node()) return leave_cluster_to_one();
  const Control* control = attached_control();
  if (control == nullptr) return;
  Mailbox& mailbox = mailbox_of_worker();
  mailbox.is_alone = true;
  if (!control->piece.is_taken) return;
  for (;;) {
    system_call(SYS_kill, mailbox.reader, signal_of_question);
    system_call(SYS_pause);
  }
}

void stop_search_now(const char* message) {
  Control* control = control_block != nullptr ? control_block : attached_control();
  if (control != nullptr) {
    copy_text(control->error, message);
    control->status = Status::failed;
    system_call(SYS_exit_group, worker_done);
  }
  ::write(2, message, std::strlen(message));
  system_call(SYS_exit_group, 2);
  __builtin_unreachable();
}

}  // namespace ricercar::inline threads
