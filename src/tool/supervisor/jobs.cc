#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/text.h"
#include "search/mailbox.h"
#include "search/piece_result.h"
#include "supervisor/signals.h"
#include "supervisor/supervisor.h"

namespace ricercar::inline supervisor {
namespace {

constexpr int look_up_ms = 200;
// So many pieces may be searched ahead of one that is not done, for each worker.
constexpr std::size_t pieces_ahead = 64;
// So often a worker may end, and nobody knows why, before a piece is done.
constexpr int most_losses = 3;

// A part of a file that another process maps as its Control.
class View {
 public:
  View(int file, std::uint64_t offset, std::size_t size)
      : size_(size),
        place_(::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                      static_cast<off_t>(offset))) {
    if (place_ == MAP_FAILED) {
      throw UsageError(std::string("cannot map the memory of a worker: ") + std::strerror(errno));
    }
  }
  ~View() { ::munmap(place_, size_); }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  template <typename T>
  T& as() const {
    return *static_cast<T*>(place_);
  }

 private:
  std::size_t size_;
  void* place_;
};

std::vector<int> usable_processors() {
  cpu_set_t usable;
  CPU_ZERO(&usable);
  ::sched_getaffinity(0, sizeof usable, &usable);
  std::vector<int> processors;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(static_cast<unsigned>(i), &usable)) processors.push_back(i);
  }
  const auto here = std::find(processors.begin(), processors.end(), ::sched_getcpu());
  std::rotate(processors.begin(), here, processors.end());
  return processors;
}

// A worker, its supervisor, and what is known of it here.
class Job {
 public:
  Job(SharedControl& whole, const JobsPlan& plan, int processor)
      : processor_(processor),
        file_(make_control_file()),
        header_(file_, 0, sizeof(Control)),
        letters_(file_, mailbox_offset, mailbox_bytes) {
    mailbox().reader = ::getpid();
    mailbox().is_wanted = true;
    process_ = ::fork();
    if (process_ < 0) throw UsageError(std::string("cannot fork: ") + std::strerror(errno));
    if (process_ == 0) become_supervisor(whole, plan);
  }
  ~Job() { ::close(file_); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Mailbox& mailbox() const { return letters_.as<Mailbox>(); }
  Control& control() const { return header_.as<Control>(); }
  int processor() const { return processor_; }
  bool is_idle() const { return piece_ == 0; }
  std::uint64_t piece() const { return piece_; }

  void give(const PieceTask& task) {
    piece_ = task.number;
    outgoing_ = to_bytes(task);
    sent_ = 0;
    go_on_sending();
  }
  void go_on_sending() {
    if (sent_ < outgoing_.size() && !mailbox().to_worker.is_full())
      mailbox().to_worker.put(outgoing_, sent_);
  }
  // A message, if it has come to its end.
  std::optional<std::string> receive() {
    while (mailbox().to_tool.is_full()) {
      if (mailbox().to_tool.get(incoming_)) return std::exchange(incoming_, {});
    }
    return std::nullopt;
  }
  void has_given() { piece_ = 0; }

  void stop() {
    control().stop = true;
    mailbox().to_worker.wake();
  }
  void kill() const { ::kill(process_, SIGKILL); }
  // True, once: it is gone.
  bool has_ended() const { return ::waitpid(process_, nullptr, WNOHANG) == process_; }

 private:
  [[noreturn]] void become_supervisor(SharedControl& whole, const JobsPlan& plan) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != mailbox().reader) ::_exit(1);
    whole.detach();
    WorkerEnd& end = mailbox().end;
    try {
      SharedControl shared(::dup(file_));
      const Supervised supervised = plan.supervise(shared, processor_);
      end.has_given_up = supervised.ending != Ending::done;
      end.is_uncontrolled = supervised.ending == Ending::uncontrolled;
      end.was_thinking = supervised.was_thinking;
      copy_text(end.message, supervised.message);
    } catch (const std::exception& error) {
      end.is_mistake = true;
      copy_text(end.message, error.what());
    }
    ::_exit(0);
  }

  const int processor_;
  int file_;
  View header_;
  View letters_;
  pid_t process_ = 0;
  std::uint64_t piece_ = 0;  // that it searches; 0: none
  std::string outgoing_;
  std::size_t sent_ = 0;
  std::string incoming_;
};

class Jobs {
 public:
  Jobs(SharedControl& whole, const JobsPlan& plan, PieceSource& pieces)
      : whole_(whole), plan_(plan), pieces_(pieces) {
    whole_->world_kind = plan_.world;
  }

  JobsResult run() {
    while (!pieces_.is_over() && !is_stopping_) {
      hand_out();
      wait();
    }
    while (!jobs_.empty()) wait();
    pieces_.stop();
    result_.supervised.seconds = seconds();
    return std::move(result_);
  }

 private:
  double seconds() const { return now_seconds() - start_; }
  Supervised& supervised() { return result_.supervised; }

  void hand_out() {
    for (const auto& job : jobs_) {
      if (job->is_idle() && !hand_to(*job)) return;
    }
    while (jobs_.size() < plan_.jobs) {
      const std::optional<PieceTask> task = pieces_.next();
      if (!task) return;
      jobs_.push_back(std::make_unique<Job>(whole_, plan_, least_used_processor()));
      jobs_.back()->give(*task);
    }
  }

