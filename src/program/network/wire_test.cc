#include "network/wire.h"

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <variant>

#include "base/random.h"

namespace ricercar::network {
namespace {

enum class Colour : std::uint8_t { red, green = 200 };

struct Inner {
  int number = 0;
  std::string text;
  bool operator==(const Inner&) const = default;
};

struct Everything {
  bool flag = false;
  char character = 0;
  std::int8_t tiny = 0;
  std::int64_t large = 0;
  std::uint64_t larger = 0;
  float single = 0;
  double real = 0;
  Colour colour = Colour::red;
  std::string text;
  MachineId machine;
  std::vector<Inner> list;
  std::map<std::string, std::vector<int>> map;
  std::unordered_map<int, int> unordered;
  std::set<MachineId> set;
  std::array<std::uint16_t, 3> array = {};
  std::optional<Inner> maybe;
  std::variant<std::monostate, int, Inner> either;
  std::pair<int, std::string> pair;
  std::tuple<char, std::deque<bool>> tuple;
  std::chrono::milliseconds duration = {};
  std::vector<bool> bits;
  std::list<std::monostate> nothings;
  bool operator==(const Everything&) const = default;
};

// A secret that is not plain: it says itself how it is written.
class Secret {
 public:
  Secret() = default;
  explicit Secret(int value) : value_(value) {}
  void hash(Hasher& hasher) const { hasher.add(static_cast<std::uint64_t>(value_)); }
  void encode(Encoder& out) const { out.signed_number(-value_); }
  void decode(Decoder& in) { value_ = static_cast<int>(-in.signed_number()); }
  bool operator==(const Secret&) const = default;

