// Every way to send a signal to another thread, or to whichever thread gets it, with a handler. The
// first argument names the way; the handler has run when the program ends.
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <cassert>
#include <string>

namespace {

sem_t handled;
sem_t started;
pid_t receiver_number;
int code;

void on_signal(int signal, siginfo_t* details, void*) {
  assert(signal == SIGUSR1 && details->si_signo == signal);
  code = details->si_code;
  sem_post(&handled);
}

void* receive(void*) {
  receiver_number = gettid();
  sem_post(&started);
  while (sem_wait(&handled) != 0) assert(errno == EINTR);
  return nullptr;
}

void set_timer(pid_t thread) {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGUSR1;
  if (thread != 0) {
    event.sigev_notify = SIGEV_THREAD_ID;
    event._sigev_un._tid = thread;
  }
  timer_t timer;
  assert(timer_create(CLOCK_REALTIME, &event, &timer) == 0);
  const itimerspec second = {{0, 0}, {1, 0}};
  assert(timer_settime(timer, 0, &second, nullptr) == 0);
}

void send(const std::string& way, pthread_t thread) {
  if (way == "pthread_kill") assert(pthread_kill(thread, SIGUSR1) == 0);
  if (way == "tgkill") assert(tgkill(getpid(), receiver_number, SIGUSR1) == 0);
  if (way == "kill") assert(kill(getpid(), SIGUSR1) == 0);
  if (way == "raise") assert(raise(SIGUSR1) == 0);
  if (way == "sigqueue") assert(sigqueue(getpid(), SIGUSR1, {}) == 0);
  if (way == "timer") set_timer(0);
  if (way == "thread_timer") set_timer(receiver_number);
}

}  // namespace

int main(int count, char** arguments) {
  struct sigaction action = {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO;
  assert(count == 2 && sigaction(SIGUSR1, &action, nullptr) == 0);
  sem_init(&handled, 0, 0);
  sem_init(&started, 0, 0);
  pthread_t thread;
  pthread_create(&thread, nullptr, receive, nullptr);
  while (sem_wait(&started) != 0) assert(errno == EINTR);
  send(arguments[1], thread);
  pthread_join(thread, nullptr);
  assert(code == SI_USER || code == SI_TKILL || code == SI_QUEUE || code == SI_TIMER);
  return 0;
}
