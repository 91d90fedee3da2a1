import { setTimeout as pause } from "node:timers/promises";
import { DurableHarness } from "./durable-harness.js";
import { RecordReceiver } from "./record-receiver.js";
import { UniqueLoad } from "./unique-load.js";

/** What became of the requests of a proof. */
export interface ProofResult {
  answered: number;
  refused: number;
  failed: number;
  received: number;
  duplicated: number;
  lost: number;
  /** With `ack: log`: milliseconds before a kill -9 at which the earliest lost record was answered. */
  earliestLossMs: number;
}

/** Milliseconds between two blows, and what they are. */
type Blow = "workers" | "control" | "all" | "receiver";

/**
 * Loads a gateway that logs durably to a receiver, and kills one after the other: its processes and the receiver.
 * @param rounds how often each blow falls
 */
export async function prove(ack: "log" | "response", rounds: number, everyMs: number): Promise<ProofResult> {
  const receiver = new RecordReceiver();
  await receiver.start();
  const stand = await DurableHarness.start({
    ack,
    plugins: (settings) => ({
      syslog: {
        host: "127.0.0.1",
        port: receiver.port,
        delivery: "durable",
        log_format: { path: "$uri" },
        ...settings,
      },
    }),
  });
  const load = new UniqueLoad(stand.port, { connections: 8, pauseMs: 1 });
  const kills: number[] = [];
  try {
    for (let round = 0; round < rounds; round++)
      for (const blow of ["receiver", "workers", "control", "receiver", "all"] as const) {
        await pause(everyMs);
        await strike(blow, stand, receiver, kills);
      }
    await pause(everyMs);
    await load.stop();
    if (!receiver.isUp) await receiver.start();
    await arrived(load, receiver, ack === "log" ? kills : []);
    return resultOf(load, receiver, kills);
  } finally {
    await load.stop();
    await stand.end();
    await receiver.kill();
  }
}

async function strike(
  blow: Blow,
  stand: DurableHarness,
  receiver: RecordReceiver,
  kills: number[],
): Promise<void> {
  if (blow === "receiver") return receiver.isUp ? receiver.kill() : receiver.start();
  if (blow === "control") kills.push(await stand.killControl());
  else if (blow === "workers") {
    kills.push(await stand.killWorkers());
    await pause(100);
    await stand.ready();
  } else {
    kills.push(await stand.killAll());
    await stand.open();
  }
}

/** Milliseconds before a kill in which records may be lost with `ack: log`, with room for a machine that is busy. */
const WINDOW_MS = 1_000;

const missing = (load: UniqueLoad, receiver: RecordReceiver) =>
  [...load.answered].filter(([path]) => !receiver.byPath.has(path));

/** A worker needs longer to start: what the client has read until then, the killed one had answered. */
const READ_LATE_MS = 50;

/** Milliseconds from an answer to the next kill. */
const untilKill = (at: number, kills: readonly number[]) =>
  Math.min(
    ...kills.map((kill) => (kill >= at - READ_LATE_MS ? Math.max(0, kill - at) : Number.POSITIVE_INFINITY)),
  );

/** Waits until everything that must come has come, for 30 s at most. */
async function arrived(load: UniqueLoad, receiver: RecordReceiver, kills: readonly number[]): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await pause(100)) {
    const open = missing(load, receiver).filter(([, at]) => untilKill(at, kills) > WINDOW_MS);
    if (open.length === 0) break;
  }
  // Copies of a batch that was sent twice.
  await pause(500);
}

function resultOf(load: UniqueLoad, receiver: RecordReceiver, kills: readonly number[]): ProofResult {
  const lost = missing(load, receiver);
  return {
    answered: load.answered.size,
    refused: load.refused,
    failed: load.failed,
    received: receiver.copies.size,
    duplicated: receiver.duplicates,
    lost: lost.length,
    earliestLossMs: Math.max(0, ...lost.map(([, at]) => untilKill(at, kills))),
  };
}
