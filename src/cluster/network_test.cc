#include "cluster/network.h"

#include <errno.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ricercar::inline cluster {
namespace {

constexpr SocketAddress at(std::uint32_t node, std::uint16_t port) { return {host_of(node), port}; }

class NetworkOfThree : public testing::Test {
 protected:
  NetworkOfThree() {
    network.use(memory.data(), memory.size());
    network.begin_execution(3);
  }

  EndpointId listener(std::uint32_t node, std::uint16_t port, std::uint32_t backlog = 8) {
    const EndpointId id = network.open(node, false);
    EXPECT_EQ(network.bind(id, {0, port}), 0);
    EXPECT_EQ(network.listen(id, backlog), 0);
    return id;
  }
  EndpointId datagrams(std::uint32_t node, std::uint16_t port) {
    const EndpointId id = network.open(node, true);
    EXPECT_EQ(network.bind(id, {0, port}), 0);
    return id;
  }
  int send(EndpointId id, const std::string& text, SocketAddress to = {}) {
    const std::span<const unsigned char> part(reinterpret_cast<const unsigned char*>(text.data()),
                                              text.size());
    return network.send(id, std::span(&part, 1), to);
  }
  // A connection from a node to a socket that listens: the client's end and the server's.
  std::pair<EndpointId, EndpointId> connection(std::uint32_t from, EndpointId to) {
    const EndpointId client = network.open(from, false);
    EXPECT_EQ(network.connect(client, at(network[to].node, network[to].local.port)), EINPROGRESS);
    network.deliver(network[client].out);
    return {client, network.accept(to)};
  }
  // What has arrived and was not taken, message by message.
  std::vector<std::string> arrived(EndpointId id) {
    std::vector<std::string> texts;
    while (!network[id].arrived.empty()) {
      const Message* message = network[id].arrived.pop();
      texts.emplace_back(reinterpret_cast<const char*>(message->bytes), message->size);
    }
    return texts;
  }
  void deliver_all(LinkId link) {
    while (!network.link(link).messages.empty()) network.deliver(link);
  }

  std::unique_ptr<Network> owned = std::make_unique<Network>();
  Network& network = *owned;
  std::vector<unsigned char> memory = std::vector<unsigned char>(4 << 20);
};

using Texts = std::vector<std::string>;

TEST_F(NetworkOfThree, KnowsWhereSomethingHasArrivedThatNobodyHasTaken) {
  const EndpointId server = listener(0, 7000);
  const EndpointId client = network.open(1, false);
  EXPECT_EQ(network.connect(client, at(0, 7000)), EINPROGRESS);
  EXPECT_FALSE(network.has_arrived(server));
  network.deliver(network[client].out);
  EXPECT_TRUE(network.has_arrived(server));
  const EndpointId accepted = network.accept(server);
  EXPECT_FALSE(network.has_arrived(server));
  EXPECT_EQ(send(client, "a"), 0);
  EXPECT_FALSE(network.has_arrived(accepted));
  deliver_all(network[client].out);
  EXPECT_TRUE(network.has_arrived(accepted));
  EXPECT_EQ(arrived(accepted), Texts{"a"});
  EXPECT_FALSE(network.has_arrived(accepted));
  network.was_read(accepted, 1);
  EXPECT_EQ(network.shut_down(client), 0);
  deliver_all(network[client].out);
  EXPECT_TRUE(network.has_arrived(accepted));
  EXPECT_FALSE(network.has_arrived(client));
  EXPECT_EQ(send(accepted, "b"), 0);
  network.crash(0);
  deliver_all(network[accepted].out);
  EXPECT_TRUE(network.has_arrived(client));
}

TEST_F(NetworkOfThree, ConnectsWhenTheRequestArrives) {
  const EndpointId server = listener(0, 7000);
  const EndpointId client = network.open(1, false);
  EXPECT_EQ(network.connect(client, at(0, 7000)), EINPROGRESS);
  EXPECT_EQ(network[client].state, EndpointState::connecting);
  EXPECT_EQ(network.accept(server), no_endpoint);
  network.deliver(network[client].out);
  EXPECT_EQ(network[client].state, EndpointState::connected);
  EXPECT_EQ(network.take_changed_nodes(), 3u);
  const EndpointId accepted = network.accept(server);
  ASSERT_NE(accepted, no_endpoint);
  EXPECT_EQ(network[accepted].local, at(0, 7000));
  EXPECT_EQ(network[accepted].remote, network[client].local);
  EXPECT_EQ(network.accept(server), no_endpoint);
}

TEST_F(NetworkOfThree, KeepsTheOrderOfAStream) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  EXPECT_EQ(send(client, "one"), 0);
  EXPECT_EQ(send(client, "two"), 0);
  EXPECT_EQ(arrived(accepted), Texts{});
  network.deliver(network[client].out);
  EXPECT_EQ(arrived(accepted), Texts{"one"});
  network.deliver(network[client].out);
  EXPECT_EQ(arrived(accepted), Texts{"two"});
}

