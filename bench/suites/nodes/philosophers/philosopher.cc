// Dining philosophers with time limits, each a process (Listing 6.1 of the thesis on Dara, where
// each is a goroutine). A philosopher owns the chopstick at their right and lends it to one
// neighbour, who asks for it over TCP. Who does not get the neighbour's chopstick in time gives
// back the own one, thinks, and tries again. Who has eaten says so to the table.
//
// The table tells a philosopher, by a datagram, to put the chopstick away. To give it back after
// that is a panic, as it is to send on a closed channel. The bug `close`: the table does so a
// second after that philosopher has eaten; the neighbour may still have the chopstick then. Without
// the bug it waits until all have eaten.
//
//   philosopher --name=A --neighbour=B --table=table    one philosopher
//   philosopher --guests=A,B,C                           the table
#include <poll.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <set>
#include <sstream>
#include <thread>
#include <vector>

#include "../common/bug.h"
#include "../common/sockets.h"

namespace {

constexpr std::uint16_t chopstick_port = 7100;
constexpr std::uint16_t table_port = 7200;
constexpr std::uint16_t notice_port = 7300;
constexpr int patience_ms = 1000;

void sleep_some_time() {
  static std::random_device random;
  std::this_thread::sleep_for(std::chrono::milliseconds(random() % 1000));
}

void send_datagram(const std::string& host, std::uint16_t port, const std::string& text) {
  const suite::Socket socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_in to = suite::address_of(host, port);
  if (::sendto(socket.number(), text.data(), text.size(), 0, reinterpret_cast<const sockaddr*>(&to),
               sizeof to) < 0) {
    suite::die("sendto");
  }
}

std::string receive_datagram(int socket) {
  char text[256];
  const ssize_t size = ::recv(socket, text, sizeof text, 0);
  if (size < 0) suite::die("recv");
  return {text, static_cast<std::size_t>(size)};
}

// The chopstick that a philosopher owns. One neighbour may ask for it through a connection.
class Chopstick {
 public:
  void take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return holder_ == Holder::nobody; });
    holder_ = Holder::owner;
  }

  void put_back() {
    const std::lock_guard guard(mutex_);
    release();
  }

  void put_away() {
    const std::lock_guard guard(mutex_);
    is_away_ = true;
  }

  // The neighbour's wishes, until the neighbour leaves.
  void lend(int connection) {
    suite::Lines lines;
    connection_ = connection;
    while (const auto wish = lines.read(connection)) {
      const std::lock_guard guard(mutex_);
      if (*wish == "take") {
        is_wanted_ = true;
        if (holder_ == Holder::nobody) hand_out();
      } else if (*wish == "return") {
        release();
        suite::send_line(connection, "thanks");
      } else if (*wish == "cancel") {
        is_wanted_ = false;
        if (holder_ == Holder::neighbour) release();
        suite::send_line(connection, "cancelled");
      }
    }
  }

 private:
  enum class Holder { nobody, owner, neighbour };

  void release() {
    if (is_away_) {
      std::fprintf(stderr, "panic: the chopstick was put away\n");
      std::abort();
    }
    holder_ = Holder::nobody;
    if (is_wanted_) hand_out();
    changed_.notify_all();
  }

  void hand_out() {
    holder_ = Holder::neighbour;
    is_wanted_ = false;
    suite::send_line(connection_, "yours");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Holder holder_ = Holder::nobody;
  bool is_wanted_ = false;  // by the neighbour
  bool is_away_ = false;
  int connection_ = -1;
};

// The chopstick of the neighbour, from far away.
class BorrowedChopstick {
 public:
  explicit BorrowedChopstick(const std::string& owner) {
    while (!(connection_ = suite::connected(owner, chopstick_port)).is_open()) sleep_some_time();
  }

  bool take_in_time() {
    suite::send_line(connection_.number(), "take");
    pollfd entry = {connection_.number(), POLLIN, 0};
    if (::poll(&entry, 1, patience_ms) == 1) return lines_.read(connection_.number()) == "yours";
    suite::send_line(connection_.number(), "cancel");
    while (const auto answer = lines_.read(connection_.number())) {
      if (*answer == "cancelled") return false;
    }
    return false;
  }

  void give_back() {
    suite::send_line(connection_.number(), "return");
    lines_.read(connection_.number());
  }

 private:
  suite::Socket connection_;
  suite::Lines lines_;
};

void get_chopsticks(Chopstick& own, BorrowedChopstick& neighbours) {
  for (;;) {
    own.take();
    if (neighbours.take_in_time()) return;
    own.put_back();
    sleep_some_time();
  }
}

void announce(const std::string& name, const std::string& table) {
  suite::Socket connection;
  while (!(connection = suite::connected(table, table_port)).is_open()) sleep_some_time();
  suite::send_line(connection.number(), name);
  suite::Lines().read(connection.number());  // nothing: the table has heard it
}

void dine(const std::string& name, const std::string& neighbour, const std::string& table) {
  static Chopstick own;
  static suite::Socket listener = suite::listening(chopstick_port);
  static suite::Socket notices = suite::bound(SOCK_DGRAM, notice_port);
  std::thread([] {
    const suite::Socket connection(::accept(listener.number(), nullptr, nullptr));
    own.lend(connection.number());
  }).detach();
  std::thread([] {
    receive_datagram(notices.number());
    own.put_away();
  }).detach();

  BorrowedChopstick neighbours(neighbour);
  sleep_some_time();
  get_chopsticks(own, neighbours);
  sleep_some_time();
  own.put_back();
  neighbours.give_back();
  announce(name, table);
  for (;;) ::pause();
}

void put_away(const std::string& guest) { send_datagram(guest, notice_port, "put it away"); }

std::string next_announcement(int listener) {
  const suite::Socket connection(::accept(listener, nullptr, nullptr));
  return suite::Lines().read(connection.number()).value_or("");
}

void serve_table(std::set<std::string> guests) {
  const suite::Socket listener = suite::listening(table_port);
  std::vector<std::thread> closers;
  const std::set<std::string> all = guests;
  while (!guests.empty()) {
    const std::string guest = next_announcement(listener.number());
    guests.erase(guest);
    if (!suite::has_bug("close")) continue;
    closers.emplace_back([guest] {
      std::this_thread::sleep_for(std::chrono::seconds(1));
      put_away(guest);
    });
  }
  for (std::thread& closer : closers) closer.join();
  if (!suite::has_bug("close")) {
    for (const std::string& guest : all) put_away(guest);
  }
}

std::set<std::string> split(std::string_view names) {
  std::set<std::string> all;
  std::istringstream stream{std::string(names)};
  for (std::string name; std::getline(stream, name, ',');) all.insert(name);
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const auto option = [&](const char* name) {
    return std::string(suite::option(count, arguments, name, ""));
  };
  if (!option("guests").empty()) {
    serve_table(split(option("guests")));
  } else {
    dine(option("name"), option("neighbour"), option("table"));
  }
}
