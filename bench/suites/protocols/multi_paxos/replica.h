// A replica of Multi-Paxos: acceptor, learner, and leader when it is its turn. The first phase of
// Paxos is run once for all slots of the log, the second one for each slot. The replicated state is
// a sum to which every command adds one.
#pragma once

#include <ricercar/environment.h>

#include <algorithm>
#include <set>
#include <vector>

#include "../bugs.h"
#include "messages.h"

namespace multi_paxos {

using ricercar::environment::send_through;
using ricercar::suite::bug;

struct Introduce {
  std::vector<MachineId> replicas;
};

// The last command of a client that was executed, and its result.
struct Session {
  int number = -1;
  int result = 0;

  // A client waits for each reply, so what is not newer has been executed.
  bool covers(const Command& command) const {
    if (bug(4)) return static_cast<std::int8_t>(command.number - number) <= 0;
    return command.number <= number;
  }
};

struct Replica : ricercar::Machine {
  MachineId network;
  std::vector<MachineId> replicas;  // all of them
  int index = 0;
  int elections = 0;  // that it may still begin after time-outs

  // As an acceptor.
  Ballot promised = 0;
  MachineId leader;
  std::map<Slot, Vote> log;

  // As a learner.
  std::set<Slot> chosen;  // not executed yet
  Slot executed = 0;      // all slots before this one
  int sum = 0;
  std::map<MachineId, Session> sessions;

  // As a leader.
  Ballot ballot = 0;
  std::set<MachineId> promises;
  std::map<Slot, std::set<MachineId>> voters;  // of slots that are not chosen yet
  Slot next_slot = 0;
  std::map<MachineId, Slot> progress;  // what the others have executed

  struct Booting;
  struct Following;
  struct Preparing;
  struct Leading;
  struct ElectionTimeOut {};

  static void define(ricercar::Definition<Replica>& machine) {
    machine.state<Booting>()
        .on(&Replica::introduce)
        .defer<Prepare, Promise, Accept, Accepted, Refused, Commit, Fetch, Chosen, Request>();
    machine.state<Following>()
        .entry(&Replica::wait_for_leader)
        .on<ElectionTimeOut>(&Replica::stand_for_election)
        .on(&Replica::prepare)
        .on(&Replica::accept)
        .on(&Replica::commit)
        .on(&Replica::fetch)
        .on(&Replica::learn)
        .on(&Replica::redirect)
        .ignore<Promise, Accepted, Refused>();
    machine.state<Preparing>()
        .on<ElectionTimeOut>(&Replica::stand_for_election)
        .on(&Replica::prepare)
        .on(&Replica::accept)
        .on(&Replica::commit)
        .on(&Replica::fetch)
        .on(&Replica::learn)
        .on(&Replica::promise)
        .on(&Replica::refused)
        .defer<Request>()
        .ignore<Accepted>();
    machine.state<Leading>()
        .entry(&Replica::lead)
        .on(&Replica::prepare)
        .on(&Replica::accept)
        .on(&Replica::commit)
        .on(&Replica::accepted)
        .on(&Replica::fetch)
        .on(&Replica::learn)
        .on(&Replica::refused)
        .on(&Replica::request)
        .ignore<Promise, ElectionTimeOut>();
  }

  // The first replica begins; the others wait until they miss a leader.
  void introduce(const Introduce& introduction) {
    replicas = introduction.replicas;
    if (index != 0) return go_to<Following>();
    begin_ballot();
  }

  // --- Becoming the leader ---

  void wait_for_leader() {
    if (elections > 0) start_timer(ElectionTimeOut{});
  }

  void stand_for_election() {
    if (elections == 0) return;
    --elections;
    wait_for_leader();
    begin_ballot();
  }

  void begin_ballot() {
    const auto count = static_cast<int>(replicas.size());
    ballot = std::max(ballot, promised) + 1;
    while (ballot % count != index) ++ballot;
    promised = ballot;
    leader = self();
    promises = {self()};
    go_to<Preparing>();
    tell_others(Prepare{self(), ballot});
  }

  // Takes over what others have voted for: of the votes for one slot the one with the highest
  // ballot.
  void promise(const Promise& promise) {
    if (promise.ballot != ballot) return;
    for (const auto& [slot, vote] : promise.log) {
      const auto known = log.find(slot);
      if (known == log.end() || (known->second.ballot < vote.ballot && !bug(1))) log[slot] = vote;
    }
    promises.insert(promise.acceptor);
    if (promises.size() == majority()) go_to<Leading>();
  }

  // Finishes what others have begun, and fills the gaps between.
  void lead() {
    stop_timer<ElectionTimeOut>();
    voters.clear();
    progress.clear();
    next_slot = executed;
    if (!log.empty() && !bug(2)) next_slot = std::max(next_slot, log.rbegin()->first + 1);
    const Slot first = log.empty() ? executed : std::min(executed, log.begin()->first);
    const Slot end = log.empty() ? executed : log.rbegin()->first + 1;
    for (Slot slot = first; slot < end; ++slot) propose(slot, log[slot].command);
  }

