#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

#include "base/system_call.h"
#include "threads/buffers.h"
#include "threads/descriptor.h"
#include "threads/execution.h"
#include "threads/memory/file_hooks.h"
#include "threads/memory/not_modelled.h"
#include "threads/memory_access.h"
#include "threads/node_sockets.h"
#include "threads/recorder.h"
#include "threads/spin.h"

namespace ricercar::inline threads {
namespace {

const char all_names = 0;  // its address stands for the names of files

OperationKind kind_of(FileEffect effect) {
  switch (effect) {
    case FileEffect::looks:
      return OperationKind::file_look;
    case FileEffect::changes:
      return OperationKind::file_change;
    case FileEffect::status:
      return OperationKind::file_status;
    case FileEffect::reads:
      return OperationKind::file_read;
    case FileEffect::writes:
      break;
  }
  return OperationKind::file_write;
}

bool is_about_contents(FileEffect effect) { return effect >= FileEffect::reads; }

// Null: a channel, which has points of its own, or the outside world.
const void* object_of(const FileCall& call) {
  if (!is_about_contents(call.effect)) return object_of_names();
  const Descriptor descriptor = describe(call.number);
  return descriptor.kind == DescriptorKind::file ? descriptor.object : nullptr;
}

// What a file or a name stands for, on the disk: not the descriptors of the process.
bool changes_files(const FileCall& call) {
  const std::string_view name = call.name;
  if (call.effect == FileEffect::changes) return call.path != nullptr && name != "chdir";
  return call.effect == FileEffect::writes && !name.starts_with("read") && name != "lseek";
}

// A node tells of what it changes where that is kept to be put back (threads/node_files.h): there
// each change has its place.
bool is_told_by_log(const FileCall& call) {
  return is_node() && std::string_view(call.name) != "chown";
}

// What one task did before it changed something in the file system happened before what another
// one does that sees it.
void note_order(const FileCall& call, const void* where) {
  RaceDetector* races = execution.races();
  if (races == nullptr) return;
  const TaskId self = execution.self().id;
  const auto object = reinterpret_cast<std::uint64_t>(where);
  const bool only_looks = call.effect == FileEffect::looks || call.effect == FileEffect::status ||
                          call.effect == FileEffect::reads;
  races->acquire(self, object);
  if (!only_looks) races->release(self, object);
}

std::string arguments_of(const FileCall& call) {
  std::string text;
  if (call.path != nullptr) text = std::string("\"") + call.path + "\"";
  if (call.new_path != nullptr) text += std::string(", \"") + call.new_path + "\"";
  if (call.path == nullptr && call.number >= 0) text = std::to_string(call.number);
  return text;
}

std::string words_for(const FileCall& call, long result, int error) {
  std::string text = std::string(call.name) + "(" + arguments_of(call) + ")";
  if (error == 0) return text + (result > 0 ? " = " + std::to_string(result) : "");
  const char* name = strerrorname_np(error);
  return text + " fails: " + (name != nullptr ? name : std::to_string(error));
}

}  // namespace

const void* object_of_file(std::uint64_t device, std::uint64_t inode) {
  return program_state.files.of(device, inode);
}

void forget_file(std::uint64_t device, std::uint64_t inode) {
  program_state.files.forget(device, inode);
  program_state.streamed_files.forget(device, inode);
}

const void* object_of_names() { return &all_names; }

// The memory and the file are two objects, although what happens to one happens to the other.
void note_mapped_file(const FileCall& call, std::uint64_t site) {
  struct stat status = {};
  if (!is_about_contents(call.effect) || is_ordered()) return;
  if (system_call(SYS_fstat, call.number, reinterpret_cast<long>(&status)) != 0) return;
  if (!memory_state.aliases.contains_file(status.st_dev, status.st_ino)) return;
  not_modelled(
      "reads or writes a file that it has mapped, too: the search does not know that they are one",
      site);
}

bool file_call_begins(const FileCall& call, void* caller) {
  const auto site = reinterpret_cast<std::uint64_t>(caller);
  if (!is_for_program(site)) return false;
  program_reads_text(call.path, site);
  program_reads_text(call.new_path, site);
  const void* object = object_of(call);
  if (object == nullptr) return false;
  if (changes_files(call) && !is_told_by_log(call)) must_be_alone();
  if (memory_state.aliases.any_file()) note_mapped_file(call, site);
  const bool is_step = !execution.tasks.alone_for_good();
  if (is_step) execution.point(kind_of(call.effect), object, site);
  note_order(call, object);
  return is_step;
}

void file_call_ended(const FileCall& call, long result, int error) {
  Step& step = execution.steps.last();
  step.value = error != 0 ? static_cast<std::uint64_t>(error) : 0;
  if (error != 0) step.flags |= step_failed;
  if (Recorder* recorder = execution.recorder()) {
    recorder->name_step(execution, words_for(call, result, error));
  }
}

void FileStep::tell(long result) const {
  const int error = errno;
  file_call_ended(call_, result, result == -1 ? error : 0);
  errno = error;
}

}  // namespace ricercar::inline threads