TEST_F(NetworkOfThree, RefusesWhereNobodyListens) {
  const EndpointId client = network.open(1, false);
  EXPECT_EQ(network.connect(client, at(0, 7000)), EINPROGRESS);
  network.deliver(network[client].out);
  EXPECT_EQ(network[client].state, EndpointState::failed);
  EXPECT_EQ(network[client].error, ECONNREFUSED);
}

TEST_F(NetworkOfThree, LetsRequestsWaitForTheBacklog) {
  const EndpointId server = listener(0, 7000, 1);
  std::vector<EndpointId> clients;
  for (int i = 0; i < 3; ++i) {
    clients.push_back(network.open(1, false));
    network.connect(clients.back(), at(0, 7000));
  }
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(network.can_deliver(network[clients[i]].out)) << "one more than the backlog";
    network.deliver(network[clients[i]].out);
  }
  EXPECT_FALSE(network.can_deliver(network[clients[2]].out));
  EXPECT_EQ(network[network.accept(server)].peer, clients[0]);
  EXPECT_TRUE(network.can_deliver(network[clients[2]].out));
}

TEST_F(NetworkOfThree, ConnectsAgainAfterARefusal) {
  const EndpointId client = network.open(1, false);
  network.connect(client, at(0, 7000));
  network.deliver(network[client].out);
  EXPECT_EQ(network[client].state, EndpointState::failed);
  const EndpointId server = listener(0, 7000);
  EXPECT_EQ(network.connect(client, at(0, 7000)), EINPROGRESS);
  network.deliver(network[client].out);
  EXPECT_EQ(network[client].state, EndpointState::connected);
  EXPECT_EQ(network[client].error, 0);
  EXPECT_NE(network.accept(server), no_endpoint);
}

TEST_F(NetworkOfThree, RefusesAfterTheListenerWasShutDown) {
  const EndpointId server = listener(0, 7000);
  EXPECT_EQ(network.shut_down(server), 0);
  const EndpointId client = network.open(1, false);
  network.connect(client, at(0, 7000));
  network.deliver(network[client].out);
  EXPECT_EQ(network[client].error, ECONNREFUSED);
}

TEST_F(NetworkOfThree, CarriesTheTimeOfTheSender) {
  const EndpointId to = datagrams(0, 9000);
  const EndpointId from = datagrams(1, 9001);
  network.set_time(5, 0);
  send(from, "x", at(0, 9000));
  network.set_time(9, 0);
  network.deliver(0);
  EXPECT_EQ(network[to].arrived.front()->sent_at, 5u);
}

TEST_F(NetworkOfThree, KnowsWhoCanBeReached) {
  EXPECT_FALSE(network.is_reachable(0));
  const EndpointId id = network.open(0, false);
  network.bind(id, {0, 7000});
  EXPECT_FALSE(network.is_reachable(0)) << "nobody can connect yet";
  network.listen(id, 1);
  EXPECT_TRUE(network.is_reachable(0));
  datagrams(1, 9000);
  EXPECT_TRUE(network.is_reachable(1));
  EXPECT_FALSE(network.is_reachable(2));
}

TEST_F(NetworkOfThree, LosesTheSocketsOfANodeThatCrashes) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  network.crash(0);
  EXPECT_EQ(network[client].state, EndpointState::connected) << "it does not know yet";
  deliver_all(network[accepted].out);
  EXPECT_EQ(network[client].error, ECONNRESET);
  EXPECT_FALSE(network.is_reachable(0));
}

