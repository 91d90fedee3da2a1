import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { cpus, loadavg } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Subject } from "../../compiler/model/pattern-subject.js";
import { checkRegex } from "../../compiler/regex/diagnose.js";
import { attackText, slowest, worstCase } from "../../compiler/regex/engine.js";
import { parseRegex, type TranslationOptions } from "../../compiler/regex/translate.js";
import { exchange } from "../e2e/control/admin.js";
import { ProcessGateway } from "../e2e/process/gateway.js";

// Public patterns in each place that takes one, with the texts that their analysis calls the worst, up to the
// size limits, on a live gateway. No pause of a worker's event loop, which the worker measures itself, may
// reach 50 ms. Other work on the machine makes pauses longer, so the limit is multiplied by the load on each
// core.

interface Group {
  source: string;
  patterns: string[];
}

const GROUPS = JSON.parse(
  readFileSync(new URL("./patterns/public.json", import.meta.url), "utf8"),
) as Group[];
const LONG = process.env["GWC_ATTACK"] === "long";
const PAUSE_MS = 50;
/** Below the default limit of 32,768 for a head. */
const HEADER_BYTES = 31_000;
/** Below the default limit of 16,384 for a target. */
const PATH_BYTES = 16_000;
/** More than two slices of a streaming filter. */
const BODY_BYTES = 200_000;

const COMMON = ["a", " ", "/", "0", "<script", "a=b;", "1.2.", "'\"", "-_", "../"];

const written = [...new Set(GROUPS.flatMap(({ patterns }) => patterns))];
/** Patterns that the compiler accepts for this use and subject. */
const acceptedFor = (subject: Subject, use: TranslationOptions) =>
  written.filter((pattern) => checkRegex({ pattern, options: "", ...use, subject, span: undefined }).regex);
const forHeaders = acceptedFor({ name: "a header", bytes: 32_768, atOnce: 32_768 }, { captures: [] });
/** Subset of the patterns for CI; the first ones below are known to be slow. */
const some = (patterns: readonly string[]) => (LONG ? patterns : patterns.filter((_, i) => i % 12 === 0));
const forPaths = [
  "(.*)/(.*)/(.*)/x$",
  "\\s+$",
  "^(a+)+$",
  "<script[^>]*>[^\\n]*?</script>",
  "^/q/(.*)/(.*)$",
  ...some(acceptedFor({ name: "a path", bytes: 16_384, atOnce: 16_384 }, {})),
];
const forBodies = [
  "\\s+$",
  "(a+)+x",
  ...some(
    acceptedFor({ name: "a body", bytes: 67_108_864, atOnce: 65_536 }, { captures: [], scope: "global" }),
  ),
];

function subjectsOf(pattern: string, bytes: number): string[] {
  const node = parseRegex(pattern, "");
  const attack = node && slowest(worstCase(node));
  const common = (LONG ? COMMON : COMMON.slice(0, 1)).map((pump) => pump.repeat(bytes / pump.length));
  return [...(attack ? [attackText(attack, bytes)] : []), ...common];
}

/** Text without bytes that a header value may not contain. */
const fieldText = (text: string) =>
  text
    .replace(/[^\t\x20-\x7e\x80-\xff]/g, "~")
    .replace(/^\s/, "~")
    .replace(/\s$/, "~")
    .slice(0, HEADER_BYTES);

let upstream: Server;
let gateway: ProcessGateway;

/** Bodies of the upstream for the filters: `/f<pattern>/<text>`. */
const bodyAt = (url: string) => {
  const [, pattern = "0", text = "0"] = /^\/f(\d+)\/(\d+)/.exec(url) ?? [];
  return subjectsOf(forBodies[Number(pattern)] ?? "", BODY_BYTES)[Number(text)] ?? "";
};

