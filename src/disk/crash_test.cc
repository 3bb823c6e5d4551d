// What a crash leaves, against a second description of it: scripts of changes are crashed in every
// way that the search can choose, and what is found then is compared with what a small model of
// files in memory says.
#include "disk/crash.h"

#include <algorithm>
#include <functional>
#include <random>
#include <set>

#include "disk/folder_test.h"

namespace ricercar::inline disk {
namespace {

// One line of a script.
struct Act {
  enum Kind { create, append, overwrite, shorten, sync, remove, rename, folder };
  Kind kind;
  std::string name;
  std::string other;  // what is written, or the new name; sync: empty for the folder at the top
};
using Script = std::vector<Act>;
using State = std::map<std::string, std::string>;  // by name: its contents, or "/" for a folder
using States = std::set<State>;

// --- The model, in memory. It knows nothing of logs and of undoing. ---

class Model {
 public:
  void run(const Script& script) {
    for (const Act& act : script) perform(act);
  }

  States after_crash() const {
    States states;
    for (const std::set<std::size_t>& names : choices(names_, needs_of_names())) {
      for_contents(names, 0, {}, states);
    }
    return states;
  }

 private:
  struct Name {  // something that was done to names
    Act act;
    std::size_t file;
    bool is_synced = false;
  };
  struct Content {
    Act::Kind kind;
    std::string text;
    bool is_synced = false;
  };
  // Whether the second one, which came later, cannot be there without the first.
  using Needs = std::function<bool(std::size_t, std::size_t)>;

  static std::string parent(const std::string& name) {
    const std::size_t slash = name.rfind('/');
    return slash == std::string::npos ? "" : name.substr(0, slash);
  }
  static bool is_in(const std::string& name, const std::string& folder) {
    return name.rfind(folder + "/", 0) == 0;
  }

  // Nothing happens that the kernel would refuse.
  void perform(const Act& act) {
    const bool there = now_.contains(act.name);
    const bool is_folder = there && now_[act.name] == folder_mark;
    const std::string home = act.kind == Act::rename ? parent(act.other) : parent(act.name);
    if (!home.empty() && (!now_.contains(home) || now_[home] != folder_mark)) return;
    switch (act.kind) {
      case Act::create:
        if (is_folder) return;
        if (there) return change(act, {Act::shorten, "0"}, !contents_of(act.name).empty());
        files_.emplace_back();
        now_[act.name] = files_.size() - 1;
        names_.push_back({act, files_.size() - 1});
        return;
      case Act::folder:
        if (there) return;
        now_[act.name] = folder_mark;
        names_.push_back({act, folder_mark});
        return;
      case Act::append:
      case Act::overwrite:
      case Act::shorten:
        return change(act, {act.kind, act.other}, there && !is_folder);
      case Act::remove:
        return remove(act, there, is_folder);
      case Act::rename:
        return rename(act, there, is_folder);
      case Act::sync:
        return synchronise(act.name);
    }
  }

  void change(const Act& act, Content content, bool can) {
    if (can) files_[now_[act.name]].push_back(content);
  }

  void remove(const Act& act, bool there, bool is_folder) {
    if (!there || (is_folder && has_names_in(act.name))) return;
    names_.push_back({act, now_[act.name]});
    now_.erase(act.name);
  }

  // Only files are renamed here, and not over folders.
  void rename(const Act& act, bool there, bool is_folder) {
    const bool refused = now_.contains(act.other) && now_[act.other] == folder_mark;
    if (!there || is_folder || refused || act.name == act.other) return;
    names_.push_back({act, now_[act.name]});
    now_[act.other] = now_[act.name];
    now_.erase(act.name);
  }

  bool has_names_in(const std::string& folder) const {
    return std::any_of(now_.begin(), now_.end(),
                       [&](const auto& each) { return is_in(each.first, folder); });
  }

  void synchronise(const std::string& name) {
    if (!name.empty() && !now_.contains(name)) return;
    if (!name.empty() && now_[name] != folder_mark) {
      for (Content& content : files_[now_[name]]) content.is_synced = true;
      return;
    }
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const Act& act = names_[i].act;
      if (parent(act.kind == Act::rename ? act.other : act.name) == name) arrive(i);
    }
  }

