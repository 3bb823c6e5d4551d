// Lines that are written past all hooks: stdio and some calls reach the kernel inside of the C
// library, or stay in the kernel.
//
//   streams serve
//   streams write stream|copy|standard|print|file|number
#include <sys/sendfile.h>
#include <sys/syscall.h>

#include "../../examples/nodes/net.h"

namespace {

constexpr int lines = 1000;

std::string text_of(int first, int end) {
  std::string text;
  for (int i = first; i < end; ++i) text += std::to_string(i) + "\n";
  return text;
}

void serve() {
  const int client = accept(listening_socket(7000), nullptr, nullptr);
  std::string text;
  for (std::string more; !(more = receive_text(client)).empty();) text += more;
  assert(text == text_of(0, lines));
}

void write_to(std::FILE* stream) {
  for (int i = 0; i < lines; ++i) std::fprintf(stream, "%d\n", i);
  std::fclose(stream);
}

// It has two descriptors then: both have to be closed before the server learns of an end.
void write_to_copy(int server) {
  std::FILE* stream = fdopen(dup(server), "w");
  close(server);
  write_to(stream);
}

void write_to_standard_output(int server) {
  assert(dup2(server, STDOUT_FILENO) == STDOUT_FILENO);
  close(server);
  write_to(stdout);
}

// In two parts: the kernel takes few before somebody reads them.
void print(int server) {
  dprintf(server, "%s", text_of(0, lines / 2).c_str());
  dprintf(server, "%s", text_of(lines / 2, lines).c_str());
}

void send_file(int server) {
  std::FILE* file = std::tmpfile();
  for (int i = 0; i < lines; ++i) std::fprintf(file, "%d\n", i);
  std::fflush(file);
  off_t from = 0;
  const long size = std::ftell(file);
  assert(sendfile(server, fileno(file), &from, static_cast<size_t>(size)) == size);
}

void send_by_number(int server) {
  const std::string text = text_of(0, lines);
  const long sent = syscall(SYS_sendto, server, text.data(), text.size(), 0, nullptr, 0);
  assert(sent == static_cast<long>(text.size()));
}

void write_lines(const std::string& way) {
  const int server = connected_socket("server", 7000);
  if (way == "stream") write_to(fdopen(server, "w"));
  if (way == "copy") write_to_copy(server);
  if (way == "standard") write_to_standard_output(server);
  if (way == "print") print(server);
  if (way == "file") send_file(server);
  if (way == "number") send_by_number(server);
}

}  // namespace

int main(int, char** arguments) {
  std::string(arguments[1]) == "serve" ? serve() : write_lines(arguments[2]);
}
