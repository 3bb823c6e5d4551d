#include "nodes/cluster.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <new>
#include <sstream>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "cluster/hand_over.h"
#include "disk/undo.h"
#include "nodes/guardian.h"
#include "nodes/time_stamp_trap.h"
#include "search/lost_execution.h"
#include "search/mailbox.h"
#include "supervisor/gdb_script.h"
#include "supervisor/launch.h"

namespace ricercar::inline nodes {
namespace {

constexpr int tick_ms = 100;
constexpr std::uint64_t lowest_moved = std::uint64_t{1} << 32;  // a program below has a fixed place
constexpr double start_seconds = 30;                            // to come to main
constexpr double margin_seconds = 3;                            // a node's own watchdog comes first
constexpr std::uint64_t message_bytes = std::uint64_t{4} << 30;
constexpr std::uint64_t report_bytes = std::uint64_t{1} << 30;

// What lies behind the header: the traces of all nodes, the messages, and what the nodes report. At
// the end is the disk memory.
constexpr std::uint64_t header_bytes = (sizeof(ClusterMemory) + 4095) / 4096 * 4096;

std::string words_of_end(int status) {
  if (WIFSIGNALED(status)) {
    return "was killed by " + signal_words(WTERMSIG(status));
  }
  return "ended with status " + std::to_string(WEXITSTATUS(status));
}

// Of a process that nobody here has ended.
std::string words_of_loss(int status) {
  const bool was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  return words_of_end(status) +
         (was_killed ? ": by another process, or because memory ran out" : "");
}

// Nothing: it did not end in time, and was killed.
std::optional<int> await_end(pid_t child, double seconds) {
  const double start = now_seconds();
  int status = 0;
  for (useconds_t wait_us = 50; ::waitpid(child, &status, WNOHANG) == 0;) {
    if (now_seconds() - start > seconds) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return std::nullopt;
    }
    ::usleep(wait_us);
    wait_us = std::min<useconds_t>(2 * wait_us, tick_ms * 1000);
  }
  return status;
}

// A hand-over within one processor costs a tenth of one to another. Negative: any.
void stay_on_one_processor(int wanted) {
  cpu_set_t one;
  CPU_ZERO(&one);
  const int here = wanted >= 0 ? wanted : ::sched_getcpu();
  if (here < 0) return;
  CPU_SET(static_cast<unsigned>(here), &one);
  ::sched_setaffinity(0, sizeof one, &one);
}

// Texts in the memory of a node's runtime.
template <typename Take>
void look_into(int control, Take take) {
  void* mapped = ::mmap(nullptr, sizeof(Control), PROT_READ | PROT_WRITE, MAP_SHARED, control, 0);
  if (mapped == MAP_FAILED) return;
  take(*static_cast<Control*>(mapped));
  ::munmap(mapped, sizeof(Control));
}

}  // namespace

Ticker::~Ticker() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_one();
  thread_.join();
}

void Ticker::run() {
  std::unique_lock lock(mutex_);
  const auto is_over = [this] { return is_over_; };
  while (!ends_.wait_for(lock, std::chrono::milliseconds(tick_ms), is_over)) {
    if (const std::atomic<std::uint32_t>* word = watched_) call_waiting(*word);
  }
}

