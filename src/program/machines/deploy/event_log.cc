#include "machines/deploy/event_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <utility>

#include "base/error.h"

namespace ricercar::deploy {
namespace {

// The last character is the version.
constexpr std::string_view magic = "RICLOG1\n";
constexpr std::size_t length_bytes = 4;

enum RecordKind : std::uint8_t { node_begins = 1, event_type = 2, event = 3 };

[[noreturn]] void file_error(const std::string& what, const std::string& path) {
  throw std::runtime_error("the log " + path + " cannot be " + what + ": " + std::strerror(errno));
}

void write_all(int file, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) file_error("written", path);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// What records before have said: the node that goes on writing, and its numbers of event types.
struct Reader {
  struct Type {
    std::string name, shape;
  };
  std::string node;
  std::map<std::uint64_t, Type> types;

  void read(Decoder& in, std::vector<LoggedEvent>& events) {
    switch (in.byte()) {
      case node_begins:
        node = std::string(in.text());
        types.clear();
        break;
      case event_type: {
        const std::uint64_t number = in.number();
        const std::string name(in.text());
        types[number] = {name, std::string(in.text())};
        break;
      }
      case event:
        read_event(in, events);
        break;
      default:
        in.fail("a record of an unknown kind");
    }
    if (in.ok() && !in.at_end()) in.fail("bytes behind the end of a record");
  }

  void read_event(Decoder& in, std::vector<LoggedEvent>& events) {
    LoggedEvent read;
    read.time = in.fixed(8);
    read.is_announced = in.byte() != 0;
    read.from = MachineId(static_cast<std::uint32_t>(in.fixed(4)));
    const auto type = types.find(in.number());
    read.payload = std::string(in.text());
    if (in.ok() && type == types.end()) in.fail("an event of a type that was not introduced");
    if (!in.ok()) return;
    read.name = type->second.name;
    read.shape = type->second.shape;
    read.node = node;
    events.push_back(std::move(read));
  }
};

}  // namespace

EventLog::EventLog(const std::string& path, const std::string& node) : path_(path) {
  if (path.empty()) return;
  file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file_ < 0) file_error("opened", path);
  struct stat status = {};
  if (::fstat(file_, &status) != 0) file_error("read", path);
  if (status.st_size == 0) {
    write_all(file_, magic, path);
  } else {
    const LogContent content = read_log(path);
    if (!content.events.empty()) last_time_ = content.events.back().time;
    if (::ftruncate(file_, static_cast<off_t>(content.whole_bytes)) != 0) {
      file_error("continued", path);
    }
  }
  std::string body;
  Encoder out(body);
  out.byte(node_begins);
  out.text(node);
  write(body);
}

EventLog::~EventLog() {
  if (file_ >= 0) ::close(file_);
}

void EventLog::write(std::string_view body) {
  std::string record;
  Encoder(record).fixed(body.size(), length_bytes);
  record += body;
  write_all(file_, record, path_);
}

void EventLog::record(const detail::Codec& codec) {
  const detail::EventType& type = *codec.type;
  if (file_ < 0 || records(type)) return;
  if (codecs_.size() <= type.number) codecs_.resize(type.number + 1);
  codecs_[type.number] = &codec;
  std::string body;
  Encoder out(body);
  out.byte(event_type);
  out.number(type.number);
  out.text(type.full_name);
  out.text(codec.shape());
  write(body);
}

void EventLog::append(MachineId from, const detail::Event& happened, bool is_announced,
                      std::uint64_t time) {
  if (file_ < 0) return;
  const detail::EventType& type = *happened->type;
  if (!records(type)) {
    if (!is_announced) return;
    throw UsageError("an announced event is not recorded: call record<" + std::string(type.name) +
                     ">() before the deployment starts");
  }
  std::string payload;
  Encoder payload_out(payload);
  codecs_[type.number]->encode(happened->payload, payload_out);
  std::string body;
  Encoder out(body);
  out.byte(event);
  out.fixed(time, 8);
  out.byte(is_announced ? 1 : 0);
  out.fixed(from.number(), 4);
  out.number(type.number);
  out.text(payload);
  write(body);
}

LogContent parse_log(std::string_view bytes, const std::string& path) {
  if (bytes.substr(0, magic.size()) != magic) {
    throw std::runtime_error(path + " is no log of events, or one of another version");
  }
  LogContent content;
  content.bytes = bytes.size();
  content.whole_bytes = magic.size();
  Reader reader;
  while (bytes.size() - content.whole_bytes >= length_bytes) {
    const std::string_view rest = bytes.substr(content.whole_bytes);
    const std::uint64_t length = Decoder(rest).fixed(length_bytes);
    if (length > rest.size() - length_bytes) break;
    Decoder in(rest.substr(length_bytes, length));
    reader.read(in, content.events);
    if (!in.ok()) {
      throw std::runtime_error(path + " is damaged at byte " + std::to_string(content.whole_bytes) +
                               ": " + std::string(in.mistake()));
    }
    content.whole_bytes += length_bytes + length;
  }
  return content;
}

LogContent read_log(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) file_error("read", path);
  const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  return parse_log(bytes, path);
}

}  // namespace ricercar::deploy