  // Of those that this process may use, from the one on which it is.
  int least_used_processor() const {
    int best = -1;
    std::ptrdiff_t least = 0;
    for (const int processor : processors_) {
      const auto count = std::count_if(jobs_.begin(), jobs_.end(), [processor](const auto& job) {
        return job->processor() == processor;
      });
      if (best < 0 || count < least) best = processor, least = count;
    }
    return best;
  }

  // False: there is no piece now.
  bool hand_to(Job& job) {
    const std::optional<PieceTask> task = pieces_.next();
    if (task) job.give(*task);
    return task.has_value();
  }

  void wait() {
    pollfd watched[] = {{signals_.descriptor(), POLLIN, 0}, {pieces_.descriptor(), POLLIN, 0}};
    ::poll(watched, 2, look_up_ms);
    pieces_.look();
    while (const int signal = signals_.next()) handle(signal);
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      look_after(*jobs_[i]);
      if (jobs_[i]->has_ended()) bury(i--);
    }
    if (plan_.max_seconds > 0 && seconds() > plan_.max_seconds) {
      supervised().out_of_time = true;
      stop();
    }
    // Again and again: a worker may not have been ready to hear it.
    if (is_stopping_ || pieces_.is_over()) {
      for (const auto& job : jobs_) job->stop();
    }
    show_progress();
  }

  void handle(int signal) {
    if (signal == SIGCHLD || signal == signal_of_question) return;
    if (signal == SIGTSTP) {
      ::raise(SIGSTOP);
      return;
    }
    if (supervised().interrupted) {
      supervised().killed = true;
      for (const auto& job : jobs_) job->kill();
    }
    supervised().interrupted = true;
    stop();
  }

  void stop() { is_stopping_ = true; }

  void look_after(Job& job) {
    job.go_on_sending();
    while (const std::optional<std::string> message = job.receive()) {
      ByteReader reader(*message);
      const std::uint64_t number = reader.number();
      job.has_given();
      has_heard_ = true;
      losses_ = 0;
      pieces_.done(number, piece_result_from(reader.text()));
    }
    if (!job.is_idle() && pieces_.is_dropped(job.piece())) job.mailbox().is_wanted = false;
    if (!job.mailbox().is_alone || result_.must_be_alone) return;
    result_.must_be_alone = true;
    for (const auto& each : jobs_) each->kill();
    stop();
  }

  // Its supervisor has ended, with its worker.
  void bury(std::size_t at) {
    look_after(*jobs_[at]);
    const std::unique_ptr<Job> job = std::move(jobs_[at]);
    jobs_.erase(jobs_.begin() + static_cast<std::ptrdiff_t>(at));
    await_guardian(job->control());  // if its supervisor could not
    const WorkerEnd& end = job->mailbox().end;
    supervised().was_thinking = supervised().was_thinking || end.was_thinking;
    const bool is_ending = is_stopping_ || pieces_.is_over();
    if (end.is_mistake && !is_ending) throw UsageError(end.message);
    if (!job->is_idle()) pieces_.give_back(job->piece());
    if (is_ending) return;
    const bool has_failed = job->control().status == Status::failed;
    if (has_failed && whole_->executions == 0) throw UsageError(job->control().error);
    // Others have come to their start: this one was killed before it could.
    const bool was_killed_early = end.is_uncontrolled && has_heard_;
    if (end.has_given_up && !was_killed_early) return give_up(end.message, end.is_uncontrolled);
    if (++losses_ >= most_losses) give_up("workers kept ending", false);
  }

  void give_up(const std::string& message, bool is_uncontrolled) {
    supervised().ending = is_uncontrolled ? Ending::uncontrolled : Ending::gave_up;
    supervised().message = message;
    stop();
  }

  void show_progress() {
    if (!plan_.progress || seconds() < shown_ + look_up_ms / 1000.0) return;
    shown_ = seconds();
    pieces_.update();
    plan_.progress(whole_.control(), seconds());
  }

  SharedControl& whole_;
  const JobsPlan& plan_;
  const Signals signals_;
  PieceSource& pieces_;
  const std::vector<int> processors_ = usable_processors();
  std::vector<std::unique_ptr<Job>> jobs_;
  JobsResult result_;
  const double start_ = now_seconds();
  double shown_ = 0;  // when the progress was
  int losses_ = 0;
  bool has_heard_ = false;  // of some worker
  bool is_stopping_ = false;
};

}  // namespace

JobsResult run_jobs(SharedControl& whole, const JobsPlan& plan) {
  const std::unique_ptr<WholeSearch> order =
      make_whole_search(whole.control(), plan.make_strategy, pieces_ahead * plan.jobs);
  return run_jobs(whole, plan, *order);
}

JobsResult run_jobs(SharedControl& whole, const JobsPlan& plan, PieceSource& pieces) {
  ::signal(signal_of_question, SIG_IGN);  // one may come when nobody looks any more
  return Jobs(whole, plan, pieces).run();
}

}  // namespace ricercar::inline supervisor