  // It is synced, and if it is a rename, so is all that gave the file its old name.
  void arrive(std::size_t at) {
    names_[at].is_synced = true;
    const Act& act = names_[at].act;
    for (std::size_t i = at; act.kind == Act::rename && i-- > 0;) {
      if (leads_to(names_[i].act, act.name) && !leads_to(names_[i].act, act.other)) arrive(i);
    }
  }
  static bool leads_to(const Act& act, const std::string& name) {
    const std::vector<std::string> all = touched(act);
    return std::any_of(all.begin(), all.end(),
                       [&](const std::string& each) { return each == name || is_in(name, each); });
  }

  static std::string apply(std::string text, const Content& content) {
    if (content.kind == Act::append) return text + content.text;
    const bool sets_size = content.kind == Act::shorten;
    text.resize(sets_size ? std::stoul(content.text) : std::max(text.size(), content.text.size()));
    if (sets_size) return text;
    return text.replace(0, content.text.size(), content.text);
  }

  std::string contents_of(const std::string& name) {
    std::string text;
    for (const Content& content : files_[now_[name]]) text = apply(text, content);
    return text;
  }

  Needs needs_of_names() const {
    return [this](std::size_t first, std::size_t second) {
      const Act& before = names_[first].act;
      const Act& after = names_[second].act;
      for (const std::string& a : touched(before)) {
        for (const std::string& b : touched(after)) {
          const bool empties = after.kind == Act::remove && names_[second].file == folder_mark;
          if (a == b || is_in(b, a) || (empties && is_in(a, b))) return true;
        }
      }
      return false;
    };
  }
  static std::vector<std::string> touched(const Act& act) {
    if (act.kind == Act::rename) return {act.name, act.other};
    return {act.name};
  }

  // Sets of what has happened in the end: of what was not synced a beginning, in which at most the
  // two before the last may be missing; nothing without what it needs.
  template <typename List>
  static std::set<std::set<std::size_t>> choices(const List& list, const Needs& needs) {
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < list.size(); ++i) {
      if (!list[i].is_synced) open.push_back(i);
    }
    std::set<std::set<std::size_t>> all;
    for (std::uint32_t bits = 0; bits < (1U << open.size()); ++bits) {
      if (!is_beginning(bits)) continue;
      const auto kept = [&](std::size_t i) {
        const auto at = std::find(open.begin(), open.end(), i);
        return at == open.end() || (bits >> (at - open.begin()) & 1) != 0;
      };
      add_if_possible(list, needs, kept, all);
    }
    return all;
  }

  static bool is_beginning(std::uint32_t bits) {
    int last = -1;
    for (int i = 0; i < 32; ++i) {
      if ((bits >> i & 1) != 0) last = i;
    }
    for (int i = 0; i < last - 2; ++i) {
      if ((bits >> i & 1) == 0) return false;
    }
    return true;
  }

  template <typename List, typename Kept>
  static void add_if_possible(const List& list, const Needs& needs, const Kept& kept,
                              std::set<std::set<std::size_t>>& all) {
    std::set<std::size_t> happened;
    for (std::size_t i = 0; i < list.size(); ++i) {
      bool has_all = true;
      for (std::size_t j = 0; j < i; ++j) {
        if (needs(j, i) && !happened.contains(j)) has_all = false;
      }
      if (kept(i) && has_all) happened.insert(i);
      if (kept(i) && !has_all && !list[i].is_synced) return;  // another choice says the same
    }
    all.insert(happened);
  }

  void for_contents(const std::set<std::size_t>& names, std::size_t file,
                    std::vector<std::string> texts, States& states) const {
    if (file == files_.size()) {
      states.insert(state_of(names, texts));
      return;
    }
    const std::vector<Content>& contents = files_[file];
    const Needs needs = [&](std::size_t first, std::size_t) {
      return contents[first].kind == Act::shorten;
    };
    for (const std::set<std::size_t>& happened : choices(contents, needs)) {
      std::string text;
      for (const std::size_t i : happened) text = apply_at(contents, happened, i, text);
      texts.push_back(text);
      for_contents(names, file + 1, texts, states);
      texts.pop_back();
    }
  }

