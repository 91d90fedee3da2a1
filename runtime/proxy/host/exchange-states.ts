/**
 * State of an exchange with an upstream. `connecting`: until the request's head is handed over; `sending`:
 * until the response's head arrives; `answered`: while plugins process it. Then the body is `passing`,
 * `filtering` or omitted (`bodiless`); `finishing`: the upstream has ended, the filters have not. `draining`:
 * the client has its whole response, and the rest of the upstream's body is read to keep the connection.
 * Small integers, since each piece of a body reads them; up to `sending` no response has come.
 */
export const STATE = {
  connecting: 0,
  sending: 1,
  answered: 2,
  passing: 3,
  filtering: 4,
  finishing: 5,
  bodiless: 6,
  draining: 7,
  tunnel: 8,
  done: 9,
} as const;
export type StateName = keyof typeof STATE;

export const EVENT = {
  sent: 0,
  /** An attempt failed without a response, and a retry follows. */
  retried: 1,
  head: 2,
  /** Decisions about the body once the head has arrived: `passes` to `replaced`. */
  passes: 3,
  filters: 4,
  leftOut: 5,
  /** The client gets a body that is known already. */
  replaced: 6,
  /** A filter lets the rest of the body pass. */
  restPasses: 7,
  ended: 8,
  /** The filters have handed over the last of the body. */
  completed: 9,
  /** The unneeded rest of a body is larger than a connection is worth. */
  overflowed: 10,
  /** The response will not be complete, and no retry follows. */
  failed: 11,
  /** The gateway rejects the exchange: no node, a failed plugin, or a body that no filter accepts. */
  refused: 12,
  /** 101: client and upstream use a tunnel. */
  switched: 13,
  closed: 14,
  /** The client has disconnected. */
  gone: 15,
} as const;
export type EventName = keyof typeof EVENT;

/** Event without effect, which was in progress when the exchange ended. */
export const IGNORED = 14;
/** Internal error: it is only reported, since one broken exchange must not affect others. */
export const IMPOSSIBLE = 15;

/** Transitions. A missing entry is impossible; `done` ignores all events. */
const TABLE: Readonly<Record<EventName, Partial<Record<StateName, StateName | "ignored">>>> = {
  sent: { connecting: "sending" },
  retried: { connecting: "connecting", sending: "connecting" },
  head: { sending: "answered" },
  passes: { answered: "passing" },
  filters: { answered: "filtering" },
  leftOut: { answered: "bodiless" },
  replaced: { answered: "draining" },
  restPasses: { filtering: "passing", finishing: "finishing" },
  ended: { passing: "done", filtering: "finishing", bodiless: "done", draining: "done" },
  completed: { finishing: "done" },
  overflowed: { bodiless: "done", draining: "done" },
  failed: {
    connecting: "done",
    sending: "done",
    passing: "done",
    filtering: "done",
    bodiless: "done",
    draining: "done",
  },
  refused: { connecting: "done", answered: "done", filtering: "done", finishing: "done" },
  switched: { sending: "tunnel" },
  closed: { tunnel: "done" },
  // The client is no longer observed after its response; a tunnel observes it itself.
  gone: {
    connecting: "done",
    sending: "done",
    answered: "done",
    passing: "done",
    filtering: "done",
    finishing: "done",
    bodiless: "done",
    draining: "ignored",
  },
};

export const STATE_NAMES = Object.keys(STATE) as StateName[];
export const EVENT_NAMES = Object.keys(EVENT) as EventName[];

/** `TABLE` by `event << 4 | state`. */
const NEXT = new Uint8Array(EVENT_NAMES.length << 4).fill(IMPOSSIBLE);
for (const event of EVENT_NAMES)
  for (const state of STATE_NAMES) {
    const next = state === "done" ? "ignored" : TABLE[event][state];
    if (next !== undefined)
      NEXT[(EVENT[event] << 4) | STATE[state]] = next === "ignored" ? IGNORED : STATE[next];
  }

/** Returns the next state, `IGNORED` or `IMPOSSIBLE`. */
export function nextState(state: number, event: number): number {
  return NEXT[(event << 4) | state] as number;
}
