/**
 * `SlidingWindow` in Lua, for several keys in turn: reading, counting and expiry are one step for every replica. The
 * time is that of Redis, which they share; the first argument is for tests, which have a clock of their own. Each key
 * comes with limit, length of window, and hits: 1, 0 for a look, -1 to take the newest one back.
 */
export const WINDOW_SCRIPT = `
local SLOTS = 10
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end

local function hit(key, limit, window, hits)
  local slot_ms = window / SLOTS
  local origin, slot, counts, used = now, 0, { 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 0
  local kept = redis.call('GET', key)
  if kept then
    origin, slot, counts = unpack(cmsgpack.unpack(kept))
    local present = math.max(slot, math.floor((now - origin) / slot_ms))
    for begun = math.max(slot + 1, present - SLOTS + 1), present do counts[begun % SLOTS + 1] = 0 end
    slot = present
    for _, count in ipairs(counts) do used = used + count end
    if used == 0 then origin, slot = now, 0 end
  end

  local allowed = used < limit
  if allowed and hits > 0 then
    counts[slot % SLOTS + 1] = counts[slot % SLOTS + 1] + hits
    used = used + hits
    redis.call('SET', key, cmsgpack.pack({ origin, slot, counts }), 'PX', window)
  end

  if hits < 0 and used > 0 then
    local newest = slot
    while counts[newest % SLOTS + 1] == 0 do newest = newest - 1 end
    counts[newest % SLOTS + 1] = counts[newest % SLOTS + 1] - 1
    used = used - 1
    if used == 0 then redis.call('DEL', key) else redis.call('SET', key, cmsgpack.pack({ origin, slot, counts }), 'PX', window) end
  end

  local oldest = math.max(0, slot - SLOTS + 1)
  while oldest < slot and counts[oldest % SLOTS + 1] == 0 do oldest = oldest + 1 end
  return allowed and 1 or 0, used, math.min(window, origin + (oldest + SLOTS) * slot_ms - now)
end

local standings = {}
for i, key in ipairs(KEYS) do
  local limit, window, hits = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i]), tonumber(ARGV[3 * i + 1])
  standings[3 * i - 2], standings[3 * i - 1], standings[3 * i] = hit(key, limit, window, hits)
end
return standings
`;
