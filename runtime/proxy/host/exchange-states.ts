/**
 * Where an exchange with an upstream is, and what may happen there: `connecting` until the request's head is given away,
 * `sending` until the response's head comes, `answered` while its plugins see that. Then it is responding, in one of four ways:
 * the body is `passing` or `filtering`, or it is to be left out (`bodiless`); `finishing`: the upstream has ended, the filters
 * have not. `draining`: the client has its whole response, and the upstream's body is read to its end to keep the connection.
 * Small integers, since each piece of a body asks for them; up to `sending` no response has come.
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
  /** The head of the request has been given to the connection. */
  sent: 0,
  /** An attempt has failed without a response, and there is another. */
  retried: 1,
  /** The final head of the response has come. */
  head: 2,
  /** What is done with the body: four decisions about a response whose head has come. */
  passes: 3,
  filters: 4,
  leftOut: 5,
  /** The client gets a body that is known already. */
  replaced: 6,
  /** A filter lets the rest of the body pass. */
  restPasses: 7,
  /** The response of the upstream is complete. */
  ended: 8,
  /** Filters have handed over the last of the body. */
  completed: 9,
  /** More of a body came that nobody wants than a connection is worth. */
  overflowed: 10,
  /** There will be no whole response, and no other attempt. */
  failed: 11,
  /** The gateway cannot or will not go on: no node, a plugin that failed, a body that no filter takes. */
  refused: 12,
  /** 101: client and upstream talk to each other. */
  switched: 13,
  /** The tunnel has been closed. */
  closed: 14,
  /** The client has gone. */
  gone: 15,
} as const;
export type EventName = keyof typeof EVENT;

/** Nothing comes of it: it was under way when the exchange ended. */
export const IGNORED = 14;
/** A fault of ours: nothing comes of it but a report, since an exchange that is done for must not take others with it. */
export const IMPOSSIBLE = 15;

/** What is in no row is impossible; in `done` everything is ignored. */
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
  // Nobody listens to the client any more once it has its response; a tunnel hears of it itself.
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

const STATE_NAMES = Object.keys(STATE) as StateName[];
const EVENT_NAMES = Object.keys(EVENT) as EventName[];

/** The table by `event << 4 | state`. */
const NEXT = new Uint8Array(EVENT_NAMES.length << 4).fill(IMPOSSIBLE);
for (const event of EVENT_NAMES)
  for (const state of STATE_NAMES) {
    const next = state === "done" ? "ignored" : TABLE[event][state];
    if (next !== undefined)
      NEXT[(EVENT[event] << 4) | STATE[state]] = next === "ignored" ? IGNORED : STATE[next];
  }

/** The state that an event leads to, `IGNORED` or `IMPOSSIBLE`. */
export function nextState(state: number, event: number): number {
  return NEXT[(event << 4) | state] as number;
}

export function stateName(state: number): StateName {
  return STATE_NAMES[state] as StateName;
}

export function eventName(event: number): EventName {
  return EVENT_NAMES[event] as EventName;
}
