// A Raft server (Ongaro and Ousterhout, "In Search of an Understandable Consensus Algorithm",
// 2014): leader election, log replication, and restarts with what is on stable storage.
#pragma once

#include <ricercar/environment.h>

#include <algorithm>
#include <map>
#include <set>

#include "../bugs.h"
#include "messages.h"

namespace raft {

using ricercar::environment::send_through;
using ricercar::suite::bug;

struct Introduce {
  std::vector<MachineId> peers;
};

// How far a follower's log is known to agree with the leader's, and from where entries are sent
// next.
struct Progress {
  Index match = 0;
  Index next = 0;
};

struct Server : ricercar::Machine {
  MachineId network;
  std::vector<MachineId> peers;  // the others
  int elections = 1;             // that this server may still begin
  int heartbeats = 0;            // that this server may still send

  // On stable storage.
  Term term = 0;
  MachineId voted_for;
  std::vector<Entry> log;

  // Lost in a crash.
  Index commit = 0;
  Index applied = 0;
  MachineId leader;
  std::set<MachineId> votes;
  std::map<MachineId, Progress> progress;  // a leader's knowledge of its followers

  struct Booting;
  struct Follower;
  struct Candidate;
  struct Leader;
  struct ElectionTimeOut {};
  struct Heartbeat {};

  static void define(ricercar::Definition<Server>& machine) {
    machine.state<Booting>()
        .entry(&Server::boot)
        .on(&Server::introduce)
        .defer<RequestVote, Vote, Append, Appended, Request>();
    machine.state<Follower>()
        .entry(&Server::wait_for_leader)
        .on<ElectionTimeOut>(&Server::stand_for_election)
        .on(&Server::vote)
        .on(&Server::append)
        .on(&Server::redirect)
        .ignore<Vote, Appended, Heartbeat>();
    machine.state<Candidate>()
        .on<ElectionTimeOut>(&Server::stand_for_election)
        .on(&Server::vote)
        .on(&Server::count_vote)
        .on(&Server::append)
        .on(&Server::redirect)
        .ignore<Appended, Heartbeat>();
    machine.state<Leader>()
        .entry(&Server::lead)
        .on<Heartbeat>(&Server::beat)
        .on(&Server::vote)
        .on(&Server::append)
        .on(&Server::appended)
        .on(&Server::request)
        .ignore<Vote, ElectionTimeOut>();
  }

  // --- Starting ---

  void crash() {
    if (bug(1)) voted_for = {};
    commit = 0;
    applied = 0;
    leader = {};
    votes.clear();
    progress.clear();
  }

  // After a restart the peers are known.
  void boot() {
    if (!peers.empty()) go_to<Follower>();
  }
  void introduce(const Introduce& introduction) {
    peers = introduction.peers;
    go_to<Follower>();
  }

  // --- Elections ---

  void wait_for_leader() {
    stop_timer<Heartbeat>();
    if (elections > 0) start_timer(ElectionTimeOut{});
  }

  void stand_for_election() {
    if (elections == 0) return;
    --elections;
    if (elections > 0) start_timer(ElectionTimeOut{});
    ++term;
    voted_for = self();
    leader = {};
    votes = {self()};
    go_to<Candidate>();
    for (const MachineId peer : peers) {
      send_through(network, peer, RequestVote{self(), term, last_index(), last_term()});
    }
  }

  // True if somebody is in a later term, so that this server has to follow.
  bool is_behind(Term other) {
    if (bug(2) && other == term) voted_for = {};
    if (other <= term) return false;
    term = other;
    voted_for = {};
    leader = {};
    return true;
  }

  void vote(const RequestVote& request) {
    if (is_behind(request.term)) go_to<Follower>();
    const bool is_free = !voted_for || voted_for == request.candidate;
    const bool granted =
        request.term == term && is_free && (has_nothing_newer_than(request) || bug(5));
    if (granted) voted_for = request.candidate;
    send_through(network, request.candidate, Vote{self(), term, granted});
  }

  bool has_nothing_newer_than(const RequestVote& request) const {
    if (request.last_term != last_term()) return request.last_term > last_term();
    return request.last_index >= last_index();
  }

  void count_vote(const Vote& vote) {
    if (is_behind(vote.term)) return go_to<Follower>();
    if (!vote.granted || (vote.term != term && !bug(7))) return;
    votes.insert(vote.voter);
    if (votes.size() >= majority()) go_to<Leader>();
  }

  // --- Leading ---

