// What Redis does for a pool in one go: Redis runs a script as a whole or not at all, and writes it
// to its append-only file as one transaction.
//
// The keys are, in all of them: 1 the search, 2 its items, 3 its log, 4 the earlier part of that in
// a smaller form, 5 who leads it, 6 who works on it, 7 that it is over, 8 who has begun with which
// item. The first argument is the number of the search, which is also the name of the group of
// those who work on its items.
//
// When Redis has no room left, only what makes new items is refused: results always get in, and
// what gives room back.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace ricercar::inline pool {

enum class Script : std::uint8_t {
  create,
  lead,
  renew_lead,
  hand_out,
  withdraw,
  shorten,
  finish,
  leave,
  begin,
  complete,
  renew,
  release,
  set_aside,
  agree,
  note,
  count,
};

inline constexpr std::string_view lua_not_when_full = "#!lua\n";
inline constexpr std::string_view lua_when_full = "#!lua flags=allow-oom\n";

// What a leader does who has lost the lead has no effect.
inline constexpr std::string_view lua_only_leader = R"(
if redis.call('GET', KEYS[5]) ~= ARGV[2] then return redis.error_reply('-NOLEAD another one leads') end
)";

// An item is in the list of those that are pending exactly once until it is acknowledged, whoever
// has it by then: so whoever acknowledges it is the first, and only what comes from the first
// counts.
inline constexpr std::string_view lua_items = R"(
local function is_first(item)
  if redis.call('XACK', KEYS[2], ARGV[1], item) == 0 then return false end
  redis.call('XDEL', KEYS[2], item)
  redis.call('HDEL', KEYS[8], item)
  return true
end
local function begin(item, attempt)
  if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then return end
  if #redis.call('XPENDING', KEYS[2], ARGV[1], item, item, 1) == 0 then return end
  local attempts = redis.call('HGET', KEYS[8], item) or ''
  if string.find(attempts, attempt, 1, true) then return end
  redis.call('HSET', KEYS[8], item, attempts .. attempt .. ' ')
end
)";

inline constexpr std::string_view lua_is_mine = R"(
local function is_mine(item)
  local pending = redis.call('XPENDING', KEYS[2], ARGV[1], item, item, 1)
  return #pending == 1 and pending[1][2] == ARGV[2], pending
end
)";

struct ScriptText {
  std::string_view flags;
  std::string_view common;
  std::string_view own;
};

