import {
  type CaptchaSettings,
  type StateKind,
  type StatePlace,
  type StateStore,
  type StateUsage,
  StorageError,
} from "../contract.js";
import { type Budget, bytesOf } from "./holdings.js";
import { PREFIX, type RedisConnection } from "./redis-connection.js";
import { budgetsOf, perKind, tooLarge } from "./states.js";

/** Maximum for one put; Redis itself has dropped the expired values by then. */
const CLEARED = 50;
/** Maximum for one put, so that no script blocks the server for long. */
const DISPLACED = 500;

/**
 * Accounts that all nodes share. An entry: its place (`kind bytes network`). A kind: its total, its expiries
 * and the size of each network. A network: its entries in the order of eviction, idle ones first.
 */
const ACCOUNTS = `
local root = KEYS[1]
local function forget(name)
  local place = redis.call('hget', root .. 'places', name)
  if not place then return end
  local kind, bytes, network = string.match(place, '^(%S+) (%d+) (.*)$')
  redis.call('hdel', root .. 'places', name)
  redis.call('zrem', root .. 'order:' .. kind .. ':' .. network, name)
  redis.call('zrem', root .. 'ends:' .. kind, name)
  redis.call('decrby', root .. 'total:' .. kind, bytes)
  if tonumber(redis.call('zincrby', root .. 'networks:' .. kind, -tonumber(bytes), network)) <= 0 then
    redis.call('zrem', root .. 'networks:' .. kind, network)
  end
end`;

/** Evicts by the rule of store/holdings.ts. @returns the number of evicted entries */
const PUT = `${ACCOUNTS}
local name, text, ttl, kind, network, idle = ARGV[1], ARGV[2], tonumber(ARGV[3]), ARGV[4], ARGV[5], ARGV[6] == '1'
local bytes, most, entries = tonumber(ARGV[7]), tonumber(ARGV[8]), tonumber(ARGV[9])
local ownMost, ownEntries = tonumber(ARGV[10]), tonumber(ARGV[11])
local time = redis.call('time')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ends, networks, total = root .. 'ends:' .. kind, root .. 'networks:' .. kind, root .. 'total:' .. kind
for _, over in ipairs(redis.call('zrangebyscore', ends, '-inf', now, 'LIMIT', 0, ${CLEARED})) do forget(over) end
forget(name)
local gone = 0
local function displace(from)
  local oldest = redis.call('zrange', root .. 'order:' .. kind .. ':' .. from, 0, 0)[1]
  if not oldest then redis.call('zrem', networks, from) return end
  forget(oldest)
  redis.call('del', root .. 'state:' .. oldest)
  gone = gone + 1
end
local own = root .. 'order:' .. kind .. ':' .. network
while gone < ${DISPLACED} and redis.call('zcard', own) > 0 do
  local held = tonumber(redis.call('zscore', networks, network) or 0)
  if held + bytes <= ownMost and redis.call('zcard', own) < ownEntries then break end
  displace(network)
end
while gone < ${DISPLACED} do
  local held = tonumber(redis.call('get', total) or 0)
  if held + bytes <= most and redis.call('zcard', ends) < entries then break end
  local largest = redis.call('zrevrange', networks, 0, 0)[1]
  if not largest then redis.call('del', total) break end
  displace(largest)
end
redis.call('set', root .. 'state:' .. name, text, 'PX', ttl)
redis.call('hset', root .. 'places', name, kind .. ' ' .. ARGV[7] .. ' ' .. network)
redis.call('zadd', own, now + (idle and 0 or 1e14), name)
redis.call('zadd', ends, now + ttl, name)
redis.call('incrby', total, ARGV[7])
redis.call('zincrby', networks, ARGV[7], network)
return gone`;

/** @returns the text, which is removed */
const TAKE = `${ACCOUNTS}
local text = redis.call('getdel', root .. 'state:' .. ARGV[1])
forget(ARGV[1])
return text`;

/** Budgets apply to all nodes together; `maxmemory` of Redis bounds its overhead. */
export class RedisStates implements StateStore {
  readonly #connection: RedisConnection;
  readonly #budgets: Record<StateKind, Budget>;
  readonly #usage: Record<StateKind, StateUsage> = perKind(() => ({ evicted: 0 }));

  constructor(connection: RedisConnection, limits: CaptchaSettings["limits"]) {
    this.#connection = connection;
    this.#budgets = budgetsOf(limits);
  }

  async put(key: string, value: unknown, ttlMs: number, { kind, network, idle }: StatePlace): Promise<void> {
    const text = JSON.stringify(value);
    const { bytes: most, entries, share } = this.#budgets[kind];
    const bytes = bytesOf(key, text);
    if (bytes > most) throw tooLarge(kind);
    const ttl = Math.max(1, Math.ceil(ttlMs));
    const own = [Math.floor((most * share) / 100), Math.max(1, Math.floor((entries * share) / 100))];
    const gone = await this.#connection.run((redis) =>
      redis.eval(
        ...([PUT, 1, PREFIX, key, text, ttl, kind, network] as const),
        ...[idle === true ? 1 : 0, bytes, most, entries, ...own],
      ),
    );
    this.#usage[kind].evicted += Number(gone);
  }

  async get(key: string): Promise<unknown> {
    return parsed(await this.#connection.run((redis) => redis.get(`${PREFIX}state:${key}`)));
  }

  async take(key: string): Promise<unknown> {
    return parsed(await this.#connection.run((redis) => redis.eval(TAKE, 1, PREFIX, key)));
  }

  usage(): Record<StateKind, StateUsage> {
    return this.#usage;
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

function parsed(text: unknown): unknown {
  if (text === null) return undefined;
  if (typeof text !== "string") throw new StorageError("redis: not a text");
  return JSON.parse(text);
}