TEST_F(NetworkOfThree, DoublesAndReorders) {
  const EndpointId to = datagrams(0, 9000);
  const EndpointId from = datagrams(1, 9001);
  for (const char* text : {"a", "b"}) send(from, text, at(0, 9000));
  network.reorder(0);
  network.duplicate(0);
  deliver_all(0);
  EXPECT_EQ(arrived(to), (Texts{"b", "b", "a"}));
}

TEST_F(NetworkOfThree, DoesNotReachAnAddressOutsideOfTheCluster) {
  EXPECT_EQ(network.connect(network.open(0, false), {0x08080808, 53}), ENETUNREACH);
  EXPECT_EQ(network.connect(network.open(0, false), at(3, 53)), ENETUNREACH);
  EXPECT_EQ(send(network.open(0, true), "x", {0x08080808, 53}), ENETUNREACH);
}

TEST_F(NetworkOfThree, GivesAPortOnce) {
  listener(0, 7000);
  EXPECT_EQ(network.bind(network.open(0, false), {0, 7000}), EADDRINUSE);
  EXPECT_EQ(network.bind(network.open(0, true), {0, 7000}), 0)
      << "datagrams have ports of their own";
  EXPECT_EQ(network.bind(network.open(1, false), {0, 7000}), 0) << "and so has another node";
  EXPECT_EQ(network.bind(network.open(1, false), at(0, 7001)), EADDRNOTAVAIL);
}

TEST_F(NetworkOfThree, GivesAPortAgainAfterTheLastClose) {
  const EndpointId server = listener(0, 7000);
  connection(1, server);
  network.close(server);
  EXPECT_EQ(network.bind(network.open(0, false), {0, 7000}), 0);
}

TEST_F(NetworkOfThree, EndsAStreamBehindItsData) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  send(client, "last");
  EXPECT_EQ(network.shut_down(client), 0);
  EXPECT_EQ(send(client, "more"), EPIPE);
  network.deliver(network[client].out);
  EXPECT_FALSE(network[accepted].has_ended);
  network.deliver(network[client].out);
  EXPECT_TRUE(network[accepted].has_ended);
  EXPECT_EQ(arrived(accepted), Texts{"last"});
  EXPECT_EQ(send(accepted, "answer"), 0) << "the other direction is open";
}

TEST_F(NetworkOfThree, ResetsWhoSendsToAClosedSocket) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  network.close(accepted);
  EXPECT_EQ(send(client, "hello"), 0);
  deliver_all(network[client].out);
  EXPECT_EQ(network[client].error, 0) << "it does not know yet";
  deliver_all(network[accepted].out);
  EXPECT_EQ(network[client].state, EndpointState::failed);
  EXPECT_EQ(send(client, "again"), ECONNRESET);
  EXPECT_EQ(send(client, "again"), EPIPE);
}

TEST_F(NetworkOfThree, ResetsIfNotEverythingWasRead) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  send(client, "unread");
  deliver_all(network[client].out);
  network.close(accepted);
  deliver_all(network[accepted].out);
  EXPECT_EQ(network[client].error, ECONNRESET);
}

TEST_F(NetworkOfThree, HasRoomForSoMuchUntilItIsRead) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  EXPECT_EQ(send(client, std::string(Network::room - 1, 'x')), 0);
  EXPECT_TRUE(network.has_room(client));
  EXPECT_EQ(send(client, "xy"), 0);
  EXPECT_FALSE(network.has_room(client));
  network.take_changed_nodes();
  network.was_read(accepted, 2);
  EXPECT_TRUE(network.has_room(client));
  EXPECT_EQ(network.take_changed_nodes(), 2u) << "the sender's node is told";
}

TEST_F(NetworkOfThree, DeliversDatagramsToWhoIsBound) {
  const EndpointId to = datagrams(0, 9000);
  const EndpointId from = datagrams(1, 9001);
  EXPECT_EQ(send(from, "a", at(0, 9000)), 0);
  EXPECT_EQ(send(from, "", at(0, 9000)), 0);
  EXPECT_EQ(send(from, "nobody", at(2, 9000)), 0);
  EXPECT_EQ(network.link_count(), 2u) << "one link for each destination";
  deliver_all(0);
  deliver_all(1);
  EXPECT_EQ(network[to].arrived.front()->from, at(1, 9001));
  EXPECT_EQ(arrived(to), (Texts{"a", ""}));
}

