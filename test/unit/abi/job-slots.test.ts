import { expect, it } from "vitest";
import { JobSlots } from "../../../runtime/abi/job-thread.js";
import type { WhichRouteParts } from "../../../runtime/control/admin/operation.js";
import { whichRoute } from "../../../runtime/control/admin/which-route.js";

it("job slots reject an 18th job, and accept one again when a job has ended or failed", async () => {
  const slots = new JobSlots("jobs are running");
  const ends: ((how: "ended" | Error) => void)[] = [];
  const start = () =>
    slots.run(
      () =>
        new Promise<string>((resolve, reject) => {
          ends.push((how) => (how instanceof Error ? reject(how) : resolve(how)));
        }),
    );
  const jobs = Array.from({ length: 17 }, start);
  const rejected = start();
  expect([ends.length, slots.taken]).toEqual([17, "16 jobs are running already"]);
  expect(await rejected).toBeUndefined();
  ends[0]?.("ended");
  expect(await jobs[0]).toBe("ended");
  const next = start();
  expect(await start()).toBeUndefined();
  ends[1]?.(new Error("failed"));
  await expect(jobs[1]).rejects.toThrow("failed");
  const last = start();
  for (const end of ends) end("ended");
  expect(await Promise.all([...jobs.slice(2), next, last])).toEqual(Array(17).fill("ended"));
});

it("which_route rejects an 18th simultaneous question with 503 before its body is parsed", async () => {
  let parsed = 0;
  const parts: WhichRouteParts = {
    runner: { places: new JobSlots("requests are being tried"), run: () => new Promise(() => {}) },
    running: () => undefined,
  };
  const compiler = {
    readRequest: () => {
      parsed += 1;
      return new Promise<never>(() => {});
    },
  } as unknown as Parameters<typeof whichRoute>[1];
  for (let i = 0; i < 17; i++) void whichRoute(parts, compiler, '{"url":"/"}');
  const rejected = whichRoute(parts, compiler, '{"url":"/"}');
  expect(parsed).toBe(17);
  expect(await rejected).toMatchObject({
    status: 503,
    body: { error_msg: "16 requests are being tried already" },
  });
});