Cluster::Cluster(const ClusterPlan& plan, const Request& request, NodeOutput output,
                 const FolderCopies& copies)
    : plan_(plan),
      hang_seconds_(request.hang_seconds),
      debugged_(request.debugged),
      output_(std::move(output)),
      undo_file_(request.in_pieces ? std::make_unique<UndoFile>()
                                   : std::make_unique<UndoFile>(plan)) {
  // Where there are several searches, who has started them keeps the folders.
  if (!request.in_pieces) folders_.emplace(plan);
  make_memory();
  undo_file_->map();
  guardian_ = std::make_unique<Guardian>(*undo_file_, memory_);
  processes_.resize(plan.nodes.size());
  // What comes behind the limit, if everything is healed there, is limited by `progress`.
  constexpr std::uint64_t longest_turn = 1 << 10;
  Request of_node = request;
  if (plan.progress > 0) of_node.max_steps += plan.progress + longest_turn;
  const std::uint64_t room = of_node.max_steps + (1 << 16);
  char* at = reinterpret_cast<char*>(cluster_address + header_bytes);
  for (std::uint32_t i = 0; i < size(); ++i) {
    make_control(processes_[i], of_node, is_debugged(i) ? request.backend : Backend::fibers);
    copy_text(slot(i).name, plan.nodes[i].name);
    slot(i).open.steps = reinterpret_cast<Step*>(at);
    at += room * sizeof(Step);
    slot(i).open.accesses = reinterpret_cast<std::uint32_t*>(at);
    at += room * sizeof(std::uint32_t);
  }
  const auto used = static_cast<std::uint64_t>(at - reinterpret_cast<char*>(cluster_address));
  if (used + message_bytes + report_bytes + disk_size > cluster_size) {
    throw UsageError("--steps is too large for so many nodes: " +
                     std::to_string(request.max_steps));
  }
  cluster_memory().node_count = size();
  cluster_memory().is_one_of_several = request.in_pieces;
  cluster_memory().hides_owners = copies.hides_owners;
  copy_text(cluster_memory().copied_folders, copies.lines());
  network().use(reinterpret_cast<unsigned char*>(at), message_bytes);
  reports().use(reinterpret_cast<unsigned char*>(at) + message_bytes, report_bytes);
  const bool starts_again = plan_.faults[FaultKind::restart] > 0 || plan_.progress > 0;
  cluster_memory().may_crash = disk().keeps_data =
      plan_.faults[FaultKind::crash] > 0 && starts_again;
  stay_on_one_processor(request.processor);
  ticker_.emplace();
}

Cluster::~Cluster() {
  ticker_.reset();
  leave_debugger();
  for (Process& process : processes_) {
    kill(process);
    ::close(process.control);
  }
  undo_all(disk());
  undo_file_->remove();
  guardian_.reset();
  ::munmap(reinterpret_cast<void*>(cluster_address), cluster_size);
  ::close(memory_);
}

void Cluster::make_memory() {
  memory_ = ::memfd_create("ricercar-cluster", MFD_CLOEXEC);
  if (memory_ < 0 || ::ftruncate(memory_, cluster_size) != 0) {
    throw UsageError(std::string("cannot make the memory of the cluster: ") + strerror(errno));
  }
  void* wanted = reinterpret_cast<void*>(cluster_address);
  if (::mmap(wanted, cluster_size, PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_FIXED_NOREPLACE | MAP_NORESERVE, memory_, 0) != wanted) {
    throw UsageError(std::string("cannot map the memory of the cluster: ") + strerror(errno));
  }
  new (wanted) ClusterMemory();
}

void Cluster::make_control(Process& process, const Request& request, Backend backend) {
  const SharedControl control;
  static_cast<ScheduleOptions&>(control->request) = request;
  control->request.backend = backend;
  control->request.mode = Mode::node;
  process.control = ::fcntl(control.descriptor(), F_DUPFD_CLOEXEC, 3);
}

// --- Processes ---

void Cluster::clean_up() {
  if (plan_.clean_up.empty()) return;
  std::vector<char*> words;
  for (const std::string& word : plan_.clean_up) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const std::string name = " (" + plan_.clean_up[0] + ")";
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chdir(plan_.folder.c_str()) == 0) ::execv(words[0], words.data());
    ::_exit(127);
  }
  if (child < 0) throw UsageError("the clean-up command" + name + " cannot be started");
  const std::optional<int> status = await_end(child, hang_seconds_);
  if (status == 0) return;
  throw UsageError("the clean-up command" + name + " " +
                   (status ? words_of_end(*status) : "did not end in time (--hang allows more)") +
                   "; run it on its own to see why. It has to end with status 0");
}

void Cluster::start() {
  for (std::uint32_t i = 0; i < size(); ++i) {
    if (processes_[i].id < 0) start(i);
  }
}

