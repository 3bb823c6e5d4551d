// What a machine does with an event: the rules of states, one by one.
#include <gtest/gtest.h>

#include "base/error.h"
#include "machines/test_run.h"

namespace ricercar::machines {
namespace {

struct A {
  int value = 0;
};
struct B {};
struct C {};
struct D {};

std::string error_of(const SetUp& set_up) {
  try {
    run_all(set_up);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

// The ending of a system of one machine that gets these events.
template <typename M, typename... E>
std::string ending_after(E... events) {
  const Runs runs = run_all([&](System& system) {
    [[maybe_unused]] const MachineId machine = system.create(M{});
    (system.send(machine, events), ...);
  });
  EXPECT_EQ(runs.executions, 1U);
  return *runs.endings.begin();
}

struct InOrder : Machine {
  std::string log;
  struct Only;
  static void define(Definition<InOrder>& machine) {
    machine.state<Only>().on(&InOrder::a).on<B>(&InOrder::b);
  }
  void a(const A& event) { log += std::to_string(event.value); }
  void b() { log += "b"; }
};

TEST(Dispatch, EventsAreHandledInTheOrderInWhichTheyCame) {
  EXPECT_EQ(ending_after<InOrder>(A{1}, B{}, A{2}, A{3}, B{}), "  InOrder#0 in Only {\"1b23b\"}\n");
}

struct Transitions : Machine {
  std::string log;
  struct First;
  struct Second;
  static void define(Definition<Transitions>& machine) {
    machine.state<First>()
        .entry(&Transitions::enter_first)
        .exit(&Transitions::leave_first)
        .go_to<A, Second>(&Transitions::between)
        .on<B>(&Transitions::jump);
    machine.state<Second>()
        .entry(&Transitions::enter_second)
        .exit(&Transitions::leave_second)
        .go_to<A, First>()
        .go_to<C, Second>();
  }
  void enter_first() { log += "(1"; }
  void leave_first() { log += "1)"; }
  void enter_second() { log += "(2"; }
  void leave_second() { log += "2)"; }
  void between(const A&) { log += "-"; }
  void jump() {
    go_to<Second>();
    log += "!";
  }
};

TEST(Dispatch, ATransitionLeavesActsAndEnters) {
  EXPECT_EQ(ending_after<Transitions>(A{}), "  Transitions#0 in Second {\"(11)-(2\"}\n");
  EXPECT_EQ(ending_after<Transitions>(A{}, A{}), "  Transitions#0 in First {\"(11)-(22)(1\"}\n");
}

TEST(Dispatch, ATransitionToTheSameStateLeavesAndEntersIt) {
  EXPECT_EQ(ending_after<Transitions>(A{}, C{}), "  Transitions#0 in Second {\"(11)-(22)(2\"}\n");
}

TEST(Dispatch, GoToTakesEffectWhenTheHandlerReturns) {
  EXPECT_EQ(ending_after<Transitions>(B{}), "  Transitions#0 in Second {\"(1!1)(2\"}\n");
}

TEST(Dispatch, AnEventThatNoStateHandlesIsABug) {
  EXPECT_EQ(ending_after<Transitions>(A{}, B{}),
            "unhandled-event: Transitions#0 does not handle B in its state Second");
  EXPECT_EQ(ending_after<InOrder>(A{1}, D{}),
            "unhandled-event: InOrder#0 does not handle D in its state Only");
}

struct Deferring : Machine {
  std::string log;
  struct Waiting;
  struct Open;
  static void define(Definition<Deferring>& machine) {
    machine.state<Waiting>().defer<A, B>().ignore<D>().go_to<C, Open>();
    machine.state<Open>().on(&Deferring::a).on<B>(&Deferring::b).go_to<C, Waiting>();
  }
  void a(const A& event) { log += std::to_string(event.value); }
  void b() { log += "b"; }
};

TEST(Dispatch, DeferredEventsStayInTheirOrder) {
  EXPECT_EQ(ending_after<Deferring>(A{1}, B{}, A{2}),
            "  Deferring#0 in Waiting {\"\"}, waiting "
            "events: A{1} B A{2}\n");
  EXPECT_EQ(ending_after<Deferring>(A{1}, B{}, A{2}, C{}), "  Deferring#0 in Open {\"1b2\"}\n");
  EXPECT_EQ(ending_after<Deferring>(A{1}, C{}, C{}, A{2}),
            "  Deferring#0 in Waiting {\"1\"}, "
            "waiting events: A{2}\n");
}

TEST(Dispatch, AnIgnoredEventIsGone) {
  EXPECT_EQ(ending_after<Deferring>(D{}, A{1}, D{}, C{}), "  Deferring#0 in Open {\"1\"}\n");
}

struct Pushing : Machine {
  std::string log;
  struct Below;
  struct Above;
  struct Other;
  static void define(Definition<Pushing>& machine) {
    machine.state<Below>()
        .entry(&Pushing::enter_below)
        .exit(&Pushing::leave_below)
        .push<A, Above>()
        .on<B>(&Pushing::b_below)
        .on<C>(&Pushing::c_below)
        .go_to<D, Other>();
    machine.state<Above>()
        .entry(&Pushing::enter_above)
        .exit(&Pushing::leave_above)
        .on<B>(&Pushing::b_above)
        .pop<A>();
    machine.state<Other>().entry(&Pushing::enter_other).on<A>(&Pushing::push_and_pop);
  }
  void enter_below() { log += "(b"; }
  void leave_below() { log += "b)"; }
  void enter_above() { log += "(a"; }
  void leave_above() { log += "a)"; }
  void enter_other() { log += "(o"; }
  void b_below() { log += "Bb"; }
  void b_above() { log += "Ba"; }
  void c_below() { log += "Cb"; }
  void push_and_pop() { push<Above>(); }
};

TEST(Dispatch, APushedStateIsEnteredWithoutLeavingTheOneBelow) {
  EXPECT_EQ(ending_after<Pushing>(A{}), "  Pushing#0 in Above {\"(b(a\"}\n");
}

TEST(Dispatch, PopGoesBackWithoutEnteringAgain) {
  EXPECT_EQ(ending_after<Pushing>(A{}, A{}, B{}), "  Pushing#0 in Below {\"(b(aa)Bb\"}\n");
}

TEST(Dispatch, WhatThePushedStateDoesNotSayTheOneBelowDecides) {
  EXPECT_EQ(ending_after<Pushing>(A{}, B{}, C{}), "  Pushing#0 in Above {\"(b(aBaCb\"}\n");
}

TEST(Dispatch, ATransitionOfTheStateBelowLeavesTheOnesAbove) {
  EXPECT_EQ(ending_after<Pushing>(A{}, D{}), "  Pushing#0 in Other {\"(b(aa)b)(o\"}\n");
}

TEST(Dispatch, AHandlerMayPush) {
  EXPECT_EQ(ending_after<Pushing>(D{}, A{}, A{}), "  Pushing#0 in Other {\"(bb)(o(aa)\"}\n");
}

struct Raising : Machine {
  std::string log;
  struct Start;
  struct Next;
  static void define(Definition<Raising>& machine) {
    machine.state<Start>().on(&Raising::a).on<B>(&Raising::b).go_to<C, Next>();
    machine.state<Next>().entry(&Raising::enter).on<B>(&Raising::b).on<D>(&Raising::d).defer<A>();
  }
  void a(const A&) {
    raise(B{});
    log += "a";
  }
  void b() { log += "b"; }
  void enter() { raise(D{}); }
  void d() { log += "d"; }
};

TEST(Dispatch, ARaisedEventIsHandledBeforeTheQueue) {
  EXPECT_EQ(ending_after<Raising>(A{}, C{}, B{}), "  Raising#0 in Next {\"abdb\"}\n");
}

template <typename Raised>
struct RaisesAtStart : Machine {
  struct Start;
  static void define(Definition<RaisesAtStart>& machine) {
    machine.template state<Start>().entry(&RaisesAtStart::enter).template defer<A>();
  }
  void enter() { raise(Raised{}); }
};

TEST(Dispatch, WhatIsRaisedAtTheStartAndNotHandledIsABug) {
  const std::string ending = ending_after<RaisesAtStart<B>>();
  EXPECT_NE(ending.find("unhandled-event: "), std::string::npos) << ending;
  EXPECT_NE(ending.find("does not handle B in its state"), std::string::npos) << ending;
}

TEST(Dispatch, ARaisedEventCannotBeDeferred) {
  EXPECT_NE(ending_after<RaisesAtStart<A>>().find("does not handle A{0}"), std::string::npos);
}

// --- Mistakes ---

template <typename M>
std::string error_with() {
  return error_of([](System& system) { system.send(system.create(M{}), A{}); });
}

struct AsksTwice : Machine {
  struct Only;
  static void define(Definition<AsksTwice>& machine) { machine.state<Only>().on(&AsksTwice::a); }
  void a(const A&) {
    go_to<Only>();
    raise(B{});
  }
};

TEST(Dispatch, OneHandlerCannotAskForTwoThings) {
  EXPECT_EQ(error_with<AsksTwice>(),
            "a handler asks for two of go_to, push, pop, raise and halt; each takes effect when "
            "the handler returns, so only one is possible");
}

struct ExitAsks : Machine {
  struct Only;
  static void define(Definition<ExitAsks>& machine) {
    machine.state<Only>().exit(&ExitAsks::leave).go_to<A, Only>();
  }
  void leave() { halt(); }
};

TEST(Dispatch, AnExitActionCannotAskForAnything) {
  EXPECT_EQ(error_with<ExitAsks>(),
            "an exit action cannot ask for go_to, push, pop, raise or halt");
}

struct GoesNowhere : Machine {
  struct Only;
  struct Unknown;
  static void define(Definition<GoesNowhere>& machine) {
    machine.state<Only>().on(&GoesNowhere::a);
  }
  void a(const A&) { go_to<Unknown>(); }
};

TEST(Dispatch, AStateMustBeNamedInDefine) {
  EXPECT_EQ(error_with<GoesNowhere>(),
            "GoesNowhere has no state Unknown: name it in GoesNowhere::define with "
            "state<Unknown>()");
}

struct LeadsNowhere : Machine {
  struct Only;
  struct Unknown;
  static void define(Definition<LeadsNowhere>& machine) {
    machine.state<Only>().go_to<A, Unknown>();
  }
};

TEST(Dispatch, TheTargetOfATransitionMustBeNamedInDefine) {
  EXPECT_NE(error_with<LeadsNowhere>().find("LeadsNowhere has no state"), std::string::npos);
}

struct NoStates : Machine {
  static void define(Definition<NoStates>&) {}
};

TEST(Dispatch, AMachineHasAState) {
  EXPECT_EQ(error_with<NoStates>(),
            "NoStates has no states: name at least one in define, with state<S>()");
}

struct PopsTheFirst : Machine {
  struct Only;
  static void define(Definition<PopsTheFirst>& machine) { machine.state<Only>().pop<A>(); }
};

TEST(Dispatch, TheFirstStateCannotBePopped) {
  EXPECT_EQ(error_with<PopsTheFirst>(), "pop in the first state: there is nothing to go back to");
}

struct Endless : Machine {
  struct Only;
  static void define(Definition<Endless>& machine) { machine.state<Only>().on(&Endless::a); }
  void a(const A&) { raise(A{}); }
};

TEST(Dispatch, AMachineThatRaisesForEverIsFound) {
  EXPECT_EQ(error_with<Endless>(),
            "a machine changes its state or raises events forever in one handler");
}

}  // namespace
}  // namespace ricercar::machines