beforeAll(async () => {
  upstream = createServer(({ url = "" }, response) => response.end(Buffer.from(bodyAt(url), "latin1")));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  const used = { upstream: { nodes } };
  const route = (id: string, rest: object) => ({ id: id.replace("/", ""), uri: `/${id}*`, ...used, ...rest });
  gateway = await ProcessGateway.start(
    {
      routes: [
        ...forHeaders.map((pattern, i) => route(`h${i}-`, { vars: [["http_x", "~~", pattern]] })),
        ...forPaths.map((pattern, i) =>
          route(`p${i}/`, { plugins: { "proxy-rewrite": { regex_uri: [pattern, "/y"] } } }),
        ),
        ...forBodies.map((regex, i) =>
          route(`f${i}/`, {
            plugins: { "response-rewrite": { filters: [{ regex, replace: "", scope: "global" }] } },
          }),
        ),
      ],
    },
    { workers: 1 },
  );
}, 300_000);

afterAll(async () => {
  await gateway?.end();
  upstream?.close();
});

/** Longest pause since the last call, in ms. */
async function longestPause(): Promise<number> {
  const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
  const values = [...text.matchAll(/^gw_event_loop_lag_seconds\{[^}]*\} (\S+)$/gm)].map(([, value]) =>
    Number(value),
  );
  expect(values.length, "the worker tells its pauses").toBeGreaterThan(0);
  return 1000 * Math.max(...values);
}

/** Number of patterns between two measurements. */
const BATCH = 20;
const limit = () => PAUSE_MS * Math.max(1, (loadavg()[0] ?? 0) / cpus().length);

/** Sends the worst texts of each pattern; returns the batches whose pauses were too long every time. */
async function pausing(
  patterns: readonly string[],
  attack: (pattern: string, index: number) => Promise<void>,
): Promise<string[]> {
  const slow: string[] = [];
  await longestPause();
  for (let from = 0; from < patterns.length; from += BATCH) {
    const pauses: number[] = [];
    // A pause of the machine does not recur, one of a pattern does.
    for (let time = 0; time < 5 && Math.min(...pauses) > limit(); time += 1) {
      for (const [i, pattern] of patterns.slice(from, from + BATCH).entries())
        await attack(pattern, from + i);
      pauses.push(await longestPause());
    }
    if (Math.min(...pauses) > limit())
      slow.push(`patterns from ${from}, ${patterns[from]}: ${pauses.join(", ")} ms`);
  }
  return slow;
}

const answered = async (path: string, headers: Record<string, string> = {}) => {
  const { status } = await gateway.get(path, headers);
  // The upstream rejects large heads with 431; 400 is for paths above the root.
  expect([200, 400, 404, 431, 502, 503], path.slice(0, 60)).toContain(status);
};

describe("texts that are made to stall a worker", () => {
  it("the compiler accepts more than 300 public patterns for headers, and more than 90 % of all", () => {
    expect(forHeaders.length).toBeGreaterThan(300);
    expect(forHeaders.length / written.length).toBeGreaterThan(0.9);
  });

  it("no public pattern blocks the event loop for 50 ms times the load per core with a header", async () => {
    const attack = async (pattern: string, i: number) => {
      for (const text of subjectsOf(pattern, HEADER_BYTES)) await answered(`/h${i}-`, { x: fieldText(text) });
    };
    expect(await pausing(forHeaders, attack)).toEqual([]);
    expect(gateway.log("process_stalled")).toEqual([]);
  });

  it("no public pattern blocks the event loop for 50 ms times the load per core with a path of 16 kB", async () => {
    const attack = async (pattern: string, i: number) => {
      for (const text of [
        ...subjectsOf(pattern, PATH_BYTES / 4),
        "/".repeat(PATH_BYTES),
        "a".repeat(PATH_BYTES),
      ]) {
        const target = `/p${i}/${encodeURI(text).replaceAll("//", "/a/")}`;
        await answered(target.slice(0, PATH_BYTES).replace(/%.?$/, ""));
      }
    };
    expect(await pausing(forPaths, attack)).toEqual([]);
    expect(gateway.log("process_stalled")).toEqual([]);
  });

  it("no public pattern blocks the event loop for 50 ms times the load per core with a body of 200 kB", async () => {
    const attack = async (pattern: string, i: number) => {
      for (const text of subjectsOf(pattern, BODY_BYTES).keys()) await answered(`/f${i}/${text}`);
    };
    expect(await pausing(forBodies, attack)).toEqual([]);
    expect(gateway.log("process_stalled")).toEqual([]);
  });
});