TEST_F(NetworkOfThree, DropsWhatItIsToldTo) {
  const EndpointId to = datagrams(0, 9000);
  const EndpointId from = datagrams(1, 9001);
  for (const char* text : {"a", "b", "c"}) send(from, text, at(0, 9000));
  network.deliver(0);
  network.drop(0);
  network.deliver(0);
  EXPECT_EQ(arrived(to), (Texts{"a", "c"}));
}

TEST_F(NetworkOfThree, TakesItsOwnNameForItself) {
  const EndpointId server = listener(2, 7000);
  const EndpointId client = network.open(2, false);
  EXPECT_EQ(network.connect(client, {0x7f000001, 7000}), EINPROGRESS);
  network.deliver(network[client].out);
  EXPECT_EQ(network[client].state, EndpointState::connected);
  EXPECT_NE(network.accept(server), no_endpoint);
}

TEST_F(NetworkOfThree, KeepsLoopbackWithinTheNode) {
  const EndpointId own = network.open(0, false);
  EXPECT_EQ(network.bind(own, {loopback, 7000}), 0);
  EXPECT_EQ(network.listen(own, 4), 0);
  for (const std::uint32_t node : {0U, 1U}) {
    const EndpointId client = network.open(node, false);
    EXPECT_EQ(network.connect(client, at(0, 7000)), EINPROGRESS);
    network.deliver(network[client].out);
    EXPECT_EQ(network[client].error, ECONNREFUSED) << "the address is another one";
    EXPECT_EQ(network.connect(client, {loopback, 7000}), EINPROGRESS);
    network.deliver(network[client].out);
    EXPECT_EQ(network[client].error, node == 0 ? 0 : ECONNREFUSED);
  }
  const EndpointId accepted = network.accept(own);
  EXPECT_EQ(network[accepted].local, (SocketAddress{loopback, 7000}));
  EXPECT_EQ(network[accepted].remote.host, loopback);
}

TEST_F(NetworkOfThree, SendsFromTheAddressOnTheWay) {
  const EndpointId to = datagrams(0, 9000);
  const EndpointId from = datagrams(0, 9001);
  EXPECT_EQ(network[from].local, (SocketAddress{any_host, 9001}));
  for (const std::uint32_t host : {host_of(0), loopback, any_host}) send(from, "x", {host, 9000});
  for (LinkId link = 0; link < network.link_count(); ++link) deliver_all(link);
  EXPECT_EQ(network[to].arrived.pop()->from.host, host_of(0));
  EXPECT_EQ(network[to].arrived.pop()->from.host, loopback);
  EXPECT_EQ(network[to].arrived.pop()->from.host, loopback);
}

TEST_F(NetworkOfThree, TellsVersionsOfAddressesApart) {
  const EndpointId both = network.open(0, false);
  network[both].takes_6 = true;
  EXPECT_EQ(network.bind(both, {any_host, 7000}), 0);
  EXPECT_EQ(network.bind(network.open(0, false), {any_host, 7000}), EADDRINUSE);
  const EndpointId only = network.open(0, false);
  network[only].takes_6 = true;
  network[only].takes_4 = false;
  EXPECT_EQ(network.bind(only, {any_host, 7001}), 0);
  EXPECT_EQ(network.bind(network.open(0, false), {any_host, 7001}), 0);
}

TEST_F(NetworkOfThree, KnowsWhenALinkIsOver) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  const LinkId there = network[client].out;
  const LinkId back = network[accepted].out;
  network.close(client);
  EXPECT_FALSE(network.is_over(there)) << "its end is on the way";
  deliver_all(there);
  EXPECT_FALSE(network.is_over(there)) << "the other end may send, and gets a reset";
  EXPECT_EQ(send(accepted, "x"), 0);
  deliver_all(back);
  EXPECT_FALSE(network.link(there).messages.empty());
  network.close(accepted);
  deliver_all(there);
  deliver_all(back);
  EXPECT_TRUE(network.is_over(there) && network.is_over(back));
}

