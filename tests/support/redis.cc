#include "support/redis.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <utility>

namespace ricercar::test {
namespace {

constexpr const char* server = "/usr/bin/redis-server";
constexpr const char* client = "/usr/bin/redis-cli";

[[noreturn]] void become(std::vector<std::string> words, const std::string& log) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ::dup2(output, 1);
  ::dup2(output, 2);
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(pointers[0], pointers.data());
  ::_exit(127);
}

}  // namespace

bool RedisServer::is_installed() { return ::access(server, X_OK) == 0; }

RedisServer::RedisServer(std::string folder, std::vector<std::string> options)
    : folder_(std::move(folder)), options_(std::move(options)) {
  std::filesystem::create_directories(folder_);
  start();
}

RedisServer::~RedisServer() { kill(); }

void RedisServer::start() {
  std::vector<std::string> words = {server,   "--port", "0",     "--unixsocket",
                                    socket(), "--dir",  folder_, "--appendonly",
                                    "yes",    "--save", ""};
  words.insert(words.end(), options_.begin(), options_.end());
  process_ = ::fork();
  if (process_ == 0) become(words, folder_ + "/redis.log");
  await();
}

void RedisServer::kill() {
  if (process_ == 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(std::exchange(process_, 0), nullptr, 0);
}

// NOAUTH is an answer, too.
void RedisServer::await() const {
  for (int i = 0; i < 200; ++i) {
    const std::string answer = ask({"PING"});
    if (answer.starts_with("PONG") || answer.starts_with("NOAUTH")) return;
    ::usleep(50'000);
  }
  throw std::runtime_error("redis-server does not answer: see " + folder_ + "/redis.log");
}

std::string RedisServer::ask(std::vector<std::string> words) const {
  Command command;
  command.words = {client, "-s", socket()};
  command.words.insert(command.words.end(), words.begin(), words.end());
  return run(command).output;
}

bool RedisServer::was_there() const { return ask({"EXISTS", "ricercar:{test}:over"}) == "1\n"; }

int RedisServer::length(const std::string& part) const {
  if (ask({"EXISTS", "ricercar:{test}:search"}) != "1\n") return -1;
  return part == "search" ? 0 : std::stoi(ask({"XLEN", "ricercar:{test}:" + part}));
}

int RedisServer::added_to(const std::string& part) const {
  const std::string name = "entries-added\n";
  const std::string about = ask({"XINFO", "STREAM", "ricercar:{test}:" + part});
  const std::size_t at = about.find(name);
  return at == std::string::npos ? -1 : std::stoi(about.substr(at + name.size()));
}

}  // namespace ricercar::test
