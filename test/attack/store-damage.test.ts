import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { exchange } from "../e2e/control/admin.js";
import { ProcessGateway } from "../e2e/process/gateway.js";
import { until } from "../support/patience.js";

const LONG = process.env["GWC_ATTACK"] === "long";
const PAGE = 4096;
/** Header of a page: number, transaction, padding, flags, and the bounds of its free space (lmdb-js 3.5). */
const PAGE_HEADER = 24;
/** Offset of the number of the last page in a meta page. */
const LAST_PAGE = 144;
const ROUTES = 60;
const FLIPS = LONG ? 1000 : 60;

let upstream: Server;
let gateway: ProcessGateway;
/** Copy of the stopped gateway's store. */
let original: string;
/** Acknowledged resources: name and text. */
let acknowledged: Map<string, string>;
const work = mkdtempSync(join(tmpdir(), "gwc-damage-"));

beforeAll(async () => {
  upstream = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
  gateway = await ProcessGateway.start(
    { routes: [{ id: "file", uri: "/file", upstream: { nodes } }] },
    { workers: 1 },
  );
  for (let n = 0; n < ROUTES; n += 1) {
    const plugins = { "response-rewrite": { headers: { set: { "X-Route": `${n} ${"x".repeat(300)}` } } } };
    const put = await gateway.admin("PUT", `/routes/r${n}`, { uri: `/r${n}`, upstream: { nodes }, plugins });
    expect(put.status).toBe(201);
  }
  for (let n = 0; n < ROUTES; n += 7) await gateway.admin("DELETE", `/routes/r${n}`);
  await gateway.stop();
  original = join(work, "original");
  cpSync(join(gateway.directory, "store"), original, { recursive: true });
  acknowledged = new Map(opened(copy()).texts);
  expect(acknowledged.size).toBe(ROUTES - Math.ceil(ROUTES / 7));
});
afterAll(async () => {
  upstream?.close();
  await gateway?.end();
  rmSync(work, { recursive: true, force: true });
});

function copy(): string {
  const directory = mkdtempSync(join(work, "copy-"));
  cpSync(original, directory, { recursive: true, filter: (path) => !path.endsWith(".sock") });
  return directory;
}

/** Result of opening the store as control does at its start. */
interface Found {
  /** Reason why the store cannot be used; absent if it can. */
  unusable?: string;
  /** Resources of the store: name and text. */
  texts: [name: string, text: string][];
  /** Number of routes in the last known good generation; absent if there is none. */
  restored?: number;
}

const BUILT = new URL("../../.build/runtime/control/", import.meta.url).href;
const LOOK = `
  import { openStore } from "${BUILT}opened-store.js";
  import { storeKeys } from "${BUILT}store/keyring.js";
  const [, directory, run] = process.argv;
  const { unusable, state, saved } = openStore(directory, run, storeKeys(directory, []));
  const texts = state.resources.map((one) => [one.kind + "/" + one.id, JSON.stringify(one)]);
  process.stdout.write(JSON.stringify({ unusable, texts, restored: saved.restore()?.routes.size }));
  process.exit(0);`;

/** Opens the store as control does at its start, in a process of its own, which no damage may crash. */
function opened(directory: string, name = "undamaged"): Found {
  const run = mkdtempSync(join(work, "run-"));
  const args = ["--input-type=module", "-e", LOOK, directory, run];
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect([status, signal], `${name}: ${stderr}`).toEqual([0, null]);
  rmSync(run, { recursive: true });
  return JSON.parse(stdout) as Found;
}

/** Expects either all acknowledged resources, or a refused store with a last known good generation. */
function tried(name: string, damage: (file: Buffer) => void): "whole" | "refused" {
  const directory = copy();
  const file = join(directory, "store.lmdb");
  const bytes = readFileSync(file);
  damage(bytes);
  writeFileSync(file, bytes);
  const { unusable, texts, restored } = opened(directory, name);
  if (unusable === undefined) expect(new Map(texts), name).toEqual(acknowledged);
  else expect(restored, name).toBe(acknowledged.size + 1);
  rmSync(directory, { recursive: true });
  return unusable === undefined ? "whole" : "refused";
}

