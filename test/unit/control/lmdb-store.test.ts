import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { open } from "lmdb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openLmdbStore } from "../../../runtime/control/store/lmdb.js";
import { withChecksum } from "../../../runtime/control/store/records.js";
import {
  DamagedStoreError,
  type HistoryRecord,
  type StoredResource,
  StoreError,
} from "../../../runtime/control/store/store.js";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-lmdb-"));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const resource = (id: string, uri = `/${id}`): StoredResource => ({
  kind: "routes",
  id,
  value: { id, uri },
  createdIndex: 1,
  modifiedIndex: 1,
});

/** Changes the file without the store. */
async function behind(change: (raw: ReturnType<typeof open<unknown, string>>) => void): Promise<void> {
  const raw = open<unknown, string>({ path: join(directory, "store.lmdb"), encoding: "json" });
  raw.transactionSync(() => change(raw));
  await raw.close();
}

async function holding(ids: string[]): Promise<void> {
  const store = openLmdbStore(directory);
  store.commit({ put: ids.map((id) => resource(id)), remove: [], generation: 3, revision: 2 });
  await store.close();
}

async function loaded(): Promise<ReturnType<ReturnType<typeof openLmdbStore>["load"]>> {
  const store = openLmdbStore(directory);
  try {
    return store.load();
  } finally {
    await store.close();
  }
}

const changeOf = (number: number, after: StoredResource): HistoryRecord => ({
  ...{ number, time: "2026-11-23T00:00:00Z", key: null, address: null, note: null, method: "PUT" },
  ...{ kind: after.kind, id: after.id, changed: ["/uri"], before: null, after },
});

const damage = (error: unknown) => (error instanceof DamagedStoreError ? [...error.intact].sort() : error);

describe("the store on disk", () => {
  it("the store returns resources after puts, replacements and removals", async () => {
    await holding(["a", "b", "c"]);
    const store = openLmdbStore(directory);
    const remove = [{ kind: "routes" as const, id: "b" }];
    store.commit({ put: [resource("a", "/other"), resource("d")], remove, generation: 4, revision: 3 });
    await store.close();
    const { generation, revision, resources } = await loaded();
    expect([generation, revision]).toEqual([4, 3]);
    expect(resources).toEqual([resource("a", "/other"), resource("c"), resource("d")]);
  });

  it.each<[string, Parameters<typeof behind>[0], string[]]>([
    [
      "a changed value",
      (raw) => void raw.put("resource/routes/b", { ...resource("b", "/open"), sum: "0".repeat(32) }),
      ["routes/a", "routes/c"],
    ],
    ["a vanished record", (raw) => void raw.remove("resource/routes/b"), ["routes/a", "routes/c"]],
    [
      "a record under another key",
      (raw) => void raw.put("resource/routes/z", raw.get("resource/routes/a")),
      ["routes/a", "routes/b", "routes/c"],
    ],
  ])("the store rejects %s and lists the intact resources", async (_name, change, intact) => {
    await holding(["a", "b", "c"]);
    await behind(change);
    expect(await loaded().catch(damage)).toEqual(intact);
  });

  it("the store rejects an older record that was restored with its valid checksum", async () => {
    await holding(["a", "b"]);
    let before: unknown;
    await behind((raw) => {
      before = raw.get("resource/routes/a");
    });
    const store = openLmdbStore(directory);
    store.commit({ put: [resource("a", "/newer")], remove: [], generation: 4, revision: 3 });
    await store.close();
    await behind((raw) => void raw.put("resource/routes/a", before));
    await expect(loaded()).rejects.toThrow(DamagedStoreError);
  });

  it.each<[string, Parameters<typeof behind>[0]]>([
    ["is gone", (raw) => void raw.remove("meta")],
    ["is another one", (raw) => void raw.put("meta", { ...(raw.get("meta") as object), generation: 2 })],
  ])("the store is rejected if its head %s", async (_name, change) => {
    await holding(["a"]);
    await behind(change);
    await expect(loaded()).rejects.toThrow(StoreError);
  });

  it.each<[string, (raw: Parameters<Parameters<typeof behind>[0]>[0]) => void, RegExp]>([
    [
      "of a change that vanished",
      (raw) => void raw.remove("history/0000000000000002"),
      /1 of 2 changes of its history can be read, and all of its 2 resources/,
    ],
    [
      "of a change that nobody made",
      (raw) => void raw.put("history/0000000000000009", raw.get("history/0000000000000002")),
      /3 of 2 changes/,
    ],
  ])("the store rejects the history %s", async (_name, change, message) => {
    const store = openLmdbStore(directory);
    for (const number of [1, 2]) {
      const after = resource(`r${number}`);
      const history = { put: [changeOf(number, after)], drop: [] };
      store.commit({ put: [after], remove: [], generation: number, revision: number, history });
    }
    await store.close();
    expect((await loaded()).resources).toHaveLength(2);
    await behind(change);
    await expect(loaded()).rejects.toThrow(message);
  });

  it("the store counts added and dropped changes of its history, and those of an earlier version", async () => {
    await holding(["a"]);
    const after = resource("a", "/b");
    const write = async (number: number, drop: number[]) => {
      const store = openLmdbStore(directory);
      const history = { put: [changeOf(number, after)], drop };
      store.commit({ put: [after], remove: [], generation: number, revision: number, history });
      await store.close();
    };
    await write(4, []);
    await behind((raw) => {
      const { changes: _, sum: __, ...head } = raw.get("meta") as { changes: number; sum: string };
      void raw.put("meta", withChecksum("meta", head));
    });
    await write(5, []);
    await write(6, [4, 5]);
    expect((await loaded()).generation).toBe(6);
    await behind((raw) => expect(raw.get("meta")).toMatchObject({ changes: 1 }));
  });

  it("the store accepts an earlier version without checksums, and adds them with the first write", async () => {
    await behind((raw) => {
      void raw.put("resource/routes/a", resource("a"));
      void raw.put("meta", { generation: 7, revision: 5 });
    });
    expect(await loaded()).toEqual({ generation: 7, revision: 5, resources: [resource("a")] });
    const store = openLmdbStore(directory);
    store.commit({ put: [resource("b")], remove: [], generation: 8, revision: 6 });
    await store.close();
    expect((await loaded()).resources).toEqual([resource("a"), resource("b")]);
    await behind((raw) => void raw.remove("resource/routes/a"));
    await expect(loaded()).rejects.toThrow(DamagedStoreError);
  });
});

it("a store withdraws access rights of others from existing files", async () => {
  await holding(["a"]);
  const file = join(directory, "store.lmdb");
  chmodSync(directory, 0o755);
  chmodSync(file, 0o644);
  await loaded();
  expect([directory, file].map((path) => statSync(path).mode & 0o777)).toEqual([0o700, 0o600]);
});