  void lead() {
    stop_timer<ElectionTimeOut>();
    announce(Elected{self(), term, log});
    leader = self();
    for (const MachineId peer : peers) progress[peer] = {0, last_index()};
    replicate();
    if (heartbeats > 0) start_timer(Heartbeat{});
  }

  void beat() {
    if (--heartbeats > 0) start_timer(Heartbeat{});
    replicate();
  }

  void request(const Request& request) {
    const auto known = std::find_if(log.begin(), log.end(), [&](const Entry& entry) {
      return entry.command == request.command;
    });
    if (known - log.begin() < applied) return reply(request.command);
    if (known == log.end()) log.push_back({term, request.command});
    replicate();
  }

  void replicate() {
    for (const MachineId peer : peers) send_entries(peer);
  }

  void send_entries(MachineId peer) {
    const Index from = progress[peer].next;
    send_through(
        network, peer,
        Append{self(), term, from, term_at(from), {log.begin() + from, log.end()}, commit});
  }

  void appended(const Appended& answer) {
    if (is_behind(answer.term)) return go_to<Follower>();
    if (answer.term != term) return;
    Progress& follower = progress[answer.follower];
    if (answer.success) {
      follower.match = std::max(follower.match, answer.match);
      follower.next = std::max(follower.next, answer.match);
      return advance_commit();
    }
    follower.next = std::max(follower.match, answer.match);
    send_entries(answer.follower);
  }

  // An entry of an older term is committed only by an entry of this term that follows it: counting
  // its copies is not enough (section 5.4.2 of the paper).
  void advance_commit() {
    for (Index index = last_index(); index > commit; --index) {
      if (copies(index) < majority()) continue;
      if (term_at(index) != term && !bug(3)) return;
      for (Index i = commit + 1; i <= index; ++i) announce(Committed{term, i, entry(i)});
      commit = index;
      return apply();
    }
  }

  std::size_t copies(Index index) const {
    std::size_t count = 1;
    for (const auto& [peer, follower] : progress) count += follower.match >= index ? 1 : 0;
    return count;
  }

  // --- Following ---

  void append(const Append& request) {
    if (request.term < term) {
      return send_through(network, request.leader, Appended{self(), term, false, 0});
    }
    is_behind(request.term);
    if (leader != request.leader) {
      leader = request.leader;
      go_to<Follower>();
    } else if (elections > 0) {
      start_timer(ElectionTimeOut{});
    }
    if (!matches(request) && !bug(4)) {
      const Index retry = std::min(request.previous_index - 1, last_index());
      return send_through(network, request.leader, Appended{self(), term, false, retry});
    }
    store(request);
    const Index match = request.previous_index + static_cast<Index>(request.entries.size());
    commit = std::max(commit, std::min({request.commit, match, last_index()}));
    send_through(network, request.leader, Appended{self(), term, true, match});
    apply();
  }

  bool matches(const Append& request) const {
    return request.previous_index <= last_index() &&
           term_at(request.previous_index) == request.previous_term;
  }

  // Entries that conflict go, and all that follow them; what is there already stays, because the
  // message may be an old one.
  void store(const Append& request) {
    Index index = request.previous_index;
    constexpr Index snapshot = 64;
    if (bug(6) || (bug(8) && index > snapshot)) log.resize(static_cast<std::size_t>(index));
    for (const Entry& entry : request.entries) {
      ++index;
      if (index <= last_index() && term_at(index) == entry.term) continue;
      log.resize(static_cast<std::size_t>(index) - 1);
      log.push_back(entry);
    }
    require(applied <= last_index(), "an entry that was applied is cut from the log");
  }

  void redirect(const Request& request) {
    send(request.command.client, Redirect{leader, request.command.number});
  }

  // --- The log ---

  void apply() {
    while (applied < commit) {
      ++applied;
      announce(Applied{self(), applied, entry(applied)});
      if (leader != self()) continue;
      reply(entry(applied).command);
    }
  }

  void reply(const Command& command) {
    announce(Answered{command});
    send(command.client, Reply{command.number});
  }

  std::size_t majority() const { return (peers.size() + 1) / 2 + 1; }
  Index last_index() const { return static_cast<Index>(log.size()); }
  Term last_term() const { return term_at(last_index()); }
  Term term_at(Index index) const { return index == 0 ? 0 : entry(index).term; }
  const Entry& entry(Index index) const { return log[static_cast<std::size_t>(index) - 1]; }
};

}  // namespace raft
