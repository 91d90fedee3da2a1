import { type ChildProcess, spawn } from "node:child_process";
import { constants, cpus, setPriority } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
const busy: ChildProcess[] = [];

beforeEach(async () => {
  gateway = await ProcessGateway.start({
    routes: [{ id: "r", uri: "/*", upstream: { nodes: { "127.0.0.1:9": 1 } } }],
  });
});
afterEach(async () => {
  relieve();
  await gateway.end();
});

const pids = async () => (await gateway.workers()).map(({ pid }) => pid);

/**
 * Time without CPU in ms: above the limits of 1 s (watchdog) and 2 s (a reply), below the 5 s after which a
 * watchdog ends a main thread that gets no CPU at all, as happens on a machine with other work.
 */
const STARVED_MS = 3_500;

/**
 * Starves the main threads of the workers: nice 19 with four busy processes for each CPU gives 0.4 % of one.
 */
function starve(workers: readonly number[]): void {
  // A process has the id of its main thread, so the priority applies to that thread only.
  for (const pid of workers) setPriority(pid, constants.priority.PRIORITY_LOW);
  for (const _ of Array.from({ length: 4 * cpus().length }))
    busy.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
}

function relieve(): void {
  for (const process of busy.splice(0)) process.kill("SIGKILL");
}

describe("a machine without spare CPU", () => {
  it("a starved idle worker is not ended", async () => {
    const before = await pids();
    starve(before);
    await pause(STARVED_MS);
    relieve();
    expect(await pids()).toEqual(before);
    expect(gateway.log("process_stalled")).toEqual([]);
    expect(gateway.log("child_unresponsive")).toEqual([]);
  });

  it("a starved worker is not ended while a write waits for it, and the write is accepted", async () => {
    const before = await pids();
    starve(before);
    const route = { uri: "/more", upstream: { nodes: { "127.0.0.1:9": 1 } } };
    const written = gateway.admin("PUT", "/routes/more", route);
    await pause(STARVED_MS);
    relieve();
    expect((await written).status).toBe(201);
    expect(gateway.log("worker_late")).toEqual([]);
    expect(gateway.log("process_stalled")).toEqual([]);
    expect(await pids()).toEqual(before);
  });
});
