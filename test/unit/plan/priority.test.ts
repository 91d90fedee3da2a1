// Checks `_meta.priority` in the log phase, the one that several plugins share.
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
  it("plugins of one phase run by their own priority, not in the order of the configuration", () => {
    expect(logging()).toEqual(["broker-logger", "syslog"]);
  });

  it("plugins of one phase run by _meta.priority if it is set, the highest first", () => {
    expect(logging({ syslog: 404 })).toEqual(["syslog", "broker-logger"]);
    expect(logging({ broker: 400 })).toEqual(["syslog", "broker-logger"]);
    expect(logging({ syslog: 404, broker: 405 })).toEqual(["broker-logger", "syslog"]);
  });

  it("plugins with equal _meta.priority run by their own priority", () => {
    expect(logging({ syslog: 403 })).toEqual(["broker-logger", "syslog"]);
  });
});
