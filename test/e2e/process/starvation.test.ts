import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { cpus } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
const busy: ChildProcess[] = [];

const absent = spawnSync("chrt", ["--version"]).status === 0 ? undefined : "chrt is not installed";

beforeEach(async () => {
  gateway = await ProcessGateway.start({
    routes: [{ id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:9": 1 } } }],
  });
});
afterEach(async () => {
  for (const process of busy.splice(0)) process.kill("SIGKILL");
  await gateway.end();
});

const pids = async () => (await gateway.workers()).map(({ pid }) => pid);

describe.skipIf(absent !== undefined)(
  `a machine with no processor to spare${absent ? ` (${absent})` : ""}`,
  () => {
    it("ends no idle worker for the time that it was not let run", async () => {
      const before = await pids();
      // The main thread alone is scheduled only when nobody else would run, beside four who always would for each processor.
      for (const pid of before)
        expect(spawnSync("chrt", ["--idle", "--pid", "0", String(pid)]).status).toBe(0);
      for (const _ of Array.from({ length: 4 * cpus().length }))
        busy.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
      await pause(8_000);
      for (const process of busy.splice(0)) process.kill("SIGKILL");
      expect(await pids()).toEqual(before);
      expect(gateway.log("process_stalled")).toEqual([]);
      expect(gateway.log("child_silent")).toEqual([]);
    });
  },
);
