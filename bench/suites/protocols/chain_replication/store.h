// The state that is replicated: a store of keys and values that takes its commands in order. Each
// replica applies the same commands and so answers the same.
//
// Besides plain writes it knows writes in two phases, for transactions over several stores: after
// `prepare` a key is locked for its transaction until `commit` or `abort`.
#pragma once

#include <map>
#include <string>

namespace chain_replication {

struct Command {
  enum Kind { put, prepare, commit, abort } kind;
  int transaction;  // 0 for put
  std::string key;
  std::string value;
};

struct Store {
  struct Versioned {
    int version = 0;  // the number of the command that wrote it
    std::string value;
  };
  struct Lock {
    int transaction;
    std::string value;
  };

  std::map<std::string, Versioned> data;
  std::map<std::string, Lock> locks;

  // Whether the command was accepted. `number` is the command's place in the order.
  bool apply(const Command& command, int number) {
    const auto lock = locks.find(command.key);
    const bool is_mine = lock != locks.end() && lock->second.transaction == command.transaction;
    switch (command.kind) {
      case Command::put:
        if (lock != locks.end()) return false;
        data[command.key] = {number, command.value};
        return true;
      case Command::prepare:
        if (lock != locks.end()) return is_mine;
        locks[command.key] = {command.transaction, command.value};
        return true;
      case Command::commit:
        if (!is_mine) return false;
        data[command.key] = {number, lock->second.value};
        locks.erase(lock);
        return true;
      case Command::abort:
        if (is_mine) locks.erase(lock);
        return true;
    }
    return false;
  }
};

}  // namespace chain_replication
