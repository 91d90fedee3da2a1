import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { deltaTo } from "../../../runtime/abi/delta.js";
import type { Artifact, Delta, RouterRow } from "../../../runtime/abi/generation.js";
import type { PluginBundle } from "../../../runtime/abi/plugin-bundle.js";
import { isEmpty } from "../../../runtime/control/delta.js";
import { GenerationStore } from "../../../runtime/control/generation-store.js";
import { writeBundles } from "../../../runtime/control/plugin-bundles.js";
import { contentOf, deltaOf, GenerationContent, readRange } from "../../../runtime/process/generation-log.js";

const disk = vi.hoisted(() => ({ isFull: false }));
vi.mock("node:fs", async (original) => {
  const fs = await original<typeof import("node:fs")>();
  const writeSync = (...given: [number, Buffer, number, number, number]) => {
    if (disk.isFull) throw new Error("ENOSPC: no space left on device");
    return fs.writeSync(...given);
  };
  return { ...fs, writeSync };
});

const row = (id: string, uri = "/"): RouterRow => ({
  id,
  hosts: [],
  uris: [uri],
  methods: [],
  remoteAddrs: [],
  priority: 0,
  order: 0,
  moduleId: null,
  hasMatch: false,
  upstream: null,
  enableWebsocket: false,
});
const artifact = (planHash: string, routes: RouterRow[]): Artifact => ({
  abi: 1,
  planHash,
  routes,
  upstreams: [],
  globalRules: [],
  pluginMetadata: [],
  modules: [],
});
const delta = (planHash: string, put: RouterRow[], remove: string[] = []): Delta => ({
  abi: 1,
  planHash,
  routes: { put, remove },
  upstreams: { put: [], remove: [] },
  modules: { put: [], remove: [] },
});
const ids = (content: GenerationContent | undefined) => content && [...content.routes.keys()];

const bundle = (name: string, code: string): PluginBundle => ({
  ...{ name, code, version: "1.0.0", abi: [3, 3], hash: "", exports: ["call"], licenses: "" },
});

let directory: string;
let run: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-saved-"));
  run = mkdtempSync(join(tmpdir(), "gwc-saved-run-"));
});
afterEach(() => {
  for (const path of [directory, run]) rmSync(path, { recursive: true, force: true });
});

async function begun(): Promise<GenerationStore> {
  const saved = new GenerationStore(directory);
  await saved.begin(GenerationContent.of(5, artifact("five", [row("a"), row("b")])));
  return saved;
}

