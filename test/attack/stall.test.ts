import { readFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { checkRegex } from "../../compiler/regex/diagnose.js";
import { attackText, slowest, worstCase } from "../../compiler/regex/engine.js";
import { parseRegex } from "../../compiler/regex/translate.js";
import { exchange } from "../e2e/control/admin.js";
import { ProcessGateway } from "../e2e/process/gateway.js";

// Public patterns against the texts that their analysis calls the worst, as long as the limits let them be, on a live gateway:
// no pause of a worker's event loop, which the worker measures itself, may reach 50 ms. Other work on the machine makes
// pauses longer without any fault of a pattern: the limit is multiplied by the load on each core, and by two.

interface Group {
  source: string;
  patterns: string[];
}

const GROUPS = JSON.parse(
  readFileSync(new URL("./patterns/public.json", import.meta.url), "utf8"),
) as Group[];
const LONG = process.env["GWC_ATTACK"] === "long";
const PAUSE_MS = 50;
/** Of the default 32,768 for a head. */
const HEADER_BYTES = 31_000;
/** Of the default 16,384 for a target. */
const PATH_BYTES = 16_000;

const COMMON = ["a", " ", "/", "0", "<script", "a=b;", "1.2.", "'\"", "-_", "../"];

const header = { name: "a header", bytes: 32_768, atOnce: 32_768 };
const written = [...new Set(GROUPS.flatMap(({ patterns }) => patterns))];
const accepted = written.filter(
  (pattern) => checkRegex({ pattern, options: "", captures: [], subject: header, span: undefined }).regex,
);
const PATH_PATTERNS = [
  "(.*)/(.*)/(.*)/x$",
  "\\s+$",
  "^(a+)+$",
  "<script[^>]*>[^\\n]*?</script>",
  "^/q/(.*)/(.*)$",
];

function subjectsOf(pattern: string, bytes: number): string[] {
  const node = parseRegex(pattern, "");
  const attack = node && slowest(worstCase(node));
  const common = (LONG ? COMMON : COMMON.slice(0, 1)).map((pump) => pump.repeat(bytes / pump.length));
  return [...(attack ? [attackText(attack, bytes)] : []), ...common];
}

/** What a field's value may hold. */
const fieldText = (text: string) =>
  text
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "~")
    .replace(/^\s/, "~")
    .replace(/\s$/, "~")
    .slice(0, HEADER_BYTES);

const answered = { "response-rewrite": { status_code: 200, body: "ok" } };
const nodes = { "127.0.0.1:9": 1 };

let gateway: ProcessGateway;

beforeAll(async () => {
  const byHeader = accepted.map((pattern, i) => ({
    id: `h${i}`,
    uri: `/h${i}`,
    vars: [["http_x", "~~", pattern]],
    upstream: { nodes },
  }));
  const byPath = PATH_PATTERNS.map((pattern, i) => ({
    id: `p${i}`,
    uri: `/p${i}*`,
    plugins: { ...answered, "proxy-rewrite": { regex_uri: [pattern, "/y"] } },
    upstream: { nodes },
  }));
  gateway = await ProcessGateway.start({ routes: [...byHeader, ...byPath] }, { workers: 1 });
}, 120_000);

afterAll(async () => {
  await gateway?.end();
});

/** Milliseconds of the longest pause since the last look. */
async function longestPause(): Promise<number> {
  const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
  const values = [...text.matchAll(/^gw_event_loop_lag_seconds\{[^}]*\} (\S+)$/gm)].map(([, value]) =>
    Number(value),
  );
  expect(values.length, "the worker tells its pauses").toBeGreaterThan(0);
  return 1000 * Math.max(...values);
}

/** Patterns after which the worker is asked for its pauses. */
const BATCH = 20;

/** The longest pause while the patterns of a batch meet their texts. */
async function pauseOf(from: number): Promise<number> {
  for (const [i, pattern] of accepted.slice(from, from + BATCH).entries())
    for (const text of subjectsOf(pattern, HEADER_BYTES)) {
      const { status } = await gateway.get(`/h${from + i}`, { x: fieldText(text) });
      expect([404, 502, 503]).toContain(status);
    }
  return longestPause();
}

const limit = () => PAUSE_MS * 2 * Math.max(1, (loadavg()[0] ?? 0) / cpus().length);

describe("texts made to stall a worker", () => {
  it("has 300 patterns and more to try, and refuses few", () => {
    expect(accepted.length).toBeGreaterThan(300);
    expect(accepted.length / written.length).toBeGreaterThan(0.9);
  });

  it("never pause the event loop for 50 ms in a header", async () => {
    const slow: string[] = [];
    await longestPause();
    for (let from = 0; from < accepted.length; from += BATCH) {
      // A pause of the machine does not come again, one of a pattern does.
      const pauses = [await pauseOf(from), await pauseOf(from), await pauseOf(from)];
      if (Math.min(...pauses) > limit()) slow.push(`patterns from ${from}: ${pauses.join(", ")} ms`);
    }
    expect(slow).toEqual([]);
    expect(gateway.log("process_stalled")).toEqual([]);
  });

  it("never pause it for 50 ms in a path of 16 kB", async () => {
    for (const [i, pattern] of PATH_PATTERNS.entries())
      for (const text of [...subjectsOf(pattern, 4_000), "/".repeat(PATH_BYTES), "a".repeat(PATH_BYTES)]) {
        const path = `/p${i}/${encodeURI(text).replaceAll("//", "/a/")}`
          .slice(0, PATH_BYTES)
          .replace(/%.?$/, "");
        const pauses: number[] = [];
        for (let time = 0; time < 3; time += 1) {
          await gateway.get(path);
          pauses.push(await longestPause());
        }
        expect(Math.min(...pauses), pattern).toBeLessThan(limit());
      }
    expect(gateway.log("process_stalled")).toEqual([]);
  });
});