void Cluster::start(std::uint32_t node) {
  const NodePlan& plan = plan_.nodes[node];
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  Launch launch;
  launch.program = plan.program;
  launch.arguments = plan.arguments;
  launch.environment = plan.environment;
  launch.folder = plan.folder;
  launch.control = processes_[node].control;
  launch.cluster = memory_;
  launch.node = node;
  launch.input = nowhere;
  const int file = open_output(node);
  launch.output = launch.error = file >= 0                 ? file
                                 : output_.descriptor >= 0 ? output_.descriptor
                                                           : nowhere;
  slot(node).post = NodePost::nothing;
  slot(node).turn = 1;
  const TimeStampTrap none(false);  // the program's own loader reads time stamps
  processes_[node].id = start_process(node, launch);
  processes_[node].bias.reset();
  ::close(nowhere);
  if (file >= 0) ::close(file);
  await_main(node);
}

// A person sees what a node under the debugger writes, as it comes.
pid_t Cluster::start_process(std::uint32_t node, Launch& launch) const {
  if (!is_debugged(node)) return start_worker(launch);
  launch.input = STDIN_FILENO;
  launch.output = STDOUT_FILENO;
  launch.error = STDERR_FILENO;
  return start_debugger(launch, gdb_commands_for_node());
}

// The node's process ends, so that the debugger says so; that one ends when its user wants.
void Cluster::leave_debugger() {
  if (debugged_.node >= size() || processes_[debugged_.node].id < 0) return;
  slot(debugged_.node).order = NodeOrder::leave;
  hand_over(slot(debugged_.node).turn, 1);
  ::waitpid(processes_[debugged_.node].id, nullptr, 0);
  processes_[debugged_.node].id = -1;
}

void Cluster::give_up(std::uint32_t node) {
  if (is_debugged(node)) leave_debugger();
  kill(processes_[node]);
}

void Cluster::renew(std::uint32_t node) {
  const std::uint64_t clock = slot(node).clock;
  give_up(node);
  start(node);
  slot(node).clock = clock;
  slot(node).left_damage = false;
}

void Cluster::await_main(std::uint32_t node) {
  const double seconds = is_debugged(node) ? hang_seconds_ : start_seconds;
  if (await_post(node, seconds) && slot(node).post == NodePost::ready) {
    Process& process = processes_[node];
    look_into(process.control, [&](const Control& control) {
      process.not_modelled_at_start = std::strlen(control.not_modelled);
    });
    return;
  }
  if (is_debugged(node)) {
    throw UsageError("gdb" + processes_[node].why + " before the node " +
                     ricercar::quoted(plan_.nodes[node].name) + " came to its main function");
  }
  const std::string who = "the node " + ricercar::quoted(plan_.nodes[node].name) + " (" +
                          plan_.nodes[node].program + ")";
  kill(processes_[node]);
  if (processes_[node].why.starts_with(": ")) throw UsageError(who + processes_[node].why);
  throw UsageError(who + processes_[node].why +
                   " before Ricercar's runtime could take control; compile it with `ricercar c++` "
                   "(or `ricercar cc` for C), and try it without Ricercar first");
}

bool Cluster::await_post(std::uint32_t node, double seconds) {
  Process& process = processes_[node];
  double start = 0;  // by the clock, at which nobody looks while all goes well
  ticker_->watch(slot(node).turn);
  while (!await_turn_or_call(slot(node).turn, 0)) {
    if (cluster_memory().must_be_alone) leave_to_one();
    if (start == 0) start = now_seconds();
    int status = 0;
    if (::waitpid(process.id, &status, WNOHANG) == process.id) {
      process.id = -1;
      process.why = " " + words_of_loss(status);
      if (const std::string error = error_of(process); !error.empty()) process.why = ": " + error;
      return false;
    }
    if (now_seconds() - start < seconds) continue;
    process.why =
        " did not come back within " + std::to_string(static_cast<int>(seconds)) +
        " seconds: it was stopped, or does what Ricercar does not see (--hang allows more)";
    return false;
  }
  return true;
}

void Cluster::leave_to_one() {
  Mailbox& mailbox = mailbox_of_worker();
  mailbox.is_alone = true;
  for (;;) {
    ::kill(mailbox.reader, signal_of_question);
    ::usleep(tick_ms * 1000);
  }
}