TEST_F(NetworkOfThree, HasRoomForManyConnectionsOneAfterTheOther) {
  const EndpointId server = listener(0, 7000);
  for (int i = 0; i < 10'000; ++i) {
    const auto [client, accepted] = connection(1, server);
    ASSERT_NE(accepted, no_endpoint);
    EXPECT_EQ(send(client, "x"), 0);
    const LinkId there = network[client].out;
    const LinkId back = network[accepted].out;
    deliver_all(there);
    EXPECT_EQ(arrived(accepted), Texts{"x"});
    network.was_read(accepted, 1);
    network.close(i % 2 == 0 ? client : accepted);
    network.close(i % 2 == 0 ? accepted : client);
    deliver_all(there);
    deliver_all(back);
  }
  EXPECT_LT(network.endpoint_count(), 600u);
  EXPECT_LT(network.link_count(), 300u);
}

TEST_F(NetworkOfThree, SaysThatItIsFull) {
  const auto [client, accepted] = connection(1, listener(0, 7000));
  int error = 0;
  for (int i = 0; i < 1000 && error == 0; ++i) {
    error = send(client, std::string(100'000, 'x'));
    network.was_read(accepted, 100'000);
  }
  EXPECT_EQ(error, ENOBUFS);
  EXPECT_TRUE(network.is_full());
  network.begin_execution(3);
  EXPECT_FALSE(network.is_full());
}

TEST_F(NetworkOfThree, BeginsAnew) {
  connection(1, listener(0, 7000));
  network.begin_execution(3);
  EXPECT_EQ(network.endpoint_count(), 0u);
  EXPECT_EQ(network.link_count(), 0u);
  const auto [client, accepted] = connection(1, listener(0, 7000));
  EXPECT_EQ(send(accepted, "x"), 0);
  deliver_all(network[accepted].out);
  EXPECT_EQ(arrived(client), Texts{"x"});
}

// --- What is counted ---

TEST_F(NetworkOfThree, CountsMessagesWithBytesFromNodeToNode) {
  const EndpointId server = listener(0, 7000);
  const auto [client, accepted] = connection(1, server);
  EXPECT_EQ(network.sent(1, 0), 0U);
  send(client, "a");
  send(client, "bc");
  send(accepted, "d");
  network.deliver(network[client].out);
  network.shut_down(client);
  EXPECT_EQ(network.sent(1, 0), 2U);
  EXPECT_EQ(network.delivered(1, 0), 1U);
  EXPECT_EQ(network.sent(0, 1), 1U);
  EXPECT_EQ(network.delivered(0, 1), 0U);
  EXPECT_EQ(network.sent(2, 0), 0U);
}

TEST_F(NetworkOfThree, CountsADuplicateWhereItArrivesAndALossNowhere) {
  const EndpointId from = datagrams(1, 9001);
  datagrams(0, 9000);
  send(from, "twice", at(0, 9000));
  send(from, "lost", at(0, 9000));
  send(from, "to nobody", at(2, 9000));
  network.duplicate(0);
  network.deliver(0);
  network.deliver(0);
  network.drop(0);
  network.deliver(1);
  EXPECT_EQ(network.sent(1, 0), 2U);
  EXPECT_EQ(network.delivered(1, 0), 2U);
  EXPECT_EQ(network.sent(1, 2), 1U);
  EXPECT_EQ(network.delivered(1, 2), 0U);
  network.begin_execution(3);
  EXPECT_EQ(network.sent(1, 0) + network.delivered(1, 0), 0U);
}

TEST_F(NetworkOfThree, KnowsAfterHowManyStepsAMessageWasSent) {
  const EndpointId from = datagrams(1, 9001);
  network.set_time(5, 17);
  send(from, "x", at(0, 9000));
  EXPECT_EQ(network.link(0).messages.front()->sent_step, 17U);
  const EndpointId server = listener(0, 7000);
  const auto [client, accepted] = connection(1, server);
  network.crash(0);
  EXPECT_EQ(network.link(network[accepted].out).messages.front()->sent_step, no_step);
}

}  // namespace
}  // namespace ricercar::inline cluster
