import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ControlMessageHandler, type Generations } from "../../../runtime/process/control-messages.js";
import type { ToControl, ToWorker } from "../../../runtime/process/messages.js";
import {
  isQuarantined,
  quarantineRoute,
  releaseRoutes,
} from "../../../runtime/proxy/host/execution-marker.js";

const generations = {
  trace() {},
  hold: quarantineRoute,
  releaseRoutes,
  discard() {},
  activate() {},
  prepare: async () => {},
} as Partial<Generations> as Generations;

/** Worker with a record of its calls to the acceptor. */
function worker() {
  const accepted: boolean[] = [];
  const acceptor = {
    async accept(on: boolean) {
      accepted.push(on);
    },
  };
  const serving = new ControlMessageHandler(generations, acceptor, { worker: 0, pid: 1 }, () => {});
  const asked = (message: ToWorker) =>
    new Promise<ToControl>((resolve) => {
      serving.handle(message, resolve);
    });
  const goLive = async () => {
    await asked({ type: "prepare", generation: 2, delta: delta() });
    await asked({ type: "activate", generation: 2 });
  };
  return { accepted, serving, asked, goLive };
}

function delta() {
  const directory = mkdtempSync(join(tmpdir(), "gwc-serving-"));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const line = `${JSON.stringify({ generation: 2, base: 1, delta: { planHash: "x" } })}\n`;
  writeFileSync(join(directory, "log"), line);
  return { file: join(directory, "log"), offset: 0, length: Buffer.byteLength(line) };
}

it("a worker that paused accepts connections again without control", async () => {
  const { accepted, serving, asked, goLive } = worker();
  await goLive();
  await asked({ type: "accept", on: true });
  serving.handle({ type: "accept", on: false }, () => {});
  await expect.poll(() => accepted).toEqual([true, false]);
  serving.controlLost();
  serving.controlLost();
  expect(accepted).toEqual([true, false, true]);
  expect(serving.hello()).toMatchObject({ generation: 2, accepting: true });
});

it("a worker without a generation accepts no connections without control", () => {
  const { accepted, serving } = worker();
  serving.controlLost();
  expect(accepted).toEqual([]);
});

it("a worker ends quarantines of an earlier control, which the next control could not end", () => {
  const { serving } = worker();
  serving.handle({ type: "hold", route: "shop", ms: 10_000 }, () => {});
  expect(isQuarantined("shop")).toBe(true);
  serving.hello();
  expect(isQuarantined("shop")).toBe(false);
});