describe("generations on disk", () => {
  it("the generation store restores the last committed generation", async () => {
    const saved = await begun();
    saved.append(6, delta("six", [row("c")], ["a"]));
    saved.commit(6, delta("six", [row("c")], ["a"]));
    const restored = new GenerationStore(directory).restore(6);
    expect(restored?.number).toBe(6);
    expect(restored?.planHash).toBe("six");
    expect(ids(restored)).toEqual(["b", "c"]);
  });

  it("the generation store does not restore a prepared generation without a commit", async () => {
    const saved = await begun();
    saved.append(6, delta("six", [row("c")]));
    expect(ids(new GenerationStore(directory).restore(5))).toEqual(["a", "b"]);
    expect(ids(new GenerationStore(directory).restore())).toEqual(["a", "b"]);
  });

  it("the generation store restores a generation without a commit line that the caller knows as committed", async () => {
    const saved = await begun();
    saved.append(6, delta("six", [row("c")]));
    expect(ids(new GenerationStore(directory).restore(6))).toEqual(["a", "b", "c"]);
  });

  it("the generation store skips a rejected generation between two committed ones", async () => {
    const saved = await begun();
    saved.append(6, delta("six", [row("refused")]));
    saved.append(7, delta("seven", [row("c")]));
    saved.commit(7, delta("seven", [row("c")]));
    saved.append(8, delta("eight", [row("d")]));
    expect(ids(new GenerationStore(directory).restore(8))).toEqual(["a", "b", "c", "d"]);
  });

  it("the generation store ignores a torn last line", async () => {
    const saved = await begun();
    saved.append(6, delta("six", [row("c")]));
    saved.commit(6, delta("six", [row("c")]));
    const [file = ""] = readdirSync(directory);
    appendFileSync(join(directory, file), '{"generation":7,"base":6,"del');
    expect(ids(new GenerationStore(directory).restore(7))).toEqual(["a", "b", "c"]);
  });

  it("the generation store falls back to the file before an incomplete one", async () => {
    await begun();
    appendFileSync(
      join(directory, "generation-9.jsonl"),
      '{"begin":9,"abi":1,"planHash":"","globalRules":[]}\n',
    );
    expect(new GenerationStore(directory).restore()?.number).toBe(5);
  });

  /** Text in a line of a log with a base and three deltas, and the routes that are left when a bit of it flips. */
  it.each([
    ["routes of the base", '"id":"a"', undefined],
    ["the first delta", '"six"', ["a", "b"]],
    ["the second delta", '"seven"', ["a", "b", "c"]],
    ["the third delta", '"eight"', ["a", "b", "c", "d"]],
  ])("the generation store stops before a damaged line: %s", async (_line, text, left) => {
    const saved = await begun();
    for (const [number, name, id] of [
      [6, "six", "c"],
      [7, "seven", "d"],
      [8, "eight", "e"],
    ] as const) {
      saved.append(number, delta(name, [row(id)]));
      saved.commit(number, delta(name, [row(id)]));
    }
    const [name = ""] = readdirSync(directory);
    const bytes = readFileSync(join(directory, name));
    const at = bytes.indexOf(text) + 2;
    writeFileSync(join(directory, name), bytes.fill(bytes.readUInt8(at) ^ 4, at, at + 1));
    expect(ids(new GenerationStore(directory).restore())).toEqual(left);
  });

  it("the generation store reads a log without checksums from an earlier version", async () => {
    const saved = await begun();
    saved.append(6, delta("six", [row("c")]));
    saved.commit(6, delta("six", [row("c")]));
    const [name = ""] = readdirSync(directory);
    const text = readFileSync(join(directory, name), "utf8");
    writeFileSync(join(directory, name), text.replace(/^[0-9a-f]{8} /gm, ""));
    expect(ids(new GenerationStore(directory).restore())).toEqual(["a", "b", "c"]);
  });

  it("the generation store knows the names of stored resources", async () => {
    const saved = new GenerationStore(directory);
    saved.noteStored(["routes/a", "routes/b"], []);
    await saved.begin(GenerationContent.of(5, artifact("five", [row("a"), row("b")])));
    saved.append(6, delta("six", [row("c")], ["a"]));
    saved.noteStored(["routes/c"], ["routes/a"]);
    saved.commit(6, delta("six", [row("c")], ["a"]));
    expect([...new GenerationStore(directory).storedNames()]).toEqual(["routes/b", "routes/c"]);
  });

  it("the generation store copies package code next to its log and removes unused files after a minute", async () => {
    const files = writeBundles(run, [bundle("one", "1"), bundle("two", "2")]);
    const saved = new GenerationStore(directory);
    saved.plugins = files;
    await saved.begin(GenerationContent.of(5, artifact("five", [row("a")])));
    const kept = () => readdirSync(join(directory, "plugins")).sort();
    expect(kept()).toEqual(files.map(({ file }) => basename(file)));
    expect(new GenerationStore(directory).restore()?.plugins).toEqual(
      files.map(({ name, hash, exports }) => ({ name, hash, exports })),
    );
    vi.useFakeTimers({ toFake: ["setTimeout"] });
    saved.plugins = files.slice(1);
    await saved.begin(GenerationContent.of(6, artifact("six", [row("a")])));
    expect(kept()).toHaveLength(2);
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();
    await expect.poll(kept).toEqual([basename(files[1]?.file ?? "")]);
  });

  it("the generation store keeps the policy of a generation through writes until another is noted", async () => {
    const saved = await begun();
    const policy = () => new GenerationStore(directory).restore()?.policy;
    expect(policy()).toBeUndefined();
    saved.noteInputs("files", ["a"], "one");
    saved.append(6, delta("six", [row("c")]));
    saved.commit(6, delta("six", [row("c")]));
    expect(policy()).toBe("one");
    await saved.begin(saved.content);
    expect(policy()).toBe("one");
    saved.noteInputs("files", ["a"], "two");
    expect(policy()).toBe("two");
    saved.noteInputs("files", ["a"], undefined);
    expect(policy()).toBeUndefined();
    saved.noteInputs("files", ["a"], "one");
    await saved.begin(GenerationContent.of(7, artifact("seven", [row("a")])));
    expect(policy()).toBeUndefined();
  });

  it("a rewritten log contains the inputs that were noted while it was written", async () => {
    const saved = await begun();
    const noted = () => {
      const { inputs, secretNames, policy } = new GenerationStore(directory).restore() ?? {};
      return { inputs, secretNames, policy };
    };
    const FIRST = { inputs: "files", secretNames: ["a"], policy: "one" };
    const NONE = { inputs: undefined, secretNames: ["b"], policy: undefined };
    const note = ({ inputs, secretNames, policy }: typeof FIRST | typeof NONE) =>
      saved.noteInputs(inputs, secretNames, policy);
    note(FIRST);
    const written = saved.begin(saved.content);
    await new Promise((resolve) => setImmediate(resolve));
    note(NONE);
    await written;
    note(NONE);
    expect(noted()).toEqual(NONE);
    const again = saved.begin(saved.content);
    note(FIRST);
    await new Promise((resolve) => setImmediate(resolve));
    note(NONE);
    await again;
    expect(noted()).toEqual(NONE);
  });

  it("the generation store notes inputs with the next generation if the disk was full", async () => {
    const saved = await begun();
    saved.noteInputs("files", ["a"], "one");
    disk.isFull = true;
    saved.noteInputs(undefined, [], undefined);
    expect(() => saved.append(6, delta("six", [], ["a"]))).toThrow("ENOSPC");
    disk.isFull = false;
    expect(new GenerationStore(directory).restore()?.policy).toBe("one");
    saved.append(6, delta("six", [], ["a"]));
    const restored = new GenerationStore(directory).restore(6);
    expect({ number: restored?.number, policy: restored?.policy }).toEqual({ number: 6, policy: undefined });
  });

  it("the generation store removes unfinished files of a killed process and nothing else", async () => {
    const outside = join(run, "outside");
    writeFileSync(outside, "");
    await begun();
    for (const name of ["trial.jsonl", "generation-6.jsonl.new", "generation-12.jsonl.new"])
      writeFileSync(join(directory, name), "");
    mkdirSync(join(directory, "generation-8.jsonl.new"));
    symlinkSync(outside, join(directory, "generation-7.jsonl.new"));
    const others = ["generation-5.jsonl.new.old", "generation-x.jsonl.new", "old-generation-5.jsonl.new"];
    for (const name of [...others, "trial.jsonl.new"]) writeFileSync(join(directory, name), "");
    expect(new GenerationStore(directory).restore()?.number).toBe(5);
    expect(readdirSync(directory).sort()).toEqual(
      ["generation-5.jsonl", "generation-8.jsonl.new", ...others, "trial.jsonl.new"].sort(),
    );
    expect(existsSync(outside)).toBe(true);
  });

  it("the generation store restores nothing before the first start", () => {
    expect(new GenerationStore(directory).restore()).toBeUndefined();
  });

  it("a file range of the generation store contains one delta, or the whole up to a number", async () => {
    const saved = await begun();
    const stretch = saved.append(6, delta("six", [row("c")]));
    saved.commit(6, delta("six", [row("c")]));
    expect(deltaOf(readRange(stretch)).planHash).toBe("six");
    expect(ids(contentOf(readRange(saved.whole()), 6))).toEqual(["a", "b", "c"]);
  });
});

describe("the delta between a generation and an artifact", () => {
  const from = GenerationContent.of(1, artifact("one", [row("a"), row("b", "/b"), row("c")]));

  it("the delta to an artifact puts new or different routes and removes others", () => {
    const { routes } = deltaTo(from, artifact("two", [row("a"), row("b", "/changed"), row("d")]));
    expect(routes.put.map(({ id }) => id)).toEqual(["b", "d"]);
    expect(routes.remove).toEqual(["c"]);
  });

  it("the delta to an artifact leads exactly to that artifact", () => {
    const target = artifact("two", [row("a"), row("b", "/changed"), row("d")]);
    const content = GenerationContent.of(1, from.artifact());
    content.apply(2, deltaTo(content, target));
    expect(content.artifact()).toEqual(target);
  });

  it("the delta between equal artifacts is empty", () => {
    expect(isEmpty(deltaTo(from, from.artifact()))).toBe(true);
  });
});