inline constexpr std::array<ScriptText, static_cast<std::size_t>(Script::count)> script_texts = {{
    // create: fields and values of the search. 0: there is one already.
    {lua_not_when_full, "", R"(
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('DEL', KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[8])
redis.call('HSET', KEYS[1], 'number', ARGV[1], unpack(ARGV, 2))
redis.call('XGROUP', 'CREATE', KEYS[2], ARGV[1], '0', 'MKSTREAM')
return 1)"},
    // lead: token, who it is, milliseconds. Who leads now, if it is another one.
    {lua_when_full, "", R"(
local leader = redis.call('GET', KEYS[5])
if leader and leader ~= ARGV[2] then return redis.call('HGET', KEYS[1], 'leader') or '' end
if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then return redis.error_reply('-NOSEARCH it is gone') end
redis.call('SET', KEYS[5], ARGV[2], 'PX', ARGV[4])
redis.call('HSET', KEYS[1], 'leader', ARGV[3])
return false)"},
    // renew_lead: token, milliseconds, fields and values of the search. How many processes work on
    // it; -1: it is to be stopped.
    {lua_when_full, lua_only_leader, R"(
redis.call('PEXPIRE', KEYS[5], ARGV[3])
if #ARGV > 3 then redis.call('HSET', KEYS[1], unpack(ARGV, 4)) end
if redis.call('HEXISTS', KEYS[1], 'stop') == 1 then return -1 end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[6], '-inf', now)
local jobs = 0
for _, worker in ipairs(redis.call('ZRANGE', KEYS[6], 0, -1)) do
  jobs = jobs + (tonumber(string.match(worker, '(%d+)$')) or 0)
end
return jobs)"},
    // hand_out: token, then of each item its number, its checksum, itself. Their names.
    {lua_not_when_full, lua_only_leader, R"(
local names = {}
for i = 3, #ARGV, 3 do
  names[#names + 1] = redis.call('XADD', KEYS[2], '*', 'n', ARGV[i], 's', ARGV[i + 1], 'd', ARGV[i + 2])
end
return names)"},
    // withdraw: token, names of items.
    {lua_when_full, lua_only_leader, R"(
for i = 3, #ARGV do
  redis.call('XACK', KEYS[2], ARGV[1], ARGV[i])
  redis.call('XDEL', KEYS[2], ARGV[i])
  redis.call('HDEL', KEYS[8], ARGV[i])
end
return 1)"},
    // shorten: token, the beginning of the log in a smaller form, the name behind that of its last
    // entry.
    {lua_when_full, lua_only_leader, R"(
redis.call('RPUSH', KEYS[4], ARGV[3])
redis.call('XTRIM', KEYS[3], 'MINID', ARGV[4])
return 1)"},
    // finish: token, seconds for which it is known that there was one.
    {lua_when_full, lua_only_leader, R"(
redis.call('SET', KEYS[7], 'it was over before this worker came', 'EX', ARGV[3])
return redis.call('DEL', KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[8]))"},
    // leave: token.
    {lua_when_full, lua_only_leader, R"(
return redis.call('DEL', KEYS[5]))"},
    // begin: items, each with the name of the attempt.
    {lua_when_full, lua_items, R"(
for i = 2, #ARGV, 2 do begin(ARGV[i], ARGV[i + 1]) end
return 1)"},
    // complete: item, its number, its checksum, what it has shown; then as in `begin`.
    {lua_when_full, lua_items, R"(
for i = 6, #ARGV, 2 do begin(ARGV[i], ARGV[i + 1]) end
if not is_first(ARGV[2]) then return 0 end
redis.call('XADD', KEYS[3], '*', 'k', 'result', 'n', ARGV[3], 's', ARGV[4], 'd', ARGV[5])
return 1)"},
    // renew: worker, milliseconds that it may be silent, its name in the list, items. Those that it
    // has lost.
    {lua_when_full, lua_is_mine, R"(
if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then return redis.error_reply('-NOGROUP it is gone') end
local time = redis.call('TIME')
redis.call('ZADD', KEYS[6], time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3], ARGV[4])
local lost = {}
for i = 5, #ARGV do
  if is_mine(ARGV[i]) then
    redis.call('XCLAIM', KEYS[2], ARGV[1], ARGV[2], 0, ARGV[i], 'JUSTID')
  else
    lost[#lost + 1] = ARGV[i]
  end
end
return lost)"},
    // release: worker, item, the attempt if that was none. Whoever asks next gets it.
    {lua_when_full, lua_is_mine, R"(
if not is_mine(ARGV[3]) then return 0 end
local attempts = redis.call('HGET', KEYS[8], ARGV[3])
if ARGV[4] and attempts then
  local first, last = string.find(attempts, ARGV[4] .. ' ', 1, true)
  if first then redis.call('HSET', KEYS[8], ARGV[3], string.sub(attempts, 1, first - 1) .. string.sub(attempts, last + 1)) end
end
redis.call('XCLAIM', KEYS[2], ARGV[1], '-', 0, ARGV[3], 'IDLE', 1000000000, 'JUSTID')
return 1)"},
    // set_aside: item, its number, its checksum, why.
    {lua_when_full, lua_items, R"(
if not is_first(ARGV[2]) then return 0 end
redis.call('XADD', KEYS[3], '*', 'k', 'aside', 'n', ARGV[3], 's', ARGV[4], 'd', ARGV[5])
return 1)"},
    // agree: field of the search, value. What the first one has said who was asked.
    {lua_when_full, "", R"(
if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then return redis.error_reply('-NOGROUP it is gone') end
redis.call('HSETNX', KEYS[1], ARGV[2], ARGV[3])
return redis.call('HGET', KEYS[1], ARGV[2]))"},
    // note: kind, text. To the leader, whatever it is.
    {lua_when_full, "", R"(
if redis.call('HGET', KEYS[1], 'number') ~= ARGV[1] then return redis.error_reply('-NOGROUP it is gone') end
redis.call('XADD', KEYS[3], '*', 'k', ARGV[2], 'd', ARGV[3])
return 1)"},
}};

}  // namespace ricercar::inline pool
