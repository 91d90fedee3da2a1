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
 * Time without a processor, in ms: above the limits of 1 s (watchdog) and 2 s (an answer), below the 5 s that a watchdog waits for a
 * main thread that gets nothing at all, as happens on a machine with other work.
 */
const STARVED_MS = 3_500;

/** Starves the main threads of these: nice 19 beside four busy processes for each processor gives 0.4 % of one. */
function starve(workers: readonly number[]): void {
  // The id of a process is that of its main thread, and nothing but that thread gets the priority.
  for (const pid of workers) setPriority(pid, constants.priority.PRIORITY_LOW);
  for (const _ of Array.from({ length: 4 * cpus().length }))
    busy.push(spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
}

function relieve(): void {
  for (const process of busy.splice(0)) process.kill("SIGKILL");
}

describe("a machine with no processor to spare", () => {
  it("ends no idle worker for the time that it was not let run", async () => {
    const before = await pids();
    starve(before);
    await pause(STARVED_MS);
    relieve();
    expect(await pids()).toEqual(before);
    expect(gateway.log("process_stalled")).toEqual([]);
    expect(gateway.log("child_unresponsive")).toEqual([]);
  });

  it("ends no worker that owes an answer to a write while it is not let run, and accepts the write", async () => {
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
