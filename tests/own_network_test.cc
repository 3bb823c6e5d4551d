// Sockets of a program with threads that talks to itself: no other process takes part.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "support/tool.h"

namespace ricercar::test {
namespace {

class OwnNetwork : public ToolTest {
 protected:
  static Words search_words(const std::string& out, const Words& arguments,
                            const Words& options = {}) {
    Words words = {"run", "--out", out};
    words.insert(words.end(), options.begin(), options.end());
    words.push_back(program("own_network/talks.cc"));
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }
  static Finished search(const Words& arguments, const Words& options = {}) {
    return tool(search_words("out", arguments, options));
  }
};

TEST_F(OwnNetwork, LetsThreadsTalkInEveryOrder) {
  for (const char* way : {"tcp", "udp"}) {
    for (const char* strategy : {"random", "pct", "mixed"}) {
      expect(search({way}, {"--strategy", strategy, "-n", "100"}), 0, {"no bug found"});
    }
    expect(search({way}, {"--fork", "-n", "30"}), 0, {"no bug found"});
  }
}

// Thousands of connections would use up the ports of the machine.
TEST_F(OwnNetwork, LeavesNothingBehindInTheKernel) {
  expect(search({"tcp"}, {"--strategy", "random", "-n", "3000"}), 0,
         {"explored    3,000 executions"});
  std::ifstream table("/proc/net/tcp");
  const std::string all(std::istreambuf_iterator<char>(table), {});
  EXPECT_EQ(all.find(":B813 "), std::string::npos) << "47123 is B813\n" << all;
}

TEST_F(OwnNetwork, LetsASenderWaitForRoom) {
  expect(search({"much"}, {"--strategy", "random", "-n", "20"}), 0, {"no bug found"});
}

TEST_F(OwnNetwork, TwoSearchesHaveTheSamePort) {
  Process one(command(search_words("one", {"tcp"}, {"--strategy", "random", "-n", "300"})));
  Process two(command(search_words("two", {"tcp"}, {"--strategy", "random", "-n", "300"})));
  expect(one.wait(), 0, {"no bug found"});
  expect(two.wait(), 0, {"no bug found"});
}

TEST_F(OwnNetwork, APortOfAnotherProcessIsFree) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  ASSERT_EQ(::listen(listener, 4), 0);
  sockaddr_in name{};
  socklen_t size = sizeof name;
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&name), &size), 0);
  expect(search({"foreign", std::to_string(ntohs(name.sin_port))}, {"-n", "3"}), 0,
         {"no bug found", "where another process listens, and nobody in the program does"});
  ::close(listener);
}

TEST_F(OwnNetwork, WhatIsNotTheProgramsOwnIsTheKernels) {
  expect(search({"outside"}, {"-n", "3"}), 0, {"no bug found"});
  expect(search({"inherited"}, {"-n", "3"}), 0, {"no bug found"});
}

}  // namespace
}  // namespace ricercar::test
