// What is said about the reason of a bug of machines or nodes, of hand-made stories.
#include <gtest/gtest.h>

#include "report/report_examples.h"
#include "report/why.h"

namespace ricercar::inline report {
namespace {

using Lines = std::vector<std::string>;

// Lanes 0 to 2. Texts last as long as the program.
class Story {
 public:
  explicit Story(WorldKind world) : world_(world) {}

  void act(RecordedAct act) { acts_.push_back(act); }
  void sends(std::uint32_t from, std::uint32_t to, const char* event) {
    act({ActKind::send, from, to, event});
  }
  void handles(std::uint32_t machine, const char* event, const char* state = "Idle") {
    act({.kind = ActKind::handle, .machine = machine, .event = event, .state = state});
  }
  void calls(std::uint32_t node) {
    act({.kind = ActKind::call, .machine = node, .event = "calls send()"});
  }
  // `sent_by`: the number of the act.
  void gets(std::uint32_t node, std::uint32_t from, const char* words, std::uint64_t sent_by) {
    RecordedAct arrival{ActKind::arrive, node, from, words};
    arrival.sent_by = sent_by;
    act(arrival);
  }

  Why ends(OutcomeKind kind, std::uint32_t lane, const char* message = "failed") {
    Recording recording{};
    recording.world = world_;
    recording.outcome = RecordingBuilder().outcome(kind, lane, message, {});
    if (lane == nobody) recording.outcome.task = no_task;
    recording.acts = {acts_.data(), acts_.size()};
    recording.machines = {machines.data(), machines.size()};
    Schedule schedule = examples::schedule_for(recording);
    if (is_minimised) schedule.minimised = Minimised{};
    RecordingBuilder nothing;
    ReportInput input;
    input.recording = &recording;
    input.schedule = &schedule;
    return build_report(input, nothing.symbols).why;
  }

  static constexpr std::uint32_t nobody = 3;
  bool is_minimised = false;
  std::vector<RecordedMachine> machines = {{0, MachinePhase::running, "Server#0", "Idle", "", ""},
                                           {1, MachinePhase::running, "One#1", "", "", ""},
                                           {2, MachinePhase::running, "Two#2", "", "", ""}};

