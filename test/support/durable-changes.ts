import { setTimeout as pause } from "node:timers/promises";
import { DurableHarness } from "./durable-harness.js";
import { RecordReceiver } from "./record-receiver.js";
import { UniqueLoad } from "./unique-load.js";

export interface ChangesResult {
  changes: number;
  answered: number;
  refused: number;
  failed: number;
  received: number;
  duplicated: number;
  lost: number;
}

/** Changes settings of a durable logger repeatedly during requests; the changed settings alternate. */
export async function changeSettings(changes: number): Promise<ChangesResult> {
  const receiver = new RecordReceiver();
  await receiver.start();
  const plugins = (settings: object) => ({
    syslog: {
      host: "127.0.0.1",
      port: receiver.port,
      delivery: "durable",
      log_format: { path: "$uri" },
      ...settings,
    },
  });
  const harness = await DurableHarness.start({ ack: "log", plugins });
  const load = new UniqueLoad(harness.port, { connections: 4, pauseMs: 2 });
  try {
    for (let i = 0; i < changes; i++) {
      const settings = {
        timeout: 3_000 + i,
        ack: i % 3 === 0 ? "response" : "log",
        spool: { max_bytes: 1_073_741_824 - i },
      };
      await harness.put("/routes/changing", {
        uri: "/r/*",
        priority: 1,
        plugins: plugins(settings),
        upstream: harness.upstream,
      });
    }
    await load.stop();
    for (const end = Date.now() + 30_000; receiver.byPath.size < load.answered.size && Date.now() < end; )
      await pause(100);
    await pause(500);
    const lost = [...load.answered.keys()].filter((path) => !receiver.byPath.has(path));
    return {
      changes,
      answered: load.answered.size,
      refused: load.refused,
      failed: load.failed,
      received: receiver.copies.size,
      duplicated: receiver.duplicates,
      lost: lost.length,
    };
  } finally {
    await load.stop();
    await harness.end();
    await receiver.kill();
  }
}