bool Cluster::order(std::uint32_t node, NodeOrder order, std::uint32_t answer) {
  NodeSlot& to = slot(node);
  disk().node = static_cast<std::uint16_t>(node);
  to.order = order;
  to.answer = answer;
  if (order == NodeOrder::run || order == NodeOrder::choose) count_turn(node);
  hand_over(to.turn, 1);
  if (await_post(node, hang_seconds_ + margin_seconds)) return true;
  kill(processes_[node]);
  return false;
}

void Cluster::count_turn(std::uint32_t node) {
  const std::uint64_t turn = ++processes_[node].turns;
  const bool is_handed_over = std::exchange(last_turn_, node) != node;
  if (!is_debugged(node)) return;
  if (is_handed_over) ++slot(node).hand_overs;
  const bool is_wanted = is_handed_over && slot(node).hand_overs == debugged_.hand_over;
  slot(node).stops = turn == debugged_.turn || is_wanted;
}

void Cluster::kill(Process& process) {
  if (process.id < 0) return;
  ::kill(-process.id, SIGKILL);
  ::kill(process.id, SIGKILL);
  ::waitpid(process.id, nullptr, 0);
  process.id = -1;
}

// --- What the nodes say ---

std::string Cluster::error_of(const Process& process) {
  std::string error;
  look_into(process.control, [&](const Control& control) {
    error = control.fault[0] != 0 ? control.fault : control.error;
  });
  return error;
}

std::string Cluster::not_modelled() const {
  std::string all;
  for (const Process& process : processes_) {
    std::string text;
    look_into(process.control, [&](const Control& control) { text = control.not_modelled; });
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
      if (all.find(line + "\n") == std::string::npos) all += line + "\n";
    }
  }
  return all;
}

void Cluster::forget_not_modelled() {
  for (const Process& process : processes_) {
    look_into(process.control,
              [&](Control& control) { control.not_modelled[process.not_modelled_at_start] = 0; });
  }
}

std::uint64_t Cluster::places() const {
  std::uint64_t all = 0;
  for (const Process& process : processes_) {
    look_into(process.control,
              [&](const Control& control) { all = mix64(all * 31 + control.runtime_address); });
  }
  return all;
}

// Without the debugger around it.
pid_t Cluster::program_of(std::uint32_t node) const {
  return is_debugged(node) ? cluster_memory().nodes[node].process : processes_[node].id;
}

// As the loader counts: from where the file's first part is, unless it has a fixed place.
std::string Cluster::place_of(std::uint32_t node, std::uint64_t address) const {
  std::ifstream maps("/proc/" + std::to_string(program_of(node)) + "/maps");
  std::string file;
  std::uint64_t base = 0;
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t low = 0, high = 0;
    char path[4096] = "";
    if (std::sscanf(line.c_str(), "%lx-%lx %*s %*s %*s %*s %4095[^\n]", &low, &high, path) < 3) {
      continue;
    }
    if (file != path) {
      file = path;
      base = low < lowest_moved ? 0 : low;
    }
    if (address < low || address >= high || file[0] != '/') continue;
    std::ostringstream text;
    text << file << "(+0x" << std::hex << address - base << ")";
    return text.str();
  }
  return {};
}

// --- What they have in memory ---

std::uint64_t Cluster::bias_of(std::uint32_t node) const {
  const std::optional<std::uint64_t>& known = processes_[node].bias;
  if (known) return *known;
  std::ifstream maps("/proc/" + std::to_string(program_of(node)) + "/maps");
  const std::string program = std::filesystem::canonical(plan_.nodes[node].program);
  std::uint64_t low = 0;
  for (std::string line; std::getline(maps, line);) {
    if (!line.ends_with(program)) continue;
    low = std::stoull(line, nullptr, 16);
    break;
  }
  processes_[node].bias = low < lowest_moved ? 0 : low;
  return *processes_[node].bias;
}

bool Cluster::read(std::uint32_t node, std::uint64_t address, void* to, std::size_t size) const {
  if (processes_[node].id < 0) return false;
  const iovec here = {to, size};
  const iovec there = {reinterpret_cast<void*>(bias_of(node) + address), size};
  return ::process_vm_readv(program_of(node), &here, 1, &there, 1, 0) == static_cast<ssize_t>(size);
}

}  // namespace ricercar::inline nodes
