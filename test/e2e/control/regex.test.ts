import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { ProcessGateway } from "../process/gateway.js";
import { exchange } from "./admin.js";

/** Text for the filters below: card numbers, characters of two and four bytes, a tag, trailing blanks. */
const SUBJECT = 'card 4111 1111 é é😀 <b class="x">bold</b> id=a1f0 aaaa   \n';
/** Text with more bytes than characters. */
const LONG = "é".repeat(33_000);
const KEY = { "X-API-KEY": ProcessGateway.KEY };

interface Filter {
  regex: string;
  replace: string;
  scope?: "once" | "global";
  options?: string;
  allow_slow?: boolean;
}

const FILTERS: readonly Filter[] = [
  { regex: "\\d{4} (\\d{4})", replace: "**** $1" },
  { regex: "[a-z]+", replace: "<$0>", scope: "global" },
  { regex: "é+", replace: "E", scope: "global" },
  { regex: "é.", replace: "($0)", scope: "global", options: "u" },
  { regex: ".", replace: "-", scope: "global", options: "s" },
  { regex: "CARD", replace: "$$1", options: "i" },
  { regex: "\\s+$", replace: "." },
  { regex: "<b[^>]*>([^\\n]*?)</b>", replace: "[$1]", scope: "global" },
  { regex: "(?<=id=)[a-f0-9]{4}", replace: "" },
  { regex: "(?:a+)+ +$", replace: "x", scope: "global" },
  { regex: "(a|aa)+\\1", replace: "y", allow_slow: true },
];

interface Tried {
  accepted: boolean;
  findings: { code: string; message: string; help?: string; span?: { file: string; start: object } }[];
  translation: { source: string; flags: string; groups: number } | null;
  engine: string | null;
  cost: { class: string; ms: number | null; text: string } | null;
  body: { mode: string; reason: string; at_once: number } | null;
  result: { matches: Record<string, unknown>[]; more: number; replaced: string; utf8: boolean } | null;
  unfinished: string | null;
}

const upstream = useUpstream((_, response) => response.end(SUBJECT));
let gateway: ProcessGateway;
beforeAll(async () => {
  const routes = FILTERS.map((filter, i) => ({
    ...{ id: `f${i}`, uri: `/f${i}`, upstream: { nodes: upstream.nodes } },
    plugins: { "response-rewrite": { filters: [filter] } },
  }));
  gateway = await ProcessGateway.start({ routes });
});
afterAll(() => gateway.end());

const post = (body: unknown) =>
  exchange(
    ...([gateway.adminPort, "POST", "/gw/admin/regex"] as const),
    typeof body === "string" ? body : JSON.stringify(body),
    KEY,
  );
async function tried(body: Record<string, unknown>): Promise<Tried> {
  const { status, json } = await post(body);
  expect(status).toBe(200);
  return json as unknown as Tried;
}

describe("a pattern try-out", () => {
  it.each(FILTERS.map((filter, i) => [i, filter] as const))(
    "a pattern try-out returns the body that clients receive, %i %j",
    async (i, filter) => {
      const { regex, ...others } = filter;
      const { result, unfinished } = await tried({ pattern: regex, ...others, subject: SUBJECT });
      const served = await fetch(`http://127.0.0.1:${gateway.port}/f${i}`);
      const bytes = Buffer.from(await served.arrayBuffer());
      expect([unfinished, result?.replaced]).toEqual([null, bytes.toString("utf8")]);
      expect(result?.utf8).toBe(Buffer.from(bytes.toString("utf8")).equals(bytes));
    },
  );

  it("a pattern try-out returns each match in characters and bytes, with its captures", async () => {
    const { result } = await tried({ pattern: "b(.)", scope: "global", replace: "$1", subject: "éb1 b2" });
    expect(result).toEqual({
      matches: [
        { from: 1, to: 3, byte_from: 2, byte_to: 4, captures: ["1"] },
        { from: 4, to: 6, byte_from: 5, byte_to: 7, captures: ["2"] },
      ],
      ...{ more: 0, replaced: "é1 2", replaced_bytes: 5, utf8: true },
    });
  });

  it("a pattern try-out returns translation, engine, cost and body mode", async () => {
    expect(await tried({ pattern: "a$", scope: "global" })).toMatchObject({
      accepted: true,
      findings: [],
      translation: { source: "a(?=\\n?$)", flags: "g", groups: 0 },
      engine: "backtracking",
      cost: { class: "linear", ms: expect.any(Number), text: expect.stringMatching(/^linear: at most/) },
      body: { mode: "stream", reason: expect.stringContaining("at most 1 byte"), at_once: 131_072 },
      result: null,
    });
    expect(await tried({ pattern: "\\s+$" })).toMatchObject({
      ...{ engine: "linear", cost: { class: "linear" }, body: { mode: "hold" } },
    });
  });

  it.each([
    ["(\\d+", {}, "GW4501", { file: "pattern", start: { line: 1, column: 5 } }, null],
    ["a\nb\\Kc", {}, "GW4502", { file: "pattern", start: { line: 1, column: 4 } }, null],
    ["a\\Kb", {}, "GW4502", { file: "pattern", start: { line: 1, column: 2 } }, null],
    ["a", { options: "iq" }, "GW4503", { file: "options", start: { line: 1, column: 2 } }, null],
    ["(a+)+\\1x", {}, "GW4504", { file: "pattern", start: { line: 1, column: 1 } }, "refused"],
    ["a", { replace: "ab$1" }, "GW4507", { file: "replace", start: { line: 1, column: 3 } }, null],
  ])(
    "a try-out of the rejected pattern %s %j returns its diagnostic with the position",
    async (pattern, more, code, span, cost) => {
      const answer = await tried({ pattern, ...more, subject: "a" });
      expect(answer).toMatchObject({ accepted: false, translation: null, result: null });
      expect(answer.findings).toMatchObject([{ code, message: expect.any(String), span }]);
      expect(answer.cost?.class ?? null).toBe(cost);
    },
  );

  it("a stalling try-out ends after 1 s; meanwhile control responds, and the next try-out succeeds", async () => {
    const stalling = { pattern: "(a+)+\\1x", allow_slow: true, subject: "a".repeat(5_000) };
    let ended = false;
    const asked = tried(stalling).finally(() => {
      ended = true;
    });
    expect((await gateway.admin("GET", "/routes/f0")).status).toBe(200);
    expect(ended).toBe(false);
    expect(await asked).toMatchObject({
      ...{ accepted: true, engine: "backtracking", cost: { class: "slow", ms: null }, result: null },
      unfinished: "no result within 1 s",
    });
    expect((await tried({ pattern: "a", subject: "a" })).result?.matches).toHaveLength(1);
  });

  it("a pattern try-out returns the first 500 matches and the number of the others", async () => {
    const { result } = await tried({
      pattern: "a",
      scope: "global",
      replace: "bb",
      subject: "a".repeat(60_000),
    });
    expect([result?.matches.length, result?.more]).toEqual([500, 59_500]);
    expect(result?.replaced).toHaveLength(65_537);
  });
});

describe("invalid requests of a pattern try-out", () => {
  it.each([
    [{ regex: "a" }, 'write "pattern"'],
    [{ pattern: "a", subjekt: "b" }, 'did you mean "subject"'],
    [{ pattern: "" }, "pattern"],
    [{ pattern: "a", subject: LONG }, '"subject" has 66000 bytes, more than 65536'],
    ["{", "invalid request body"],
    ["", "empty request body"],
  ])("an invalid try-out is rejected: %#", async (body, said) => {
    const answer = await post(body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(said.replaceAll('"', '\\"'))]);
  });
});
