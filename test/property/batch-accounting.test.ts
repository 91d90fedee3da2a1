import fc from "fast-check";
import { expect, it } from "vitest";
import { SendError } from "../../runtime/abi/delivery.js";
import { batchOn, ManualSink } from "../support/log-harness.js";
import { runs } from "../support/runs.js";

type Step =
  | { do: "push"; count: number; length: number; route: number }
  | { do: "succeed" }
  | { do: "fail"; delivered: number; refused: number[] }
  | { do: "wait"; ms: number }
  | { do: "limit"; entries: number | undefined };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constant("push" as const),
    count: fc.integer({ min: 1, max: 9 }),
    length: fc.integer({ min: 0, max: 60 }),
    route: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ do: fc.constant("succeed" as const) }),
  fc.record({
    do: fc.constant("fail" as const),
    delivered: fc.nat(8),
    refused: fc.array(fc.nat(8), { maxLength: 3 }),
  }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.integer({ min: 0, max: 7_000 }) }),
  fc.record({
    do: fc.constant("limit" as const),
    entries: fc.option(fc.integer({ min: 1, max: 30 }), { nil: undefined }),
  }),
);

const settings = fc.record({
  batchMaxSize: fc.integer({ min: 1, max: 8 }),
  inactiveTimeout: fc.integer({ min: 1, max: 5 }),
  bufferDuration: fc.integer({ min: 1, max: 5 }),
  maxRetryCount: fc.integer({ min: 0, max: 2 }),
  retryDelay: fc.integer({ min: 0, max: 2 }),
  maxPendingEntries: fc.integer({ min: 1, max: 20 }),
  maxPendingBytes: fc.integer({ min: 1, max: 500 }),
});

type Harness = ReturnType<typeof batchOn<ManualSink>>;

/** Sum of a metric family over its routes and reasons. */
function total({ metrics }: Harness, family: string): number {
  const found = metrics.snapshot().find(({ name }) => name === family);
  return (found?.series ?? []).reduce((sum, { value }) => sum + value, 0);
}

function expectBalanced(harness: Harness): void {
  const { pushed, sent, pending, dropped, pendingBytes } = harness.batch.counts;
  expect(pushed).toBe(sent + pending + dropped);
  expect(pendingBytes === 0 || pending > 0).toBe(true);
  expect(total(harness, "gw_log_entries_pushed_total")).toBe(pushed);
  expect(total(harness, "gw_log_entries_sent_total")).toBe(sent);
  expect(total(harness, "gw_log_entries_dropped_total")).toBe(dropped);
  expect(total(harness, "gw_log_pending_entries")).toBe(pending);
  expect(total(harness, "gw_log_pending_bytes")).toBe(pendingBytes);
  expect(harness.sink.underWay).toBeLessThanOrEqual(1);
}

async function take(harness: Harness, one: Step): Promise<void> {
  if (one.do === "push")
    for (let i = 0; i < one.count; i++) harness.push("x".repeat(one.length), `r${one.route}`);
  else if (one.do === "succeed") harness.sink.answer();
  else if (one.do === "fail") harness.sink.answer(new SendError("failed", one.delivered, one.refused));
  else if (one.do === "limit") harness.batch.limit(one.entries);
  await harness.clock.advance(one.do === "wait" ? one.ms : 0);
}

it("a batch processor counts every pushed entry as sent, pending or dropped, whatever happens", async () => {
  await fc.assert(
    fc.asyncProperty(
      settings,
      fc.array(step, { maxLength: 40 }),
      fc.integer({ min: 0, max: 3_000 }),
      async (own, steps, deadline) => {
        const harness = batchOn(new ManualSink(), own);
        for (const one of steps) {
          await take(harness, one);
          expectBalanced(harness);
          expect(harness.batch.counts.pendingBytes).toBeLessThanOrEqual(own.maxPendingBytes);
        }
        const drained = harness.batch.drain(deadline);
        await harness.clock.advance(deadline + 1_000);
        await drained;
        expectBalanced(harness);
        expect(harness.batch.counts.pending).toBe(0);
        expect(total(harness, "gw_batch_process_entries")).toBe(0);
      },
    ),
    { numRuns: runs(300) },
  );
});

it("a batch processor sends every entry once and in order while nothing fails", async () => {
  const events = fc.array(fc.oneof(fc.constant("push"), fc.constant("succeed"), fc.constant("wait")), {
    maxLength: 60,
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 }), events, async (batchMaxSize, all) => {
      const harness = batchOn(new ManualSink(), { batchMaxSize });
      let pushed = 0;
      for (const event of all) {
        if (event === "push") harness.push(String(pushed++));
        else if (event === "succeed") harness.sink.answer();
        await harness.clock.advance(event === "wait" ? 3_000 : 0);
      }
      const drained = harness.batch.drain(10_000);
      for (let i = 0; i < all.length + 1; i++) {
        await harness.clock.advance(0);
        harness.sink.answer();
      }
      await drained;
      expect(harness.sink.sent.flat()).toEqual(Array.from({ length: pushed }, (_, i) => String(i)));
    }),
    { numRuns: runs(200) },
  );
});
