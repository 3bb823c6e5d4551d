// Changes files in its folder in every way for as long as it is let; the folder has `a`, `b` and
// `inner/c` in it.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <string>

namespace {

void write_file(const char* path, int flags, const std::string& text) {
  const int file = open(path, flags | O_WRONLY | O_CREAT, 0644);
  if (file < 0) return;
  if (write(file, text.data(), text.size()) < 0) std::perror(path);
  close(file);
}

}  // namespace

int main() {
  for (int i = 0; i < 40; ++i) {
    const std::string text = "what was written in round " + std::to_string(i);
    write_file("a", O_TRUNC, text);
    write_file("new", 0, text);
    rename("new", "b");
    rename("inner", "outer");
    write_file("outer/c", O_APPEND, text);
    unlink("a");
    mkdir("a", 0700);
    write_file("a/deep", 0, text);
    chmod("outer/c", 0600);
    if (truncate("b", 3) != 0) std::perror("b");
    rename("outer", "inner");
    unlink("a/deep");
    rmdir("a");
    usleep(1000);
  }
}
