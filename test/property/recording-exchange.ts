import type { BodyFilter, Exchange } from "../../runtime/abi/exchange.js";
import type { HeaderEdits } from "../../runtime/abi/text/header-edits.js";

/** An exchange that records the calls of a module. `args` is the result of `arg()`, unless empty. */
export interface RecordingExchange extends Exchange {
  args: string;
  readonly calls: (readonly string[])[];
  body: string | undefined;
  filter: BodyFilter | undefined;
}

export function recordingExchange(): RecordingExchange {
  const calls: (readonly string[])[] = [];
  const headers = {
    get: () => undefined,
    set: (...args: string[]) => calls.push(["set", ...args]),
    append: (...args: string[]) => calls.push(["append", ...args]),
    prepend: (...args: string[]) => calls.push(["prepend", ...args]),
    delete: (...args: string[]) => calls.push(["delete", ...args]),
    edit: ({ all }: HeaderEdits) => {
      for (const { action, lower, line } of all)
        calls.push(line === undefined ? ["delete", lower] : [action, line.name, line.value]);
    },
  };
  const x = {
    calls,
    args: "",
    remoteAddr: "192.0.2.1",
    body: undefined as string | undefined,
    filter: undefined as BodyFilter | undefined,
    arg: () => x.args || undefined,
    request: { headers },
    upstream: { target: "/", host: undefined, method: "GET", headers, requestFullBody: () => {} },
    response: {
      status: 200,
      headers,
      replaceBody: (body: string) => {
        x.body = body;
      },
      filterBody: (filter: BodyFilter) => {
        x.filter = filter;
      },
    },
  };
  return x as unknown as RecordingExchange;
}
