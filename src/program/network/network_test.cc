#include <gtest/gtest.h>
#include <ricercar/network.h>

#include <algorithm>
#include <asio.hpp>
#include <atomic>
#include <map>
#include <mutex>
#include <thread>

#include "base/random.h"
#include "network/wire.h"

namespace ricercar {
namespace {

using asio::ip::tcp;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr auto long_enough = seconds(60);

struct Question {
  MachineId from;
  int number = 0;
};
struct Answer {
  int number = 0;
};
struct Stranger {};

std::atomic<int> done = 0;  // what machines tell the tests

struct Responder : Machine {
  std::map<MachineId, int> last;
  struct Responding;
  static void define(Definition<Responder>& machine) {
    machine.state<Responding>().on(&Responder::answer);
  }
  void answer(const Question& question) {
    int& before = last[question.from];
    require(question.number == before + 1, "out of order, or twice, or lost");
    before = question.number;
    send(question.from, Answer{question.number});
  }
};

struct Asker : Machine {
  MachineId responder;
  int count = 0;
  int window = 0;  // questions that may be open
  int asked = 0;
  int answered = 0;
  struct Asking;
  static void define(Definition<Asker>& machine) {
    machine.state<Asking>().entry(&Asker::ask).on(&Asker::hear);
  }
  void ask() {
    while (asked < count && asked - answered < window) send(responder, Question{self(), ++asked});
  }
  void hear(const Answer& answer) {
    require(answer.number == answered + 1, "an answer to another question");
    ++answered;
    if (answered == count) ++done;
    ask();
  }
};

// Two nodes in one process, which is all the same to them.
struct Pair {
  explicit Pair(milliseconds give_up_after = seconds(30))
      : a(deployment_a, options("a", give_up_after)), b(deployment_b, options("b", give_up_after)) {
    done = 0;
    a.set_address("b", "127.0.0.1", b.port());
    b.set_address("a", "127.0.0.1", a.port());
  }

  NetworkOptions options(const std::string& node, milliseconds give_up_after) {
    NetworkOptions made;
    made.node = node;
    made.nodes = {{"a", "127.0.0.1", 0}, {"b", "127.0.0.1", 0}};
    made.give_up_after = give_up_after;
    made.retry_every = milliseconds(10);
    made.on_note = [this](const std::string& what) {
      const std::lock_guard lock(mutex);
      notes.push_back(what);
    };
    return made;
  }
  MachineId create_on(const std::string& node, const auto& machine) {
    const MachineId first = a.create_on(node, machine);
    EXPECT_EQ(first, b.create_on(node, machine)) << "nodes have to agree on names";
    return first;
  }
  void start() {
    a.start();
    b.start();
    deployment_a.start();
    deployment_b.start();
  }
  bool has_note(const std::string& part) {
    const std::lock_guard lock(mutex);
    return std::any_of(notes.begin(), notes.end(), [&](const std::string& note) {
      return note.find(part) != std::string::npos;
    });
  }

  std::mutex mutex;
  std::vector<std::string> notes;
  Deployment deployment_a{{.threads = 1}}, deployment_b{{.threads = 1}};
  Network a, b;
};

template <typename Condition>
bool eventually(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + long_enough;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(1));
  }
  return true;
}

TEST(Network, MachinesOfTwoNodesTalkInOrder) {
  Pair pair;
  pair.a.accepts<Question, Answer>();
  pair.b.accepts<Answer, Question>();  // another order, other numbers
  const MachineId responder = pair.create_on("b", Responder{});
  for (int i = 0; i < 10; ++i) pair.create_on("a", Asker{{}, responder, 500, 20});
  pair.create_on("b", Asker{{}, responder, 500, 20});  // without the network
  pair.start();
  EXPECT_TRUE(eventually([] { return done == 11; }));
  EXPECT_TRUE(pair.a.wait_until_delivered(long_enough));
  EXPECT_TRUE(pair.deployment_a.failures().empty());
  EXPECT_TRUE(pair.deployment_b.failures().empty());
  EXPECT_EQ(pair.a.lost() + pair.b.lost(), 0U);
}

struct Impolite : Machine {
  MachineId to;
  struct Saying;
  struct Retrying {};
  static void define(Definition<Impolite>& machine) {
    machine.state<Saying>().entry(&Impolite::say).on<Retrying>(&Impolite::say);
  }
  void say() {
    send(to, Stranger{});
    start_timer(Retrying{}, milliseconds(5));
  }
};

