import { setTimeout as pause } from "node:timers/promises";
import { DurableHarness } from "./durable-harness.js";
import { RecordReceiver } from "./record-receiver.js";
import { UniqueLoad } from "./unique-load.js";

/** Results of the requests of a proof. */
export interface ProofResult {
  answered: number;
  refused: number;
  failed: number;
  received: number;
  duplicated: number;
  lost: number;
  /** With `ack: log`: longest time in ms from the response of a lost record to the kill -9. */
  earliestLossMs: number;
}

type Blow = "workers" | "control" | "all" | "receiver";

/**
 * Loads a gateway that logs durably to a receiver, and kills its processes and the receiver in turn.
 * @param rounds number of kills of each kind
 */
export async function prove(ack: "log" | "response", rounds: number, everyMs: number): Promise<ProofResult> {
  const receiver = new RecordReceiver();
  await receiver.start();
  const harness = await DurableHarness.start({
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
  const load = new UniqueLoad(harness.port, { connections: 8, pauseMs: 1 });
  const kills: number[] = [];
  try {
    for (let round = 0; round < rounds; round++)
      for (const blow of ["receiver", "workers", "control", "receiver", "all"] as const) {
        await pause(everyMs);
        await strike(blow, harness, receiver, kills);
      }
    await pause(everyMs);
    await load.stop();
    if (!receiver.isUp) await receiver.start();
    await arrived(load, receiver, ack === "log" ? kills : []);
    return resultOf(load, receiver, kills);
  } finally {
    await load.stop();
    await harness.end();
    await receiver.kill();
  }
}

async function strike(
  blow: Blow,
  harness: DurableHarness,
  receiver: RecordReceiver,
  kills: number[],
): Promise<void> {
  if (blow === "receiver") return receiver.isUp ? receiver.kill() : receiver.start();
  if (blow === "control") kills.push(await harness.killControl());
  else if (blow === "workers") {
    kills.push(await harness.killWorkers());
    await pause(100);
    await harness.ready();
  } else {
    kills.push(await harness.killAll());
    await harness.open();
  }
}

/**
 * Time in ms before a kill in which records may be lost with `ack: log`, with a margin for a busy machine.
 */
const WINDOW_MS = 1_000;

const missing = (load: UniqueLoad, receiver: RecordReceiver) =>
  [...load.answered].filter(([path]) => !receiver.byPath.has(path));

/**
 * Time in ms after a kill. A worker needs longer to start, so a response read until then came from the killed
 * one.
 */
const READ_LATE_MS = 50;

/** Time in ms from a response to the next kill. */
const untilKill = (at: number, kills: readonly number[]) =>
  Math.min(
    ...kills.map((kill) => (kill >= at - READ_LATE_MS ? Math.max(0, kill - at) : Number.POSITIVE_INFINITY)),
  );

/** Waits until all required records have arrived, for 30 s at most. */
async function arrived(load: UniqueLoad, receiver: RecordReceiver, kills: readonly number[]): Promise<void> {
  for (const end = Date.now() + 30_000; Date.now() < end; await pause(100)) {
    const open = missing(load, receiver).filter(([, at]) => untilKill(at, kills) > WINDOW_MS);
    if (open.length === 0) break;
  }
  // Copies of a batch that was sent twice may follow.
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