  // What was appended stays where it was written, whatever was lost before it.
  static std::string apply_at(const std::vector<Content>& contents, const std::set<std::size_t>&,
                              std::size_t i, const std::string& text) {
    if (contents[i].kind != Act::append) return apply(text, contents[i]);
    std::string all;
    for (std::size_t j = 0; j < i; ++j) all = apply(all, contents[j]);
    std::string result = text;
    result.resize(std::max(result.size(), all.size() + contents[i].text.size()), '\0');
    return result.replace(all.size(), contents[i].text.size(), contents[i].text);
  }

  State state_of(const std::set<std::size_t>& names, const std::vector<std::string>& texts) const {
    std::map<std::string, std::size_t> there;
    for (const std::size_t i : names) {
      const Name& name = names_[i];
      if (name.act.kind == Act::remove || name.act.kind == Act::rename) there.erase(name.act.name);
      if (name.act.kind == Act::rename) there[name.act.other] = name.file;
      if (name.act.kind == Act::create || name.act.kind == Act::folder) {
        there[name.act.name] = name.file;
      }
    }
    State state;
    for (const auto& [name, file] : there) state[name] = file == folder_mark ? "/" : texts[file];
    return state;
  }

  static constexpr std::size_t folder_mark = ~std::size_t{0};
  std::map<std::string, std::size_t> now_;  // the file of each name
  std::vector<std::vector<Content>> files_;
  std::vector<Name> names_;
};

// --- The real thing ---

class Crash : public FolderTest {
 protected:
  Crash() { log_.keeps_data = true; }

  void perform(const Act& act) {
    const std::string path = in(act.name);
    switch (act.kind) {
      case Act::create:
        return with_file(path, O_CREAT | O_WRONLY | O_TRUNC, [](int) {});
      case Act::append:
        return with_file(path, O_WRONLY | O_APPEND, [&](int file) { write(file, act.other); });
      case Act::overwrite:
        return with_file(path, O_WRONLY, [&](int file) { write(file, act.other); });
      case Act::shorten:
        return with_file(path, O_WRONLY, [&](int file) { resize(file, std::stol(act.other)); });
      case Act::sync:
        return sync(path);
      case Act::remove:
        return remove(path);
      case Act::rename:
        if (!std::filesystem::is_directory(path)) rename(path, in(act.other));
        return;
      case Act::folder:
        return make_folder(path);
    }
  }
  template <typename Use>
  void with_file(const std::string& path, int flags, Use use) {
    const int file = open(path, flags);
    if (file < 0) return;
    use(file);
    ::close(file);
  }

  State state() const {
    State found;
    for (const auto& [name, text] : look(folder_)) {
      found[name] = text.starts_with("40") ? "/" : text.substr(text.find(' ') + 1);
    }
    return found;
  }

  // Every choice that the search has, each from the beginning.
  States after_crash(const Script& script) {
    States states;
    std::vector<std::size_t> choice;
    do {
      for (const Act& act : script) perform(act);
      crash_once(choice);
      states.insert(state());
      undo_all(log_);
      EXPECT_TRUE(state().empty());
    } while (!choice.empty());
    return states;
  }

  // `choice` becomes the next one; empty: there is none.
  void crash_once(std::vector<std::size_t>& choice) {
    const std::vector<Unsynced> lists = unsynced(log_, 0);
    choice.resize(lists.size());
    std::vector<Survival> chosen;
    std::vector<std::size_t> counts;
    for (std::size_t i = 0; i < lists.size(); ++i) {
      const std::vector<Survival> all = survivals(lists[i], false);
      counts.push_back(all.size());
      chosen.push_back(all[choice[i]]);
    }
    apply_crash(log_, 0, lists, chosen);
    keep_changes(log_);
    std::size_t at = 0;
    while (at < choice.size() && ++choice[at] == counts[at]) choice[at++] = 0;
    if (at == choice.size()) choice.clear();
  }

  void expect_as_model(const Script& script) {
    Model model;
    model.run(script);
    EXPECT_EQ(after_crash(script), model.after_crash()) << words_of_script(script);
  }

  static std::string words_of_script(const Script& script) {
    static constexpr const char* kinds[] = {"create", "append", "overwrite", "shorten",
                                            "sync",   "remove", "rename",    "folder"};
    std::string text;
    for (const Act& act : script) {
      text += std::string(kinds[act.kind]) + " " + act.name + " " + act.other + "\n";
    }
    return text;
  }
};