TEST(Network, TypesThatThisNodeDoesNotAcceptAreAnError) {
  Pair pair;
  pair.create_on("a", Impolite{{}, pair.create_on("b", Responder{})});
  pair.start();
  EXPECT_TRUE(eventually([&] { return !pair.deployment_a.failures().empty(); }));
  EXPECT_EQ(pair.deployment_a.failures()[0].kind, "usage");
  EXPECT_NE(pair.deployment_a.failures()[0].message.find("accepts<Stranger>()"), std::string::npos);
}

TEST(Network, TypesThatTheOtherNodeDoesNotAcceptAreAnError) {
  Pair pair;
  pair.a.accepts<Stranger>();
  pair.create_on("a", Impolite{{}, pair.create_on("b", Responder{})});
  pair.start();
  EXPECT_TRUE(eventually([&] { return !pair.deployment_a.failures().empty(); }));
  EXPECT_NE(pair.deployment_a.failures()[0].message.find("node b does not accept"),
            std::string::npos);
}

// --- Connections that break ---

// Passes bytes on, and cuts every connection after some of them.
class Cutter {
 public:
  Cutter(std::uint16_t to, std::size_t cut_after)
      : to_(asio::ip::address_v4::loopback(), to),
        cut_after_(cut_after),
        acceptor_(context_, tcp::endpoint(asio::ip::address_v4::loopback(), 0)) {
    accept();
    thread_ = std::thread([this] { context_.run(); });
  }
  ~Cutter() {
    context_.stop();
    thread_.join();
  }
  std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
  int cuts() const { return cuts_; }

 private:
  struct Passage {
    explicit Passage(asio::io_context& context) : in(context), out(context) {}
    tcp::socket in, out;
    std::size_t left = 0;
    std::array<char, 4096> there = {}, back = {};
  };

  void accept() {
    auto passage = std::make_shared<Passage>(context_);
    acceptor_.async_accept(passage->in, [this, passage](asio::error_code error) {
      if (error) return;
      passage->left = cut_after_;
      asio::error_code failed;
      passage->out.connect(to_, failed);
      pass(passage, passage->in, passage->out, passage->there);
      pass(passage, passage->out, passage->in, passage->back);
      accept();
    });
  }
  void pass(const std::shared_ptr<Passage>& passage, tcp::socket& from, tcp::socket& to,
            std::array<char, 4096>& buffer) {
    from.async_read_some(asio::buffer(buffer), [this, passage, &from, &to, &buffer](
                                                   asio::error_code error, std::size_t size) {
      asio::error_code failed = error;
      const std::size_t passed = std::min(size, passage->left);
      if (!failed) asio::write(to, asio::buffer(buffer.data(), passed), failed);
      passage->left -= passed;
      if (!failed && passage->left > 0) return pass(passage, from, to, buffer);
      if (passage->in.is_open()) ++cuts_;
      passage->in.close(failed);
      passage->out.close(failed);
    });
  }

  asio::io_context context_;
  const tcp::endpoint to_;
  const std::size_t cut_after_;
  tcp::acceptor acceptor_;
  std::atomic<int> cuts_ = 0;
  std::thread thread_;
};

TEST(Network, NothingIsLostOrDoubledWhenConnectionsBreak) {
  Pair pair;
  Cutter there(pair.b.port(), 7001), back(pair.a.port(), 5003);
  pair.a.set_address("b", "127.0.0.1", there.port());
  pair.b.set_address("a", "127.0.0.1", back.port());
  pair.a.accepts<Question, Answer>();
  pair.b.accepts<Question, Answer>();
  const MachineId responder = pair.create_on("b", Responder{});
  for (int i = 0; i < 5; ++i) pair.create_on("a", Asker{{}, responder, 400, 50});
  pair.start();
  EXPECT_TRUE(eventually([] { return done == 5; }));
  EXPECT_TRUE(pair.deployment_a.failures().empty());
  for (const Failure& failure : pair.deployment_b.failures()) ADD_FAILURE() << failure.message;
  EXPECT_GT(there.cuts(), 3);
  EXPECT_GT(back.cuts(), 3);
  EXPECT_EQ(pair.a.lost() + pair.b.lost(), 0U);
}

struct Tally : Machine {
  int count = 0;
  struct Counting;
  static void define(Definition<Tally>& machine) {
    machine.state<Counting>().on<Question>(&Tally::add);
  }
  void add() { done = ++count; }
};

