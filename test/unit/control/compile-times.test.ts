import { expect, it } from "vitest";
import type { CompilerThread } from "../../../compiler/thread/compiler-client.js";
import { timedCompiler } from "../../../runtime/control/metrics/gateway-metrics.js";

it("the duration of a load and a write is measured, even if it fails, but not that of other calls", async () => {
  const compiler = {
    load: async () => "loaded",
    write: async () => Promise.reject(new Error("the thread has ended")),
    plugins: async () => [],
  } as unknown as CompilerThread;
  const took: [string, boolean][] = [];
  const timed = timedCompiler(compiler, (work, seconds) => took.push([work, seconds >= 0 && seconds < 60]));
  expect(await timed.load([], [])).toBe("loaded");
  await expect(timed.write([])).rejects.toThrow("the thread has ended");
  expect(await timed.plugins()).toEqual([]);
  expect(took).toEqual([
    ["load", true],
    ["write", true],
  ]);
});