TEST_F(Crash, LosesWhatWasNotSynced) {
  const Script script = {
      {Act::create, "log", ""}, {Act::sync, "", ""}, {Act::append, "log", "one"}};
  const States expected = {{{"log", ""}}, {{"log", "one"}}};
  EXPECT_EQ(after_crash(script), expected);
}

TEST_F(Crash, KeepsWhatWasSynced) {
  const Script script = {{Act::create, "log", ""},
                         {Act::append, "log", "one"},
                         {Act::sync, "log", ""},
                         {Act::sync, "", ""}};
  const States expected = {{{"log", "one"}}};
  EXPECT_EQ(after_crash(script), expected);
}

// The mistake that is made most often.
TEST_F(Crash, MayKeepARenameWithoutTheContents) {
  const Script script = {{Act::create, "new", ""},
                         {Act::append, "new", "text"},
                         {Act::rename, "new", "name"},
                         {Act::sync, "", ""}};
  const States expected = {{{"name", ""}}, {{"name", "text"}}};
  EXPECT_EQ(after_crash(script), expected);
}

// Where it came from was never synced, and need not be.
TEST_F(Crash, KeepsAFileThatWasRenamedIntoASyncedFolder) {
  const Script script = {{Act::folder, "d", ""},   {Act::sync, "", ""},
                         {Act::create, "new", ""}, {Act::append, "new", "text"},
                         {Act::sync, "new", ""},   {Act::rename, "new", "d/name"},
                         {Act::sync, "d", ""}};
  const States expected = {{{"d", "/"}, {"d/name", "text"}}};
  EXPECT_EQ(after_crash(script), expected);
}

TEST_F(Crash, LosesAFileWithTheUnsyncedFolderIntoWhichItWasRenamed) {
  const Script script = {{Act::create, "new", ""},
                         {Act::sync, "", ""},
                         {Act::folder, "d", ""},
                         {Act::rename, "new", "d/name"},
                         {Act::sync, "d", ""}};
  const States expected = {{{"new", ""}}, {{"d", "/"}, {"d/name", ""}}};
  EXPECT_EQ(after_crash(script), expected);
}

TEST_F(Crash, TearsAWriteIfItMay) {
  for (const Act& act : Script{{Act::create, "log", ""}, {Act::sync, "", ""}}) perform(act);
  perform({Act::append, "log", "abcdef"});
  const std::vector<Unsynced> lists = unsynced(log_, 0);
  ASSERT_EQ(lists.size(), 1U);
  EXPECT_EQ(survivals(lists[0], false).size(), 2U);
  const std::vector<Survival> all = survivals(lists[0], true);
  ASSERT_EQ(all.size(), 3U);
  apply_crash(log_, 0, lists, {all[1]});
  const State torn = {{"log", "abc"}};
  EXPECT_EQ(state(), torn);
}

TEST_F(Crash, LeavesWhatTheModelSays) {
  const Script whole = {{Act::create, "new", ""},     {Act::append, "new", "ab"},
                        {Act::append, "new", "cd"},   {Act::sync, "new", ""},
                        {Act::overwrite, "new", "x"}, {Act::rename, "new", "log"},
                        {Act::create, "other", ""},   {Act::sync, "", ""},
                        {Act::append, "log", "e"},    {Act::remove, "other", ""}};
  for (std::size_t steps = 0; steps <= whole.size(); ++steps) {
    expect_as_model(Script(whole.begin(), whole.begin() + static_cast<long>(steps)));
  }
}

TEST_F(Crash, LeavesWhatTheModelSaysWhateverWasDone) {
  const std::string names[] = {"a", "b", "d", "d/a", "d/b"};
  std::mt19937 random(7);
  const auto any = [&] { return names[random() % std::size(names)]; };
  for (int round = 0; round < 60; ++round) {
    Script script = {{Act::folder, "d", ""}};
    for (int i = 0; i < 8; ++i) {
      const auto kind = static_cast<Act::Kind>(random() % 8);
      std::string other(1 + random() % 3, static_cast<char>('k' + i));
      if (kind == Act::shorten) other = std::to_string(random() % 3);
      if (kind == Act::rename) other = any();
      script.push_back({kind, kind == Act::sync && random() % 3 == 0 ? "" : any(), other});
    }
    expect_as_model(script);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace ricercar::inline disk
