import { setImmediate as roundOfTheLoop } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { RecordView } from "../../../runtime/abi/log.js";
import { recordText } from "../../../runtime/abi/text/record-text.js";
import { runToCompletion, type Steps } from "../../../runtime/http/time-slice.js";
import { bodyFields } from "../../../runtime/logging/body-text.js";
import type { LoggerSettings } from "../../../runtime/logging/logger-settings.js";
import { Placeholders } from "../../../runtime/logging/placeholders.js";
import { redactText } from "../../../runtime/logging/redact-text.js";
import { runInSlices } from "../../../runtime/logging/sliced-work.js";
import { finishedExchange, wholeBody } from "../../support/finished-exchange.js";
import { BATCH, ReadySink } from "../../support/log-harness.js";
import { openedLogger, type TestDestination } from "../../support/logger-harness.js";

const MB = 1_048_576;
/**
 * Limit for one step. Each takes 1 to 5 ms; the last, which joins a record of 14 MB, takes up to 25 on a slow
 * machine. A step that reads a whole body takes hundreds. The delay of a worker is measured by
 * `test/e2e/log/long-bodies.test.ts`.
 */
const LONGEST_MS = 100;
const NAMES = ["authorization", "x-key", "api_key"];
const VALUES = ["0123456789"];

const filled = (piece: string, bytes = 4 * MB) => piece.repeat(Math.ceil(bytes / piece.length));
const BODIES: [string, string][] = [
  ["JSON", filled('{"id":12345,"name":"somebody","tags":["a","b"]},')],
  ["150,000 masked members", filled('{"api_key":"abc","n":1},\n')],
  ["200,000 masked numbers of 3 names", filled('"api_key":1,"x-key":2,"authorization":3,')],
  ["400,000 masked values", filled("0123456789")],
  ["one masked text of quotes", `"api_key":"${filled('\\"')}`],
  ["one masked text of backslashes", `"api_key":"${filled("\\")}"`],
  ["one masked plain value", `\nx-key:${filled("a")}`],
  ["heads of parts without an end", filled('name="api_key"')],
  ["names and blanks", filled(`"api_key"${" ".repeat(1_000)}`)],
  ["what JSON has to escape", filled('\x01\x02"\\')],
  ["UTF-8", filled("\xc3\xa4\xf0\x9f\x98\x80")],
  ["bytes of no UTF-8", filled("\xff\x80\x80\x80\x80\xc3")],
];

/** Duration of the longest step in ms; each step counts with the shortest of up to twelve runs, to exclude noise. */
function longestStep(work: () => Steps<unknown>): { longest: number; steps: number } {
  const shortest: number[] = [];
  for (let run = 0; run < 12 && !(run >= 3 && Math.max(...shortest) < LONGEST_MS); run++) {
    const steps = work();
    for (let i = 0, done: boolean | undefined = false; !done; i++) {
      const before = performance.now();
      ({ done } = steps.next());
      shortest[i] = Math.min(shortest[i] ?? Number.POSITIVE_INFINITY, performance.now() - before);
    }
  }
  return { longest: Math.max(...shortest), steps: shortest.length };
}

describe("a body of 4 MB", () => {
  it.each(BODIES)("a body of 4 MB is redacted in steps of less than 100 ms: %s", (_, text) => {
    const { longest, steps } = longestStep(() => redactText(text, NAMES, VALUES));
    expect(steps).toBeGreaterThan(60);
    expect(longest).toBeLessThan(LONGEST_MS);
  });

  it.each(BODIES)("a body of 4 MB is written to a record in steps of less than 100 ms: %s", (_, text) => {
    const { longest, steps } = longestStep(() => {
      const placeholders = new Placeholders();
      const body = placeholders.of({ text, coding: "", truncated: false, size: text.length });
      return placeholders.filled(`{"text":"${body.text}"}`);
    });
    const record = longestStep(() => {
      const placeholders = new Placeholders();
      const body = placeholders.of({ text, coding: "", truncated: false, size: text.length });
      return placeholders.filled(`{${bodyFields(body)}}`);
    });
    expect(Math.min(steps, record.steps)).toBeGreaterThan(60);
    expect(Math.max(longest, record.longest)).toBeLessThan(LONGEST_MS);
  });

  it("a body of 256 kB is searched for a thousand names in steps of less than 100 ms", () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `x-secret-${i}`);
    const text = filled('{"x-secret-7":"abc","n":1},', MB / 4);
    const { longest, steps } = longestStep(() => redactText(text, names, []));
    expect(steps).toBeGreaterThan(200);
    expect(longest).toBeLessThan(LONGEST_MS);
  });
});

