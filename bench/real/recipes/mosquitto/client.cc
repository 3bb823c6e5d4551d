// Clients of an MQTT broker (protocol 3.1.1, quality of service 1):
//
//   client publish NAME    tells 1, 2, 3 under news/NAME, each until it was acknowledged, then
//   leaves
//                          a number under kept/NAME and reads it back
//   client subscribe       has a session that outlives its connections, and listens to news/+
//
// What was acknowledged is delivered at least once: the numbers of a name come without a gap, and
// none that is not marked as sent before comes after a larger one. What was kept is what was kept
// last.
#include <assert.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <map>
#include <optional>
#include <string>

namespace {

enum Type { connect_ = 1, connack, publish, puback, subscribe = 8, suback, pingreq = 12 };

constexpr int last_number = 3;
constexpr int most_attempts = 6;

struct Packet {
  int type;
  int flags;
  std::string body;

  bool is_duplicate() const { return (flags & 8) != 0; }
};

// A text as the protocol has it.
std::string text(const std::string& bytes) {
  return std::string{static_cast<char>(bytes.size() >> 8), static_cast<char>(bytes.size())} + bytes;
}

class Broker {
 public:
  Broker(std::string client, bool keeps_session)
      : client_(std::move(client)), keeps_session_(keeps_session) {}
  ~Broker() { drop(); }

  bool is_connected() const { return socket_ >= 0; }

  // True: there is a session.
  bool connect() {
    for (int attempt = 0; attempt < most_attempts; ++attempt) {
      if (open() && say_hello()) return true;
      drop();
      const timespec pause = {0, 200'000'000};
      nanosleep(&pause, nullptr);
    }
    return false;
  }

  bool send(int type, int flags, const std::string& body) {
    assert(body.size() < 128);
    const std::string bytes =
        std::string{static_cast<char>(type << 4 | flags), static_cast<char>(body.size())} + body;
    std::size_t sent = 0;
    while (sent < bytes.size()) {
      const ssize_t count = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return lost();
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }

  // Nothing: there was none for a second, or the connection is gone.
  std::optional<Packet> receive() {
    std::string head;
    if (!read(head, 2)) return std::nullopt;
    Packet packet{static_cast<unsigned char>(head[0]) >> 4, head[0] & 15, {}};
    assert((head[1] & 0x80) == 0);
    if (!read(packet.body, static_cast<std::size_t>(head[1]))) return std::nullopt;
    return packet;
  }

  // The next one of this type; others are left out.
  std::optional<Packet> await(int type) {
    while (const std::optional<Packet> packet = receive()) {
      if (packet->type == type) return packet;
    }
    drop();
    return std::nullopt;
  }

  void drop() {
    if (socket_ >= 0) close(socket_);
    socket_ = -1;
  }

 private:
  bool lost() {
    drop();
    return false;
  }

  bool open() {
    addrinfo hints = {}, *found = nullptr;
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo("broker", "1883", &hints, &found) != 0) return false;
    socket_ = socket(AF_INET, SOCK_STREAM, 0);
    const timeval second = {1, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    const bool is_open = ::connect(socket_, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    return is_open || lost();
  }

  bool say_hello() {
    const char clean = keeps_session_ ? 0 : 2, keep_alive_seconds = 5;
    const std::string body =
        text("MQTT") + std::string{4, clean, 0, keep_alive_seconds} + text(client_);
    if (!send(connect_, 0, body)) return false;
    const auto answer = receive();
    return answer && answer->type == connack && answer->body[1] == 0;
  }

  // What has begun to come comes to its end, however long that takes.
  bool read(std::string& bytes, std::size_t size) {
    while (bytes.size() < size) {
      char byte;
      const ssize_t count = recv(socket_, &byte, 1, 0);
      if (count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        if (bytes.empty() && size == 2) return false;
        continue;
      }
      if (count <= 0) return lost();
      bytes += byte;
    }
    return true;
  }

  const std::string client_;
  const bool keeps_session_;
  int socket_ = -1;
};

bool tell(Broker& broker, const std::string& topic, int number, bool keeps) {
  bool was_sent = false;
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (!broker.is_connected() && !broker.connect()) return false;
    const int flags = 2 | (was_sent ? 8 : 0) | (keeps ? 1 : 0);
    const std::string id = {0, static_cast<char>(number)};
    was_sent = true;
    if (!broker.send(publish, flags, text(topic) + id + std::to_string(number))) continue;
    const auto answer = broker.await(puback);
    if (answer) {
      assert(answer->body == id);
      return true;
    }
  }
  return false;
}

struct Message {
  std::string topic;
  int number;
};

Message message_of(const Packet& packet) {
  const std::size_t length = static_cast<unsigned char>(packet.body[1]);
  const std::size_t id = (packet.flags & 6) != 0 ? 2 : 0;
  return {packet.body.substr(2, length), std::stoi(packet.body.substr(2 + length + id))};
}

bool ask_for(Broker& broker, const std::string& topic) {
  return broker.send(subscribe, 2, std::string{0, 9} + text(topic) + '\1') && broker.await(suback);
}

void run_publisher(const std::string& name) {
  Broker broker(name, false);
  for (int number = 1; number <= last_number; ++number) {
    if (!tell(broker, "news/" + name, number, false)) return;
  }
  for (int number = 4; number <= 5; ++number) {
    if (!tell(broker, "kept/" + name, number, true)) return;
  }
  Broker reader(name + "-reader", false);
  if (!reader.connect() || !ask_for(reader, "kept/" + name)) return;
  const auto kept = reader.await(publish);
  if (kept) assert(message_of(*kept).number == 5);
}

bool acknowledge(Broker& broker, const Packet& packet) {
  const std::size_t length = static_cast<unsigned char>(packet.body[1]);
  return broker.send(puback, 0, packet.body.substr(2 + length, 2));
}

void run_subscriber() {
  Broker broker("listener", true);
  std::map<std::string, int> newest;
  bool has_asked = false;
  for (int idle = 0; idle < most_attempts;) {
    if (!broker.is_connected() && !broker.connect()) return;
    if (!has_asked && !(has_asked = ask_for(broker, "news/+"))) continue;
    const auto packet = broker.receive();
    if (!packet) {
      ++idle;
      if (broker.is_connected()) broker.send(pingreq, 0, "");
      continue;
    }
    if (packet->type != publish) continue;
    const Message message = message_of(*packet);
    const auto [known, is_first] = newest.try_emplace(message.topic, message.number);
    if (!is_first) {
      assert(message.number <= known->second + 1);
      assert(packet->is_duplicate() || message.number >= known->second);
      known->second = std::max(known->second, message.number);
    }
    acknowledge(broker, *packet);
  }
}

}  // namespace

int main(int, char** arguments) {
  if (std::string(arguments[1]) == "subscribe") {
    run_subscriber();
  } else {
    run_publisher(arguments[2]);
  }
}
