import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { bind } from "../../../runtime/process/bind.js";
import { StartResponder } from "../../../runtime/process/start-responder.js";
import { startingAt } from "../../../runtime/process/starting.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { childrenOf } from "./gateway.js";

const MODULE = fileURLToPath(
  new URL("../../../.build/runtime/control/start-responder-main.js", import.meta.url),
);
const SERVING = { workers: 2, expected: 2, predecessor: false, stopping: false };

let responder: StartResponder | undefined;
afterEach(() => responder?.close());

it("a killed start responder is restarted and gives the same response", async () => {
  const port = await freePort();
  const listener = { ...bind({ host: "127.0.0.1", port, setting: "status" }), kind: "status" };
  responder = new StartResponder(MODULE);
  const others = new Set(childrenOf(process.pid));
  const own = () => childrenOf(process.pid).find((pid) => !others.has(pid));
  responder.open([listener], startingAt("control"), { serving: SERVING });
  const ready = () =>
    fetch(`http://127.0.0.1:${port}/status/ready`, { headers: { connection: "close" } })
      .then(async (response) => [response.status, await response.text()] as const)
      .catch(() => undefined);
  const before = await until(ready);
  expect(before[0]).toBe(200);
  for (let times = 0; times < 2; times++) {
    const pid = await until(own);
    process.kill(pid, "SIGKILL");
    await until(() => (own() ?? pid) !== pid || undefined);
    expect(await until(ready)).toEqual(before);
  }
  listener.handle.close();
});