// A node of its own, that can be ended and started again at the same address.
struct Single {
  Single(const std::string& name, std::uint16_t own_port, std::uint16_t other_port)
      : network(deployment, options(name, own_port, other_port)) {
    network.accepts<Question>();
    tally = network.create_on("b", Tally{});
    network.start();
    deployment.start();
  }
  static NetworkOptions options(const std::string& name, std::uint16_t own, std::uint16_t other) {
    NetworkOptions made;
    made.node = name;
    made.nodes = {{"a", "127.0.0.1", name == "a" ? own : other},
                  {"b", "127.0.0.1", name == "b" ? own : other}};
    made.give_up_after = milliseconds(300);
    made.retry_every = milliseconds(10);
    made.on_note = [](const std::string&) {};
    return made;
  }
  MachineId tally;
  Deployment deployment{{.threads = 1}};
  Network network;
};

TEST(Network, EventsToADeadNodeAreLostAndANewOneIsReached) {
  done = 0;
  auto b = std::make_unique<Single>("b", 0, 1);
  const std::uint16_t port = b->network.port();
  Single a("a", 0, port);
  a.deployment.send(a.tally, Question{});
  EXPECT_TRUE(eventually([] { return done == 1; }));
  b.reset();
  for (int i = 0; i < 5; ++i) a.deployment.send(a.tally, Question{});
  EXPECT_FALSE(a.network.wait_until_delivered(milliseconds(1)));
  EXPECT_TRUE(a.network.wait_until_delivered(long_enough));
  EXPECT_EQ(a.network.lost(), 5U);
  b = std::make_unique<Single>("b", port, 1);
  done = 0;
  a.deployment.send(a.tally, Question{});
  EXPECT_TRUE(eventually([] { return done == 1; }));
}

// --- Garbage ---

std::string answer_to(std::uint16_t port, const std::string& bytes) {
  asio::io_context context;
  tcp::socket socket(context);
  socket.connect({asio::ip::address_v4::loopback(), port});
  asio::error_code error;
  asio::write(socket, asio::buffer(bytes), error);
  socket.shutdown(tcp::socket::shutdown_send, error);
  std::string answer;
  asio::read(socket, asio::dynamic_buffer(answer), error);
  return answer;
}

TEST(Network, BadFramesCloseTheConnectionWithAReason) {
  using namespace network;
  Pair pair;
  pair.b.accepts<Question>();
  pair.create_on("b", Responder{});
  pair.start();
  const std::uint16_t port = pair.b.port();
  Hello hello;
  hello.node = "a";
  hello.events = {{"ricercar::(anonymous)::Other", "{}"}};
  const auto refused = [&](const std::string& bytes, const std::string& reason) {
    answer_to(port, bytes);
    EXPECT_TRUE(eventually([&] { return pair.has_note(reason); })) << reason;
  };
  refused("GET / HTTP/1.1\r\n\r\n", "bytes; at most");
  refused(frame_of(FrameKind::acknowledge, Acknowledge{}), "does not belong here");
  refused(frame_of(FrameKind::hello, Refusal{"x"}), "the bytes end too early");
  refused(frame_of(FrameKind::hello, hello) + frame_of(FrameKind::event, EventMessage{}),
          "an event of a type that is not accepted here");
  hello.node = "c";
  refused(frame_of(FrameKind::hello, hello), "there is no node c");
  hello.version = 7;
  refused(frame_of(FrameKind::hello, hello), "version 7");
}

TEST(Network, SurvivesGarbage) {
  using namespace network;
  Pair pair;
  pair.a.accepts<Question, Answer>();
  pair.b.accepts<Question, Answer>();
  const MachineId responder = pair.create_on("b", Responder{});
  Hello hello;
  hello.node = "a";
  hello.incarnation = 1;
  hello.events = {
      {std::string(detail::event_type<Question>().full_name), detail::codec<Question>().shape()}};
  EventMessage event;
  event.sequence = 1;
  event.to = responder;
  Encoder(event.payload).value(Question{MachineId(0), 1});
  const std::string good = frame_of(FrameKind::hello, hello) + frame_of(FrameKind::event, event);
  pair.create_on("a", Asker{{}, responder, 100, 1});
  pair.b.start();
  Random random(3);
  for (int round = 0; round < 200; ++round) {
    std::string bytes = good;
    for (std::uint32_t i = random.below(6); i < 6; ++i) {
      bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] =
          static_cast<char>(random.next());
    }
    if (round % 3 == 0) bytes.resize(random.below(static_cast<std::uint32_t>(bytes.size())));
    answer_to(pair.b.port(), bytes);
  }
  // What got through by chance is in queues that nobody has begun to handle; a new incarnation of
  // the node says nothing of it.
  pair.a.start();
  pair.deployment_a.start();
  EXPECT_TRUE(pair.a.wait_until_delivered(long_enough));
  EXPECT_EQ(pair.a.lost(), 0U);
}

}  // namespace
}  // namespace ricercar
