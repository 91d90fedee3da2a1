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
  const patched = gateway.admin("PATCH", "/routes/patched", {
    plugins: { "response-rewrite": { filters: costly("v", 6) } },
  });
  const renamed = await gateway.admin("PATCH", "/routes/patched", { desc: "overtook it" });
  expect([200, 201]).toContain(renamed.status);
  expect((await patched).status).toBe(200);
  const { json } = await gateway.admin("GET", "/routes/patched");
  expect(json["value"]).toMatchObject({ desc: "overtook it", uri: "/before" });
});

it("the admin API completes small writes while a document with costly patterns is validated", async () => {
  const routes = ["p", "q", "r"].map((id) => ({ id, ...route(`/${id}`, costly(id, 12)) }));
  let answered = false;
  const validated = gateway.admin("POST", "/configs/validate", { routes }).finally(() => {
    answered = true;
  });
  const answeredBeside = await smallWrites("document", () => answered);
  expect(await validated).toMatchObject({ status: 200, json: {} });
  expect(answeredBeside).toBeGreaterThan(5);
});

it("a validation over its time limit ends with GW2139, and a queue with more time reports the real error", async () => {
  const document = (filters: object[]) => ({
    text: JSON.stringify({ routes: [{ id: "late", ...route("/late", filters) }] }),
    format: "json" as const,
  });
  const documents = new Documents(async () => null, new PatternAnalysisQueue(PLUGINS, 0.01));
  expect(await documents.validate(document(costly("s", 24)))).toMatchObject({
    errors: [{ resource_type: "configs", error: "the document takes over 0.01 s to validate" }],
    diagnostics: [{ code: "GW2139" }],
  });
  const patient = new Documents(async () => null, new PatternAnalysisQueue(PLUGINS));
  const found = await patient.validate(document([{ regex: "(", replace: "" }]));
  expect(found.errors).toMatchObject([{ resource_type: "routes", resource_id: "late", index: 0 }]);
});

it("the compiler thread validates documents of up to 65,536 characters, another thread longer ones", async () => {
  const here: number[] = [];
  const documents = new Documents(async ({ text }) => {
    here.push(text.length);
    return { errors: [], diagnostics: [] };
  }, new PatternAnalysisQueue(PLUGINS));
  const document = (characters: number) => `{"routes":[]}${" ".repeat(characters - 13)}`;
  for (const characters of [13, 65_536, 65_537])
    expect(await documents.validate({ text: document(characters), format: "json" })).toMatchObject({
      errors: [],
    });
  expect(here).toEqual([13, 65_536]);
});

it("each queued pattern analysis over its time limit ends with GW4511", async () => {
  const settings = { sizes: { target: 16_384, head: 32_768 }, attributes: {}, serviceListeners: {} };
  const text = (filters: object[]) => JSON.stringify(route("/late", filters));
  const work = (filters: object[]) => ({
    changes: [{ put: { kind: "routes", id: "late", text: text(filters) } }] as const,
    settings,
  });
  const analyses = new PatternAnalysisQueue(PLUGINS, 0.01);
  const found = await Promise.all([analyses.run(work(costly("u", 24))), analyses.run(work(costly("t", 24)))]);
  expect(found).toMatchObject([{ code: "GW4511" }, { code: "GW4511" }]);
  const patient = await new PatternAnalysisQueue(PLUGINS).run(work([{ regex: "^a+$", replace: "" }]));
  expect(patient).toContainEqual(expect.objectContaining({ of: "judgement" }));
});
