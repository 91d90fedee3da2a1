// Writes and documents with costly patterns are analyzed outside of the queue in which other writes wait.
import { afterAll, beforeAll, expect, it } from "vitest";
import { Documents } from "../../../.build/compiler/thread/documents.js";
import { PatternAnalysisQueue } from "../../../.build/compiler/thread/pattern-analysis-queue.js";
import { ProcessGateway } from "../process/gateway.js";

const PLUGINS = [new URL("../../../.build/plugins/index.js", import.meta.url).href];
const upstream = { nodes: { "127.0.0.1:9": 1 } };
const route = (uri: string, filters: object[] = []) => ({
  uri,
  upstream,
  ...(filters.length > 0 && { plugins: { "response-rewrite": { filters } } }),
});
/** Alternations of 1,000 words, costly to analyze and to compile, about as long as is accepted. */
const costly = (name: string, filters: number) =>
  Array.from({ length: filters }, (_, i) => {
    const words = Array.from({ length: 1_000 }, (_, k) => `${name}${(k * 7 + i * 13).toString(36)}`);
    return { regex: words.join("|"), replace: "x" };
  });

let gateway: ProcessGateway;
beforeAll(async () => {
  gateway = await ProcessGateway.start({});
});
afterAll(() => gateway.end());

/** Writes small routes, every other one with a pattern of its own, until `done`. @returns their number */
async function smallWrites(name: string, done: () => boolean): Promise<number> {
  for (let i = 0; ; i++) {
    if (done()) return i;
    const filters = i % 2 === 0 ? [] : [{ regex: `^${name}-${i}[a-z]+$`, replace: "" }];
    const { status } = await gateway.admin("PUT", `/routes/${name}-${i}`, route(`/${name}/${i}`, filters));
    expect([200, 201]).toContain(status);
  }
}

it("the admin API completes small writes while a write with costly patterns is in progress", async () => {
  let answered = false;
  const costlyWrite = gateway
    .admin("PUT", "/routes/costly", route("/costly", costly("w", 24)))
    .finally(() => {
      answered = true;
    });
  const answeredBeside = await smallWrites("beside", () => answered);
  expect((await costlyWrite).status).toBe(201);
  // Without the thread, the second small write would wait for the response to the costly one.
  expect(answeredBeside).toBeGreaterThan(5);
});

it("a costly PATCH is applied on top of the writes that overtook it", async () => {
  await gateway.admin("PUT", "/routes/patched", route("/before"));
  const plugins = { "response-rewrite": { filters: costly("v", 6) } };
  let answered = false;
  const patched = gateway.admin("PATCH", "/routes/patched", { plugins }).finally(() => {
    answered = true;
  });
  const renamed = await gateway.admin("PATCH", "/routes/patched", { desc: "overtook it" });
  expect([renamed.status, answered]).toEqual([200, false]);
  expect((await patched).status).toBe(200);
  const { json } = await gateway.admin("GET", "/routes/patched");
  expect(json["value"]).toMatchObject({ desc: "overtook it", uri: "/before", plugins });
});

it("the admin API completes small writes while a document with costly patterns is validated", async () => {
  const routes = ["p", "q", "r"].map((id) => ({ id, ...route(`/${id}`, costly(id, 12)) }));
  let answered = false;
  const validated = gateway.admin("POST", "/configs/validate", { routes }).finally(() => {
    answered = true;
  });
  const answeredBeside = await smallWrites("document", () => answered);
  expect(await validated).toMatchObject({ status: 200, text: "{}\n" });
  expect(answeredBeside).toBeGreaterThan(5);
});

it("a validation over its time limit ends with GW2139, and a queue with more time reports the real error", async () => {
  const filters = [...costly("s", 6), { regex: "(", replace: "" }];
  const document = {
    text: JSON.stringify({ routes: [{ id: "late", ...route("/late", filters) }] }),
    format: "json" as const,
  };
  const documents = new Documents(async () => null, new PatternAnalysisQueue(PLUGINS, 0.01));
  const late = await documents.validate(document);
  expect(late.errors).toEqual([
    { resource_type: "configs", error: "the document takes over 0.01 s to validate" },
  ]);
  expect(late.diagnostics.map(({ code }) => code)).toEqual(["GW2139"]);
  const patient = new Documents(async () => null, new PatternAnalysisQueue(PLUGINS));
  const { errors } = await patient.validate(document);
  const error = expect.stringContaining('regex "(" validation failed: missing closing parenthesis');
  expect(errors).toEqual([{ resource_type: "routes", resource_id: "late", index: 0, error }]);
});

it("the compiler thread validates documents of up to 65,536 characters, another thread longer ones", async () => {
  const errors = [{ resource_type: "configs", error: "found in the compiler thread" }];
  const here = async () => ({ errors, diagnostics: [] });
  const documents = new Documents(here, new PatternAnalysisQueue(PLUGINS));
  const found = async (characters: number) => {
    const text = `{"routes":[]}${" ".repeat(characters - 13)}`;
    return (await documents.validate({ text, format: "json" })).errors;
  };
  expect(await found(13)).toEqual(errors);
  expect(await found(65_536)).toEqual(errors);
  expect(await found(65_537)).toEqual([]);
});

it("each queued pattern analysis over its time limit ends with GW4511", async () => {
  const settings = { sizes: { target: 16_384, head: 32_768 }, attributes: {}, serviceListeners: {} };
  const text = (filters: object[]) => JSON.stringify(route("/late", filters));
  const work = (filters: object[]) => ({
    changes: [{ put: { kind: "routes", id: "late", text: text(filters) } }] as const,
    settings,
  });
  const began = performance.now();
  const analyses = new PatternAnalysisQueue(PLUGINS, 0.1);
  const runs = ["u", "t", "s"].map(async (name) => {
    const found = await analyses.run(work(costly(name, 24)));
    return { found, ms: performance.now() - began };
  });
  for (const [i, { found, ms }] of (await Promise.all(runs)).entries()) {
    expect(found).toMatchObject({ code: "GW4511" });
    expect(ms).toBeGreaterThan((i + 1) * 95);
  }
  const patient = await new PatternAnalysisQueue(PLUGINS).run(work([{ regex: "^a+$", replace: "" }]));
  const key = expect.stringMatching(/"\^a\+\$"/);
  expect(patient).toContainEqual({ of: "judgement", key, answer: expect.objectContaining({ ok: true }) });
});