 private:
  WorldKind world_;
  std::vector<RecordedAct> acts_;
};

Lines numbers(const Why& why) {
  Lines result;
  for (const WhyPlace& place : why.places) {
    result.push_back(place.role + " " + std::to_string(place.number));
  }
  return result;
}

TEST(WhyOfMachines, NamesTwoMessagesThatNothingOrders) {
  Story story(WorldKind::machines);
  story.sends(2, 0, "B");
  story.sends(1, 0, "A");
  story.handles(0, "B");
  story.handles(0, "A");
  const Why why = story.ends(OutcomeKind::assertion, 0);
  EXPECT_EQ(why.pattern, "message-race");
  EXPECT_EQ(numbers(why), (Lines{"sends 1", "sends 2", "handles 3", "handles 4"}));
  EXPECT_EQ(why.sentences,
            (Lines{"Server#0 handles B in Idle (event 3), and only then Server#0 handles A in Idle "
                   "(event 4).",
                   "Nothing orders the two: Two#2 sends the one (event 1), One#1 the other one "
                   "(event 2), and neither knows of what the other has sent."}));
}

// The second one is an answer to what came of the first one.
TEST(WhyOfMachines, NamesNoMessagesThatAreOrdered) {
  Story story(WorldKind::machines);
  story.sends(2, 0, "B");
  story.handles(0, "B");
  story.sends(0, 1, "C");
  story.handles(1, "C");
  story.sends(1, 0, "A");
  story.handles(0, "A");
  EXPECT_FALSE(story.ends(OutcomeKind::assertion, 0).is_known());
}

TEST(WhyOfMachines, NamesAMessageThatHasOvertakenAnotherOne) {
  Story story(WorldKind::machines);
  story.sends(1, 0, "First");
  story.sends(1, 2, "Go");
  story.handles(2, "Go");
  story.sends(2, 0, "Second");
  story.handles(0, "Second");
  story.handles(0, "First");
  const Why why = story.ends(OutcomeKind::assertion, 0);
  EXPECT_EQ(why.pattern, "overtaken");
  EXPECT_EQ(numbers(why), (Lines{"sends 1", "sends 4", "handles 5", "handles 6"}));
}

TEST(WhyOfMachines, NamesWhoHasSentAnUnexpectedEvent) {
  Story story(WorldKind::machines);
  story.sends(1, 0, "Ask");
  story.sends(1, 0, "Close");
  story.sends(1, 0, "Ask again");
  story.handles(0, "Ask", "Open");
  story.handles(0, "Close", "Open");
  story.handles(0, "Ask again", "Closed");
  const Why why = story.ends(OutcomeKind::unhandled_event, 0);
  EXPECT_EQ(why.pattern, "unexpected-event");
  EXPECT_EQ(
      why.sentences,
      (Lines{"One#1 sends Ask again to Server#0 (event 3), and Server#0 takes it in its state "
             "Closed (event 6).",
             "It was in another state before: Server#0 handles Close in Open (event 5), after "
             "that had been sent."}));
}

// Nothing else was its state, and one sender orders its messages.
TEST(WhyOfMachines, NamesNoOtherStateIfThereWasNone) {
  Story story(WorldKind::machines);
  story.sends(1, 0, "Ask");
  story.handles(0, "Ask", "Open");
  const Why why = story.ends(OutcomeKind::unhandled_event, 0);
  EXPECT_EQ(why.sentences.size(), 1u);
}

TEST(WhyOfMachines, NamesWhoWaitsAndWhatWasLost) {
  Story story(WorldKind::machines);
  story.machines[1].phase = MachinePhase::receiving;
  story.sends(1, 0, "Ask");
  story.act({ActKind::crash, 2, 0});
  const Why why =
      story.ends(OutcomeKind::property, Story::nobody,
                 "monitor Answered is in the hot state Open at the end: nobody can go on");
  EXPECT_EQ(why.pattern, "lost-message");
  EXPECT_EQ(why.sentences,
            (Lines{"One#1 sends Ask to Server#0 (event 1), which is lost: Two#2 crashes Server#0 "
                   "(event 2).",
                   "One#1 waits for an event that nobody sends; the last that it did: One#1 sends "
                   "Ask to Server#0 (event 1)."}));
}

// It has come before.
TEST(WhyOfMachines, NamesNoLostMessageThatWasTaken) {
  Story story(WorldKind::machines);
  story.sends(1, 0, "Ask");
  story.handles(0, "Ask");
  story.act({ActKind::crash, 2, 0});
  EXPECT_FALSE(story
                   .ends(OutcomeKind::property, Story::nobody,
                         "monitor Answered is in the hot state Open at the end: nobody can go on")
                   .is_known());
}

TEST(WhyOfMachines, SaysWhatGoesWrongOnPurposeOfAShortestExecutionOnly) {
  Story story(WorldKind::nodes);
  story.act({.kind = ActKind::fault, .machine = 0, .event = "CRASHES"});
  EXPECT_FALSE(story.ends(OutcomeKind::property, 0).is_known());
  story.is_minimised = true;
  EXPECT_EQ(story.ends(OutcomeKind::property, 0).sentences,
            (Lines{"The shortest execution that was found has this fault: Server#0 CRASHES (event "
                   "1)."}));
}

// One asks, is answered, and writes; `between`: Two writes before that.
Story read_and_write(bool between, bool knows, int port = 8) {
  Story story(WorldKind::nodes);
  story.calls(1);                                                          // 1
  story.gets(0, 1, "gets 3 bytes \"get\" from One#1:8 at Server#0:7", 1);  // 2
  story.calls(0);                                                          // 3
  story.calls(2);                                                          // 4
  if (between) story.gets(0, 2, "gets 5 bytes \"set 1\"", 4);
  if (knows) {
    story.calls(0);  // 6
    story.gets(1, 0, "gets 7 bytes \"changed\"", 6);
  }
  story.gets(1, 0, "gets 1 byte \"0\" from Server#0:7 at One#1:8", 3);
  story.calls(1);
  const std::uint64_t last = 7 + (between ? 1 : 0) + (knows ? 2 : 0) - 1;
  story.gets(0, 1,
             port == 8 ? "gets 5 bytes \"set 1\" from One#1:8 at Server#0:7"
                       : "gets 5 bytes \"set 1\" from One#1:9 at Server#0:7",
             last);
  return story;
}

TEST(WhyOfNodes, NamesAStaleAnswer) {
  Story story = read_and_write(true, false);
  const Why why = story.ends(OutcomeKind::property, 0);
  EXPECT_EQ(why.pattern, "stale-answer");
  EXPECT_EQ(numbers(why), (Lines{"sends 3", "gets 5", "gets 6", "gets 8"}));
  EXPECT_EQ(why.sentences,
            (Lines{"Server#0 answers One#1 (event 3), and after that Server#0 gets 5 bytes \"set "
                   "1\" (event 5).",
                   "One#1 gets 1 byte \"0\" from Server#0:7 at One#1:8 (event 6), the answer from "
                   "before that; and then Server#0 gets 5 bytes \"set 1\" from One#1:8 at "
                   "Server#0:7 (event 8). When One#1 sent it, it did not know "
                   "of what had come in between."}));
}

// What comes on another connection is no answer.
TEST(WhyOfNodes, NamesNoStaleAnswerOfAnotherConnection) {
  EXPECT_FALSE(read_and_write(true, false, 9).ends(OutcomeKind::property, 0).is_known());
}

TEST(WhyOfNodes, NamesNoStaleAnswerIfNothingCameInBetween) {
  EXPECT_FALSE(read_and_write(false, false).ends(OutcomeKind::property, 0).is_known());
}

// It has been told of the change.
TEST(WhyOfNodes, NamesNoStaleAnswerToWhoKnows) {
  const Why why = read_and_write(true, true).ends(OutcomeKind::property, 0);
  EXPECT_NE(why.pattern, "stale-answer");
}

TEST(WhyOfNodes, NamesADatagramThatCameBeforeItsSocketWasBound) {
  Story story(WorldKind::nodes);
  story.calls(1);  // 1
  story.gets(0, 1, "has no socket for 1 byte \"x\" from One#1 at Server#0:9, which is lost", 1);
  story.act({.kind = ActKind::call, .machine = 0, .event = "calls bind()"});
  const Why why = story.ends(OutcomeKind::deadlock, 0);
  EXPECT_EQ(why.pattern, "lost-message");
  EXPECT_EQ(why.sentences,
            (Lines{"Server#0 has no socket for 1 byte \"x\" from One#1 at Server#0:9, which is "
                   "lost (event 2); Server#0 calls bind() (event 3) only after that."}));
}

TEST(WhyOfNodes, NamesWhoHasReportedTheValuesOfAProperty) {
  Story story(WorldKind::nodes);
  const auto reports = [&story](std::uint32_t node, const char* values) {
    story.act({.kind = ActKind::log, .machine = node, .event = "inside", .state = values});
  };
  reports(1, "in = 1");
  reports(0, "in = 1");
  reports(2, "in = 0");
  reports(1, "in = 10");
  reports(2, "in = 1");
  const char* message = "'one inside' does not hold: Server#0.in = 1, Two#2.in = 1, One#1.in = 10";
  const Why why = story.ends(OutcomeKind::property, Story::nobody, message);
  EXPECT_EQ(numbers(why), (Lines{"reports 2", "reports 4", "reports 5"}));
}

TEST(WhyOfNodes, NamesWhatCameBetweenTwoRequests) {
  Story story(WorldKind::nodes);
  story.calls(1);                                                          // 1
  story.gets(0, 1, "gets 5 bytes \"set 1\"", 1);                           // 2
  story.calls(2);                                                          // 3
  story.gets(0, 2, "gets 5 bytes \"set 2\"", 3);                           // 4
  story.calls(1);                                                          // 5
  story.gets(0, 1, "gets 3 bytes \"get\" from One#1:8 at Server#0:7", 5);  // 6
  story.calls(0);                                                          // 7
  story.gets(1, 0, "gets 1 byte \"2\" from Server#0:7 at One#1:8", 7);     // 8
  const Why why = story.ends(OutcomeKind::assertion, 1);
  EXPECT_EQ(why.pattern, "changed-between");
  EXPECT_EQ(numbers(why), (Lines{"gets 2", "gets 4", "gets 6", "gets 8"}));
}

// What has changed it is not known, so all of them are named.
TEST(WhyOfNodes, NamesAllThatCameBetweenTwoRequests) {
  Story story(WorldKind::nodes);
  story.calls(1);                                                           // 1
  story.gets(0, 1, "gets 4 bytes \"lock\"", 1);                             // 2
  story.calls(2);                                                           // 3
  story.gets(0, 2, "gets 6 bytes \"unlock\"", 3);                           // 4
  story.calls(2);                                                           // 5
  story.gets(0, 2, "gets 4 bytes \"lock\"", 5);                             // 6
  story.calls(1);                                                           // 7
  story.gets(0, 1, "gets 4 bytes \"lock\" from One#1:8 at Server#0:7", 7);  // 8
  story.calls(0);                                                           // 9
  story.gets(1, 0, "gets 4 bytes \"busy\" from Server#0:7 at One#1:8", 9);  // 10
  const Why why = story.ends(OutcomeKind::assertion, 1);
  EXPECT_EQ(why.pattern, "changed-between");
  EXPECT_EQ(numbers(why), (Lines{"gets 2", "gets 4", "gets 6", "gets 8", "gets 10"}));
}

}  // namespace
}  // namespace ricercar::inline report