  void refused(const Refused& refusal) {
    if (refusal.promised <= promised) return;
    step_down_for(refusal.promised, {});
    go_to<Following>();
  }

  void step_down_for(Ballot other, MachineId new_leader) {
    promised = other;
    leader = new_leader;
    voters.clear();
  }

  // --- Leading ---

  void request(const Request& request) {
    const Command& command = request.command;
    const Session session = sessions[command.client];
    if (session.covers(command)) return reply(command.client, session);
    const bool is_under_way = std::any_of(voters.begin(), voters.end(), [&](const auto& slot) {
      return log[slot.first].command == command;
    });
    if (!is_under_way) propose(next_slot++, command);
  }

  void propose(Slot slot, const Command& command) {
    log[slot] = {ballot, command};
    voters[slot] = {self()};
    tell_others(Accept{self(), ballot, slot, command, stable()});
    forget_before(stable());
  }

  void accepted(const Accepted& vote) {
    if (vote.ballot != ballot) return;
    progress[vote.acceptor] = std::max(progress[vote.acceptor], vote.executed);
    const auto voting = voters.find(vote.slot);
    if (voting == voters.end()) return;
    voting->second.insert(vote.acceptor);
    if (voting->second.size() < majority()) return;
    voters.erase(voting);
    chosen.insert(vote.slot);
    tell_others(Commit{self(), ballot, vote.slot});
    execute();
  }

  // Slots before this one have been executed everywhere, and nobody will ask for them again.
  Slot stable() const {
    Slot least = executed;
    if (progress.size() + 1 < replicas.size()) return 0;
    for (const auto& [replica, slot] : progress) least = std::min(least, slot);
    return least;
  }

  // --- Accepting and learning ---

  // True if the message is not outdated; then its sender leads.
  bool obey(MachineId sender, Ballot other) {
    if (other < promised) {
      send_through(network, sender, Refused{promised});
      return false;
    }
    if (other > promised || leader != sender) {
      step_down_for(other, sender);
      go_to<Following>();
    } else {
      wait_for_leader();
    }
    return true;
  }

  void prepare(const Prepare& request) {
    if (!obey(request.leader, request.ballot)) return;
    send_through(network, request.leader, Promise{self(), request.ballot, log});
  }

  void accept(const Accept& request) {
    if (!obey(request.leader, request.ballot)) return;
    log[request.slot] = {request.ballot, request.command};
    send_through(network, request.leader, Accepted{self(), request.ballot, request.slot, executed});
    forget_before(request.stable);
  }

  // The vote must be of the leader's ballot: an older one may be for another command.
  void commit(const Commit& commit) {
    if (commit.ballot < promised || commit.slot < executed) return;
    const auto vote = log.find(commit.slot);
    if (vote == log.end() || (vote->second.ballot != commit.ballot && !bug(3))) {
      return send_through(network, commit.leader, Fetch{self(), commit.slot});
    }
    chosen.insert(commit.slot);
    execute();
  }

  // What comes behind the first snapshot is read from a log of its own.
  void fetch(const Fetch& request) {
    constexpr Slot snapshot = 40;
    const auto vote = log.find(request.slot);
    if (vote == log.end() || request.slot >= executed) return;
    if (bug(6) && request.slot >= snapshot) {
      return send_through(network, request.replica, Chosen{request.slot, {}});
    }
    send_through(network, request.replica, Chosen{request.slot, vote->second.command});
  }

  void learn(const Chosen& lesson) {
    if (lesson.slot < executed) return;
    log[lesson.slot] = {promised, lesson.command};
    chosen.insert(lesson.slot);
    execute();
  }

  void redirect(const Request& request) {
    send(request.command.client, Redirect{leader, request.command.number});
  }

  void forget_before(Slot slot) { log.erase(log.begin(), log.lower_bound(slot)); }

  // --- Executing ---

  void execute() {
    while (chosen.erase(executed) > 0) {
      const Command command = log[executed].command;
      announce(Executed{self(), executed, command});
      ++executed;
      if (command.client) change(command);
    }
  }

  void change(const Command& command) {
    Session& session = sessions[command.client];
    if (!session.covers(command)) {
      const Session now{command.number, ++sum};
      announce(Changed{self(), command});
      if (bug(5) && leader != self()) return;
      session = now;
    }
    if (leader == self()) reply(command.client, session);
  }

  void reply(MachineId client, const Session& session) {
    send(client, Reply{session.number, session.result});
  }

  std::size_t majority() const { return replicas.size() / 2 + 1; }

  template <typename Message>
  void tell_others(const Message& message) {
    for (const MachineId replica : replicas) {
      if (replica != self()) send_through(network, replica, message);
    }
  }
};

}  // namespace multi_paxos
