#include "search/process_facts.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

namespace ricercar::inline search {
namespace {

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

std::string hexadecimal(const unsigned char* bytes, std::size_t count) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += digits[bytes[i] >> 4];
    text += digits[bytes[i] & 15];
  }
  return text;
}

// Notes are padded to four bytes.
constexpr std::size_t padded(std::size_t size) { return (size + 3) / 4 * 4; }

int find_build_id(dl_phdr_info* object, std::size_t, void* result) {
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& header = object->dlpi_phdr[i];
    if (header.p_type != PT_NOTE) continue;
    const auto* at = reinterpret_cast<const unsigned char*>(object->dlpi_addr + header.p_vaddr);
    const unsigned char* end = at + header.p_memsz;
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      const auto* note = reinterpret_cast<const ElfW(Nhdr)*>(at);
      const unsigned char* name = at + sizeof *note;
      const unsigned char* content = name + padded(note->n_namesz);
      if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && memcmp(name, "GNU", 4) == 0) {
        *static_cast<std::string*>(result) = hexadecimal(content, note->n_descsz);
        return 1;
      }
      at = content + padded(note->n_descsz);
    }
  }
  return 1;  // the executable comes first
}

std::string read_all(const char* path) {
  std::string text;
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  char buffer[4096];
  for (ssize_t got = 0; (got = read(file, buffer, sizeof buffer)) > 0;) {
    text.append(buffer, static_cast<std::size_t>(got));
  }
  close(file);
  return text;
}

}  // namespace

std::string own_path() {
  char path[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : std::string();
}

std::vector<std::string> own_arguments() {
  const std::string all = read_all("/proc/self/cmdline");
  std::vector<std::string> arguments;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\0', at);
    arguments.push_back(all.substr(at, end - at));
    if (end == std::string::npos) break;
    at = end + 1;
  }
  if (!arguments.empty()) arguments.erase(arguments.begin());
  return arguments;
}

std::string own_build_id() {
  std::string id;
  dl_iterate_phdr(find_build_id, &id);
  return id;
}

std::uint64_t own_load_address() {
  std::uint64_t result = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* address) {
        *static_cast<std::uint64_t*>(address) = object->dlpi_addr;
        return 1;  // the executable comes first
      },
      &result);
  return result;
}

std::string library_folder() {
  Dl_info place;
  if (dladdr(reinterpret_cast<void*>(&library_folder), &place) == 0) return {};
  return folder_of(place.dli_fname);
}

}  // namespace ricercar::inline search
