#include <signal.h>

#include <utility>

#include "base/bytes.h"
#include "search/search_loop.h"

namespace ricercar::inline search {

bool PieceWork::take() {
  std::string message;
  if (!receive(message)) return false;
  const PieceTask task = piece_task_from(message);
  begin(task);
  const SharedAllocation shared;
  pieces().take(task.piece);
  return true;
}

// All that the search notes from here on is of this piece. Executions are counted on: the tool
// looks whether they become more.
void PieceWork::begin(const PieceTask& task) {
  PieceProgress& progress = control_.piece;
  progress = {};
  progress.is_taken = true;
  progress.number = task.number;
  progress.is_of_runs = pieces().execution_plan() != nullptr;
  forget_finds();
  progress.before = control_;
  control_.request.max_executions = task.most == 0 ? 0 : control_.executions + task.most;
  state().has_ended = false;  // with the bug of another piece, which may come behind this one
  mailbox_.is_wanted = true;
  state().traces = {};
  {
    const SharedAllocation shared;
    state().sampled_in_piece.clear();
    state().runs.clear();
    state().texts = {};
    state().probes = task.probes;
  }
  world_.adopt(task.knowledge);
  world_.look_for(ProbeTask::from(task.probes));
  world_.begin_telling();
  control_.status = Status::running;
}

void PieceWork::forget_finds() {
  control_.first_bug = control_.last_bug = nullptr;
  control_.first_ignored = nullptr;
  control_.bug_count = control_.most_steps = 0;
  control_.most_tasks = 0;
  control_.unfollowed_races = false;
  control_.cluster = {};
}

// --- Executions that count one by one ---

void PieceWork::begin_run() {
  end_run();
  forget_finds();
  control_.piece.before_run = control_;
  control_.piece.is_run_open = true;
}

void PieceWork::note_circles() {
  const SharedAllocation shared;
  state().circles = world_.circles();
}

// Texts are told when they have changed.
PieceResult PieceWork::run_result() const {
  SearchState& state = *static_cast<SearchState*>(control_.search);
  PieceResult run = piece_result_of(control_, control_.piece.before_run);
  run.sampled = std::move(state.sampled_in_piece);
  if (run.texts == state.texts) {
    run.texts = {};
  } else {
    state.texts = run.texts;
  }
  return run;
}

void PieceWork::end_run() {
  if (!std::exchange(control_.piece.is_run_open, false)) return;
  const SharedAllocation shared;
  RunResult run{run_result(), std::exchange(state().circles, {}),
                std::exchange(control_.piece.is_renewed, false)};
  run.result.has_failed = control_.status == Status::failed;
  run.result.found_end = control_.piece.found_end;
  if (control_.piece.has_learned) run.result.knowledge = world_.knowledge();
  state().sampled_in_piece.clear();
  state().runs.push_back(to_bytes(run));
}

void PieceWork::give() {
  world_.end_telling();
  end_run();
  PieceResult result = piece_result_of(control_, control_.piece.before);
  {
    const SharedAllocation shared;
    result.end = pieces().give();
  }
  result.was_cut = control_.stop;
  result.has_failed = control_.status == Status::failed;
  result.found_end = control_.piece.found_end;
  if (control_.piece.has_learned) result.knowledge = world_.knowledge();
  if (control_.piece.is_of_runs) {
    result.runs = state().runs;
    result.bugs.clear();
    result.ignored.clear();
  } else {
    if (control_.request.count_traces) result.traces = state().traces;
    result.sampled = state().sampled_in_piece;
  }
  ByteWriter writer;
  writer.number(control_.piece.number);
  writer.text(to_bytes(result));
  control_.piece.is_taken = false;
  send(writer.take());
}

void PieceWork::send(const std::string& message) {
  for (std::size_t sent = 0; sent < message.size();) {
    while (mailbox_.to_tool.is_full()) mailbox_.to_tool.wait_until_empty();
    mailbox_.to_tool.put(message, sent);
    ring();
  }
}

bool PieceWork::receive(std::string& message) {
  do {
    while (!mailbox_.to_worker.is_full()) {
      if (control_.stop) return false;
      mailbox_.to_worker.wait_until_full();
    }
  } while (!mailbox_.to_worker.get(message) && (ring(), true));
  return true;
}

// Something was written or read.
void PieceWork::ring() const { system_call(SYS_kill, mailbox_.reader, signal_of_question); }

}  // namespace ricercar::inline search