 private:
  int value_ = 0;
};
struct WithSecret {
  Secret secret;
};

struct Tree {
  int value = 0;
  std::vector<Tree> branches;
};

template <typename T>
std::string encoded(const T& value) {
  std::string bytes;
  Encoder(bytes).value(value);
  return bytes;
}

template <typename T>
T round_trip(const T& value) {
  const std::string bytes = encoded(value);
  Decoder in(bytes);
  T read;
  in.value(read);
  EXPECT_TRUE(in.ok()) << in.mistake();
  EXPECT_TRUE(in.at_end());
  return read;
}

Everything example() {
  Everything value;
  value.flag = true;
  value.character = 'x';
  value.tiny = -128;
  value.large = std::numeric_limits<std::int64_t>::min();
  value.larger = std::numeric_limits<std::uint64_t>::max();
  value.single = -1.5F;
  value.real = 1e300;
  value.colour = Colour::green;
  value.text = std::string("with \0 inside", 13);
  value.machine = MachineId(0x01000007);
  value.list = {{1, "one"}, {-2, ""}};
  value.map = {{"a", {1, 2}}, {"", {}}};
  value.unordered = {{1, 2}, {-3, 4}};
  value.set = {MachineId(3), MachineId()};
  value.array = {1, 65535, 0};
  value.maybe = Inner{9, "there"};
  value.either = Inner{4, "third"};
  value.pair = {5, "five"};
  value.tuple = {'t', {true, false}};
  value.duration = std::chrono::milliseconds(-5);
  value.bits = {true, false, true};
  value.nothings.resize(3);
  return value;
}

TEST(Encoding, GivesBackWhatWentIn) {
  EXPECT_EQ(round_trip(Everything{}), Everything{});
  EXPECT_EQ(round_trip(example()), example());
  EXPECT_EQ(round_trip(WithSecret{Secret(7)}).secret, Secret(7));
}

// The bytes that the specification shows.
TEST(Encoding, IsTheDocumentedOne) {
  struct Documented {
    std::uint32_t number = 300;
    int negative = -2;
    std::string text = "ab";
    MachineId machine = MachineId(0x02000001);
    std::optional<bool> maybe = true;
    std::vector<std::uint8_t> list = {1, 200};
  };
  EXPECT_EQ(encoded(Documented{}), std::string("\xAC\x02"
                                               "\x03"
                                               "\x02"
                                               "ab"
                                               "\x01\x00\x00\x02"
                                               "\x01\x01"
                                               "\x02\x01\xC8\x01",
                                               16));
}

TEST(Encoding, EveryTruncationIsNoticed) {
  const std::string bytes = encoded(example());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Decoder in(std::string_view(bytes).substr(0, size));
    Everything read;
    in.value(read);
    EXPECT_FALSE(in.ok()) << size << " of " << bytes.size();
  }
}

TEST(Encoding, NumbersThatDoNotFitAreNoticed) {
  const std::string bytes = encoded(std::uint32_t{300});
  Decoder in(bytes);
  std::uint8_t small = 0;
  in.value(small);
  EXPECT_EQ(in.mistake(), "a number that is too large for its field");
}

TEST(Encoding, SizesAreNotBelieved) {
  std::string bytes;
  Encoder(bytes).number(std::uint64_t{1} << 40);
  std::vector<int> list;
  Decoder in(bytes);
  in.value(list);
  EXPECT_EQ(in.mistake(), "a container that is larger than its frame");
  std::vector<std::monostate> nothings;
  Decoder again(bytes);
  again.value(nothings);
  EXPECT_FALSE(again.ok());
}

TEST(Encoding, DepthIsLimited) {
  // Trees with one branch each: 0, 1, 0, 1, ...
  std::string bytes;
  for (int i = 0; i < 100000; ++i) bytes += std::string("\0\1", 2);
  Decoder in(bytes);
  Tree tree;
  in.value(tree);
  EXPECT_EQ(in.mistake(), "values that lie too deep in each other");
}

TEST(Encoding, GarbageIsReadWithoutHarm) {
  Random random(1);
  const std::string good = encoded(example());
  int accepted = 0;
  for (int round = 0; round < 20000; ++round) {
    std::string bytes = good;
    if (round % 2 == 0) {
      bytes.resize(random.below(200));
      for (char& byte : bytes) byte = static_cast<char>(random.next());
    } else {
      for (std::uint32_t i = random.below(4); i < 4; ++i)
        bytes[random.below(static_cast<std::uint32_t>(bytes.size()))] =
            static_cast<char>(random.next());
    }
    Decoder in(bytes);
    Everything read;
    in.value(read);
    if (!in.ok()) continue;
    ++accepted;
    round_trip(read);  // what was accepted is a value
  }
  EXPECT_GT(accepted, 0);
}

TEST(Shapes, TellTypesApart) {
  const auto shape = [](auto value) {
    std::string text;
    detail::add_shape<decltype(value)>(text);
    return text;
  };
  EXPECT_EQ(shape(Inner{}), "{i32,s,}");
  EXPECT_EQ(shape(std::map<int, Inner>{}), "[(i32,{i32,s,},)]");
  EXPECT_EQ(shape(std::optional<MachineId>{}), "?m");
  EXPECT_NE(shape(std::chrono::milliseconds{}), shape(std::chrono::seconds{}));
  EXPECT_NE(shape(std::uint32_t{}), shape(std::int32_t{}));
  EXPECT_FALSE(shape(Tree{}).empty());
}

// --- Frames ---

EventMessage event(std::uint64_t sequence) {
  EventMessage message;
  message.sequence = sequence;
  message.to = MachineId(5);
  message.payload = "payload";
  return message;
}

TEST(Frames, ArePutTogetherFromAnyPieces) {
  std::string bytes;
  for (std::uint64_t i = 1; i <= 20; ++i) bytes += frame_of(FrameKind::event, event(i));
  for (const std::size_t piece : {std::size_t{1}, std::size_t{3}, std::size_t{17}, bytes.size()}) {
    FrameBuffer buffer(1000);
    std::uint64_t expected = 0;
    for (std::size_t at = 0; at < bytes.size(); at += piece) {
      buffer.add(std::string_view(bytes).substr(at, piece));
      while (const auto frame = buffer.next()) {
        EXPECT_EQ(frame->kind, FrameKind::event);
        std::string mistake;
        const auto message = message_of<EventMessage>(frame->body, mistake);
        ASSERT_TRUE(message) << mistake;
        EXPECT_EQ(message->sequence, ++expected);
        EXPECT_EQ(message->payload, "payload");
      }
    }
    EXPECT_EQ(expected, 20U);
    EXPECT_EQ(buffer.mistake(), "");
  }
}

TEST(Frames, BadOnesAreNamed) {
  const auto mistake_in = [](std::string_view bytes) {
    FrameBuffer buffer(100);
    buffer.add(bytes);
    EXPECT_FALSE(buffer.next());
    return buffer.mistake();
  };
  EXPECT_EQ(mistake_in(std::string_view("\0\0\0\0", 4)), "an empty frame");
  EXPECT_EQ(mistake_in(std::string_view("\x65\0\0\0", 4)),
            "a frame of 101 bytes; at most 100 are allowed");
  EXPECT_EQ(mistake_in(std::string_view("\1\0\0\0\x09", 5)), "a frame of the unknown kind 9");
  EXPECT_EQ(mistake_in(std::string_view("\2\0\0\0\1", 5)), "");  // not all there yet
  std::string mistake;
  EXPECT_FALSE(message_of<Acknowledge>(std::string_view("\1x", 2), mistake));
  EXPECT_EQ(mistake, "bytes behind the end of a message");
}

TEST(Frames, GreetingsSayWhatTheySpeak) {
  Hello hello;
  EXPECT_EQ(why_not(hello), "");
  hello.version = 2;
  EXPECT_EQ(why_not(hello), "it speaks version 2 of the protocol, this node 1");
  hello.magic = {};
  EXPECT_EQ(why_not(hello), "it does not speak Ricercar's protocol");
  const std::string frame = frame_of(FrameKind::hello, Hello{});
  EXPECT_EQ(frame.substr(4, 9), "\1RICERCAR");
}

}  // namespace
}  // namespace ricercar::network
