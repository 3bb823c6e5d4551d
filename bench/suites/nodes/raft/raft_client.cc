// A client of the list: appends words of its own and reads the list after each. What it may rely
// on: a word that was acknowledged is in every list that it reads later, once; and a list that it
// reads begins with all lists that it has read before.
//
//   raft_client --name=c1 --replicas=n1,n2,n3 --words=3
#include <sys/time.h>

#include <cassert>
#include <chrono>
#include <sstream>
#include <thread>
#include <vector>

#include "../common/bug.h"
#include "../common/sockets.h"

namespace {

constexpr std::uint16_t client_port = 7500;
constexpr int most_attempts = 15;
constexpr timeval patience = {1, 0};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

class Client {
 public:
  Client(std::string name, std::vector<std::string> replicas)
      : name_(std::move(name)), replicas_(std::move(replicas)) {}

  // Nothing: whether it was done is not known.
  std::optional<std::string> call(const std::string& what, const std::string& word = "") {
    const std::string line = what + " " + name_ + " " + std::to_string(++number_) + " " + word;
    for (int i = 0; i < most_attempts; ++i) {
      const std::optional<std::string> answer = ask(line);
      if (answer && !answer->starts_with("leader ")) return answer;
      go_on_with(answer.value_or("leader ?").substr(7));
    }
    return std::nullopt;
  }

 private:
  std::optional<std::string> ask(const std::string& line) {
    if (!connection_.is_open() && !connect()) return std::nullopt;
    if (!suite::send_line(connection_.number(), line)) return lost();
    std::optional<std::string> answer = lines_.read(connection_.number());
    return answer ? answer : lost();
  }

  bool connect() {
    connection_ = suite::connected(replicas_[replica_], client_port);
    lines_ = {};
    if (!connection_.is_open()) return false;
    ::setsockopt(connection_.number(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return true;
  }

  std::optional<std::string> lost() {
    connection_.close();
    return std::nullopt;
  }

  // The next replica, if nobody knows the leader.
  void go_on_with(const std::string& leader) {
    connection_.close();
    for (std::size_t i = 0; i < replicas_.size(); ++i) {
      if (replicas_[i] == leader) {
        replica_ = i;
        return;
      }
    }
    replica_ = (replica_ + 1) % replicas_.size();
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }

  const std::string name_;
  const std::vector<std::string> replicas_;
  std::size_t replica_ = 0;
  std::uint64_t number_ = 0;
  suite::Socket connection_;
  suite::Lines lines_;
};

bool has_once(const std::vector<std::string>& list, const std::string& word) {
  std::size_t count = 0;
  for (const std::string& each : list) count += each == word ? 1 : 0;
  return count == 1;
}

bool begins_with(const std::vector<std::string>& list, const std::vector<std::string>& start) {
  if (start.size() > list.size()) return false;
  return std::equal(start.begin(), start.end(), list.begin());
}

}  // namespace

int main(int count, char** arguments) {
  suite::read_bug(count, arguments);
  const std::string name(suite::option(count, arguments, "name", "c"));
  const int words = std::stoi(std::string(suite::option(count, arguments, "words", "2")));
  Client client(name, split(std::string(suite::option(count, arguments, "replicas", ""))));
  std::vector<std::string> acknowledged;
  std::vector<std::string> seen;
  for (int i = 0; i < words; ++i) {
    const std::string word = name + "." + std::to_string(i);
    if (!client.call("append", word)) return 0;
    acknowledged.push_back(word);
    const std::optional<std::string> answer = client.call("get");
    if (!answer) return 0;
    const std::vector<std::string> list = split(answer->substr(5));
    for (const std::string& each : acknowledged) assert(has_once(list, each));
    assert(begins_with(list, seen));
    seen = list;
  }
}