/** Generator of Numerical Recipes, for the same offsets in each run. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe("a damaged store never passes for a smaller one", () => {
  it("a store with a zeroed or filled page header is refused or complete", () => {
    const pages = readFileSync(join(original, "store.lmdb")).length / PAGE;
    const outcomes = [];
    for (let page = 0; page < pages; page += 1) {
      for (const byte of LONG ? [0x00, 0xff, 0x01] : [page % 2 === 0 ? 0x00 : 0xff]) {
        const damage = (file: Buffer) => void file.fill(byte, page * PAGE, page * PAGE + PAGE_HEADER);
        outcomes.push(tried(`page ${page} filled with ${byte}`, damage));
      }
    }
    expect(outcomes).toContain("refused");
  });

  it(`a store with any of ${FLIPS} bits flipped is refused or complete`, () => {
    const size = readFileSync(join(original, "store.lmdb")).length;
    const next = random(7);
    const outcomes = [];
    for (let n = 0; n < FLIPS; n += 1) {
      const [byte, bit] = [next(size), next(8)];
      const damage = (file: Buffer) => void file.writeUInt8((file[byte] ?? 0) ^ (1 << bit), byte);
      outcomes.push(tried(`bit ${bit} of byte ${byte}`, damage));
    }
    expect(outcomes).toContain("refused");
    expect(outcomes).toContain("whole");
  });

  it("a store with a flipped bit in its meta pages is refused or complete", () => {
    const next = random(11);
    for (let byte = 0; byte < 2 * PAGE; byte += LONG ? 3 : 150) {
      // Only the beginning of each of the two meta pages is used.
      const at = byte % PAGE > 200 ? Math.floor(byte / PAGE) * PAGE + (byte % 200) : byte;
      const damage = (file: Buffer) => void file.writeUInt8((file[at] ?? 0) ^ (1 << next(8)), at);
      tried(`head, byte ${at}`, damage);
    }
  });

  it("a store with a flipped bit in the length of its meta pages is refused or complete", () => {
    for (const page of [0, 1])
      for (let bit = 0; bit < 64; bit += LONG ? 1 : 9) {
        const at = page * PAGE + LAST_PAGE + Math.floor(bit / 8);
        const damage = (file: Buffer) => void file.writeUInt8((file[at] ?? 0) ^ (1 << (bit % 8)), at);
        tried(`head ${page}, bit ${bit} of its last page`, damage);
      }
  });

  it("a store that is cut at any page is refused or complete", () => {
    const size = readFileSync(join(original, "store.lmdb")).length;
    for (let at = 0; at < size; at += PAGE * (LONG ? 1 : 8)) {
      const directory = copy();
      truncateSync(join(directory, "store.lmdb"), at);
      const { unusable, texts } = opened(directory, `cut at ${at}`);
      if (unusable === undefined) expect(new Map(texts), `cut at ${at}`).toEqual(acknowledged);
      rmSync(directory, { recursive: true });
    }
  });
});

describe("a live gateway with a damaged store", () => {
  it("a gateway with a damaged store serves the last known good generation and names lost resources", async () => {
    const file = join(gateway.directory, "store", "store.lmdb");
    const bytes = readFileSync(file);
    const record = bytes.indexOf('"uri":"/r5"');
    expect(record).toBeGreaterThan(0);
    for (let at = record; at >= 0; at = bytes.indexOf('"uri":"/r5"', at + 1)) bytes[at + 8] = 0x53;
    writeFileSync(file, bytes);
    gateway.launch();
    const ready = () => exchange(gateway.statusPort, "GET", "/status/ready");
    const { status, json } = await until(async () => {
      const answer = await ready().catch(() => undefined);
      return answer?.text.includes("damaged") && answer.status === 200 ? answer : undefined;
    });
    expect([status, json["warnings"]]).toMatchObject([200, [{ code: "last_known_good" }]]);
    expect((json["warnings"] as { message: string }[])[0]?.message).toContain(
      `is damaged: ${acknowledged.size - 1} of ${acknowledged.size} resources can be read; missing: routes/r5`,
    );
    for (const path of ["/r5", "/file"]) {
      const answer = await until(() => gateway.get(path).catch(() => undefined));
      expect(answer.text).toBe("hello");
    }
    const write = await gateway.admin("PUT", "/routes/r6", { uri: "/other" });
    expect([write.status, write.json["error_msg"]]).toEqual([503, expect.stringContaining("is damaged")]);
  });
});
