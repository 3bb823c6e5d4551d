// A cluster in which news spread: each node tells two others what is new to it, so that in the end
// all know the newest version of a text. A node has six threads:
//
//   receiver    takes datagrams from others and puts them into a queue
//   keeper      takes them from the queue and keeps the newest version
//   teller 1, 2 tell one neighbour each what has changed
//   server      answers clients over TCP: `put TEXT` and `get`
//   main        starts the others and waits for the end
//
//   rumours node NUMBER NODES      the nodes are called n0, n1, ...
//   rumours client PUT_AT GET_AT   puts two versions at one node, then asks another one until it
//                                  knows the last one, and once more
//   rumours fixed ...              as `node`, without the bug
//
// The bug: the keeper takes what has come last for the newest. News that took the long way round
// replace newer ones.
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "../../examples/nodes/net.h"

namespace {

constexpr unsigned short news_port = 7000, client_port = 7001;
constexpr int far = 5;  // who is not next to a node, and is told nevertheless

struct News {
  int version = 0;
  std::string text;
};

class Node {
 public:
  Node(int number, int nodes, bool is_fixed)
      : number_(number), nodes_(nodes), is_fixed_(is_fixed) {}

  void run() {
    socket_ = bound_socket(SOCK_DGRAM, news_port);
    listener_ = listening_socket(client_port);
    std::thread receiver([this] { receive(); });
    std::thread keeper([this] { keep(); });
    std::thread near([this] { tell((number_ + 1) % nodes_); });
    std::thread away([this] { tell((number_ + far) % nodes_); });
    std::thread server([this] { serve(); });
    for (std::thread* each : {&receiver, &keeper, &near, &away, &server}) each->join();
  }

 private:
  void receive() {
    for (;;) {
      const std::string text = receive_text(socket_);
      const std::size_t space = text.find(' ');
      assert(space != std::string::npos);
      const std::lock_guard guard(lock_);
      queue_.push_back({std::stoi(text), text.substr(space + 1)});
      changed_.notify_all();
    }
  }

  void keep() {
    std::unique_lock guard(lock_);
    for (;;) {
      changed_.wait(guard, [this] { return !queue_.empty(); });
      const News news = queue_.front();
      queue_.pop_front();
      learn(news);
    }
  }

  // With the lock.
  void learn(const News& news) {
    const bool is_known =
        is_fixed_ ? news.version <= known_.version : news.version == known_.version;
    if (is_known) return;
    known_ = news;
    ++changes_;
    changed_.notify_all();
  }

  void tell(int neighbour) {
    const sockaddr_in to = address_of(("n" + std::to_string(neighbour)).c_str(), news_port);
    int told = 0;
    std::unique_lock guard(lock_);
    for (;;) {
      changed_.wait(guard, [&] { return changes_ > told; });
      told = changes_;
      const std::string text = std::to_string(known_.version) + " " + known_.text;
      guard.unlock();
      sendto(socket_, text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to),
             sizeof to);
      guard.lock();
    }
  }

  void serve() {
    for (;;) {
      const int client = accept(listener_, nullptr, nullptr);
      for (std::string word; !(word = receive_text(client)).empty();) {
        send_text(client, answer(word));
      }
      close(client);
    }
  }

  std::string answer(const std::string& word) {
    const std::lock_guard guard(lock_);
    if (word.rfind("put ", 0) == 0) learn({known_.version + 1, word.substr(4)});
    return std::to_string(known_.version) + " " + known_.text;
  }

  const int number_, nodes_;
  const bool is_fixed_;
  int socket_ = -1, listener_ = -1;
  std::mutex lock_;
  std::condition_variable changed_;
  std::deque<News> queue_;
  News known_;
  int changes_ = 0;
};

std::string ask(int server, const std::string& word) {
  assert(send_text(server, word));
  return receive_text(server);
}

void put_and_get(const char* put_at, const char* get_at) {
  const int first = connected_socket(put_at, client_port);
  assert(ask(first, "put old") == "1 old");
  const int second = connected_socket(get_at, client_port);
  while (ask(second, "get") == "0 ") usleep(10000);
  assert(ask(first, "put new") == "2 new");
  while (ask(second, "get") != "2 new") usleep(10000);
  usleep(10000);
  assert(ask(second, "get") == "2 new");  // it has not forgotten it
}

}  // namespace

int main(int, char** arguments) {
  const std::string role = arguments[1];
  if (role == "client") {
    put_and_get(arguments[2], arguments[3]);
  } else {
    Node(std::atoi(arguments[2]), std::atoi(arguments[3]), role == "fixed").run();
  }
}
