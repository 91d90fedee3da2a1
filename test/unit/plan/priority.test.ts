// `_meta.priority` orders the plugins of one phase: the log phase is the one that several plugins share.
import { describe, expect, it } from "vitest";
import { planned } from "./planned.js";

const broker = { brokers: [{ host: "127.0.0.1", port: 9092 }], broker_topic: "t" };
const syslog = { host: "127.0.0.1", port: 514 };
const logging = (priorities: { broker?: number; syslog?: number } = {}) => {
  const meta = (priority: number | undefined) => (priority === undefined ? {} : { _meta: { priority } });
  const { codes, pipeline } = planned({
    plugins: {
      syslog: { ...syslog, ...meta(priorities.syslog) },
      "broker-logger": { ...broker, ...meta(priorities.broker) },
    },
  });
  expect(codes).toEqual([]);
  return pipeline?.steps.filter(({ phase }) => phase === "log").map(({ plugin }) => plugin);
};

describe("plugins of one phase", () => {
  it("run by their nominal priority, whatever the order they are written in", () => {
    expect(logging()).toEqual(["broker-logger", "syslog"]);
  });

  it("run by _meta.priority instead, the highest first", () => {
    expect(logging({ syslog: 404 })).toEqual(["syslog", "broker-logger"]);
    expect(logging({ broker: 400 })).toEqual(["syslog", "broker-logger"]);
    expect(logging({ syslog: 404, broker: 405 })).toEqual(["broker-logger", "syslog"]);
  });

  it("run in the order of the list where priorities are equal", () => {
    expect(logging({ syslog: 403 })).toEqual(["broker-logger", "syslog"]);
  });
});