describe("sliced work", () => {
  function* busy(steps: number, ms: number, done: number[]): Steps<number> {
    for (let step = 0; step < steps; step++) {
      const end = performance.now() + ms;
      while (performance.now() < end);
      done.push(step);
      yield;
    }
    return steps;
  }

  it("sliced work yields to the event loop after 5 ms, added up over all running work", async () => {
    const done: number[] = [];
    const works = [runInSlices(busy(8, 6, done), 1), runInSlices(busy(8, 6, done), 1)];
    expect(done).toEqual([]);
    const rounds: number[] = [];
    while (done.length < 16) {
      await roundOfTheLoop();
      rounds.push(done.length);
    }
    expect(await Promise.all(works)).toEqual([8, 8]);
    for (const [i, count] of rounds.entries()) expect(count - (rounds[i - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it("sliced work rejects with its error, and the next work continues", async () => {
    function* failing(): Steps<never> {
      yield;
      throw new Error("cannot");
    }
    const works = [runInSlices(failing(), 1), runInSlices(busy(1, 0, []), 1)];
    expect(await Promise.allSettled(works)).toMatchObject([
      { status: "rejected", reason: { message: "cannot" } },
      { status: "fulfilled", value: 1 },
    ]);
  });
});

type Settings = Partial<LoggerSettings<TestDestination>>;
const BOTH: Settings = {
  requestBody: { maxBytes: 64 * MB },
  responseBody: { maxBytes: 64 * MB },
  batch: { ...BATCH, batchMaxSize: 1, maxPendingBytes: 1_024 * MB },
};
const CREDENTIALS = { headers: ["x-key"], query: ["api_key"] };

/** Logs an exchange with these bodies and returns its record. */
async function logged(settings: Settings, request: string, response: string, size = response.length) {
  const sink = new ReadySink();
  const { logger, opened } = openedLogger(sink, { ...BOTH, ...settings });
  const x = finishedExchange({
    requestBody: wholeBody(request),
    responseBody: { ...wholeBody(response), size },
  });
  Object.defineProperty(x, "credentials", { value: CREDENTIALS });
  logger.log(x);
  const early = sink.batches.length > 0;
  await opened.drain(60_000);
  return { early, record: sink.batches.flat()[0] ?? "" };
}

const SECRET = '{"api_key":"abc","n":1,"\xc3\xa4":"\xf0\x9f\x98\x80"},';

describe("a record with a body above 64 kB", () => {
  it("a record with bodies above 64 kB is made after the log phase, with redacted bodies", async () => {
    const [request, response] = [filled(SECRET, 3 * MB), filled(`${SECRET}\x01\\`, 2 * MB)];
    const { early, record } = await logged({ recordId: true }, request, response);
    expect(early).toBe(false);
    const shown = JSON.parse(record);
    const masked = (text: string) => runToCompletion(redactText(text, ["x-key", "api_key"], []));
    expect(masked(request)).not.toContain("abc");
    expect(shown.request.body === masked(request)).toBe(true);
    expect(shown.response.body === masked(response)).toBe(true);
    expect(shown.response).not.toHaveProperty("body_truncated");
    expect(shown.record_id).toMatch(/^[0-9a-f]{16}-[0-9a-z]+$/);
  });

  it("a record with a body above 64 kB marks a truncated body and one that is not text", async () => {
    const text = filled("\xc3\xa4", MB);
    const cut = JSON.parse((await logged({}, "", text.slice(0, -1), 3 * MB)).record).response;
    expect(cut).toMatchObject({ body_truncated: true, body_size: 3 * MB });
    expect(cut.body === text.slice(0, -2)).toBe(true);
    const bytes = filled("\xff\x00\x80", MB);
    const binary = JSON.parse((await logged({}, "", bytes)).record).response;
    expect(binary.body_encoding).toBe("base64");
    expect(Buffer.from(binary.body, "base64").toString("latin1") === bytes).toBe(true);
  });

  it("a record with a body above 64 kB follows a custom format", async () => {
    const record = (_: unknown, bodies: RecordView) =>
      recordText({
        twice: `${bodies.response} and ${bodies.response}`,
        in: bodies.request,
        n: 1,
      });
    const text = filled('"\xff\xc3\xa4', MB);
    const { early, record: made } = await logged({ record }, "short", text);
    expect(early).toBe(false);
    const valid = text.replaceAll("\xff", "\xef\xbf\xbd");
    expect(made === recordText({ twice: `${valid} and ${valid}`, in: "short", n: 1 })).toBe(true);
  });

  it("a record with a body above 64 kB is the text of the request in the origin format", async () => {
    const text = filled(SECRET, MB);
    const { early, record } = await logged({ metaFormat: "origin" }, text, "");
    expect(early).toBe(false);
    expect(record.endsWith(`\r\n\r\n${runToCompletion(redactText(text, ["x-key", "api_key"], []))}`)).toBe(
      true,
    );
  });

  it("a record has only the prefix of its body while 64 MB of other bodies are processed", async () => {
    const text = filled(SECRET, 40 * MB);
    const [first, second] = await Promise.all([logged({}, "", text), logged({}, "", text)]);
    expect([first.early, second.early]).toEqual([false, true]);
    expect(JSON.parse(first.record).response.body.length).toBeGreaterThan(39 * MB);
    const { body, ...marks } = JSON.parse(second.record).response;
    expect(marks).toMatchObject({ body_truncated: true, body_size: text.length });
    expect(body.length).toBeGreaterThan(60_000);
    expect(body).not.toContain("abc");
    expect((await logged({}, "", filled(SECRET, MB))).early).toBe(false);
  });

  it("a record keeps a text that looks like a placeholder as it is", async () => {
    const text = filled("body-text-0- body-00-fields-0- ", MB);
    expect(JSON.parse((await logged({}, "", text)).record).response.body === text).toBe(true);
  });
});

it("a record with a body up to 64 kB is made in the log phase", async () => {
  const { early } = await logged({}, "", "a".repeat(65_536));
  expect(early).toBe(true);
});
