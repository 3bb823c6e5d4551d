// An ELF file, open for reading. Not thread-safe (libelf).
#pragma once

#include <fcntl.h>
#include <gelf.h>
#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

namespace ricercar::inline report {

class ElfFile {
 public:
  explicit ElfFile(const std::string& path)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    elf_version(EV_CURRENT);
    if (descriptor_ >= 0) elf_ = elf_begin(descriptor_, ELF_C_READ_MMAP, nullptr);
  }
  ~ElfFile() {
    if (elf_ != nullptr) elf_end(elf_);
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  bool is_elf() const { return elf_ != nullptr && elf_kind(elf_) == ELF_K_ELF; }
  Elf* get() const { return elf_; }
  int descriptor() const { return descriptor_; }
  GElf_Ehdr header() const {
    GElf_Ehdr result{};
    gelf_getehdr(elf_, &result);
    return result;
  }
  std::vector<GElf_Phdr> segments(std::uint32_t type) const {
    std::size_t count = 0;
    elf_getphdrnum(elf_, &count);
    std::vector<GElf_Phdr> result;
    for (std::size_t i = 0; i < count; ++i) {
      GElf_Phdr segment{};
      gelf_getphdr(elf_, static_cast<int>(i), &segment);
      if (segment.p_type == type) result.push_back(segment);
    }
    return result;
  }
  std::string interpreter() const {
    for (const GElf_Phdr& segment : segments(PT_INTERP)) {
      std::string path(segment.p_filesz, '\0');
      if (::pread(descriptor_, path.data(), path.size(), static_cast<off_t>(segment.p_offset)) >
          0) {
        return path.c_str();
      }
    }
    return {};
  }
  // The names of the libraries that it asks for directly.
  std::vector<std::string> needed() const {
    std::vector<std::string> result;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf_, section)) != nullptr;) {
      GElf_Shdr header{};
      gelf_getshdr(section, &header);
      if (header.sh_type == SHT_DYNAMIC) add_needed(section, header, result);
    }
    return result;
  }

 private:
  void add_needed(Elf_Scn* section, const GElf_Shdr& header,
                  std::vector<std::string>& result) const {
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Dyn entry{};
    for (int i = 0; gelf_getdyn(data, i, &entry) != nullptr; ++i) {
      if (entry.d_tag != DT_NEEDED) continue;
      if (const char* name = elf_strptr(elf_, header.sh_link, entry.d_un.d_val)) {
        result.emplace_back(name);
      }
    }
  }

  int descriptor_;
  Elf* elf_ = nullptr;
};

}  // namespace ricercar::inline report
