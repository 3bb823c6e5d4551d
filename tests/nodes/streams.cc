// Lines that are written through stdio, which calls the kernel past all hooks.
#include "../../examples/nodes/net.h"

namespace {

constexpr int lines = 1000;

void serve() {
  const int client = accept(listening_socket(7000), nullptr, nullptr);
  std::string text;
  for (std::string more; !(more = receive_text(client)).empty();) text += more;
  std::string expected;
  for (int i = 0; i < lines; ++i) expected += std::to_string(i) + "\n";
  assert(text == expected);
}

void write_lines() {
  const int server = connected_socket("server", 7000);
  std::FILE* stream = fdopen(server, "w");
  for (int i = 0; i < lines; ++i) std::fprintf(stream, "%d\n", i);
  std::fclose(stream);
}

}  // namespace

int main(int, char** arguments) { std::string(arguments[1]) == "serve" ? serve() : write_lines(); }
