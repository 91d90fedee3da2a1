import { expect, it } from "vitest";
import { closedAfterFault } from "../../../runtime/control/opened-store.js";
import { memoryStore, StoreError } from "../../../runtime/control/store/store.js";

const COMMIT = { put: [], remove: [], generation: 1, revision: 1 };

/** Store whose first write fails with the code; `told` records its reports of failures. */
function failingOnce(code: unknown) {
  const told: boolean[] = [];
  const handed: string[] = [];
  let next: unknown = code;
  const store = closedAfterFault(
    {
      ...memoryStore(),
      commit() {
        handed.push("commit");
        const cause = Object.assign(new Error("numbers from memory"), { code: next });
        next = undefined;
        if (cause.code !== undefined) throw new StoreError("not taken", { cause });
      },
    },
    (isAsked) => told.push(isAsked),
  );
  return { store, told, handed };
}

it("a store passes no write to LMDB after a system failure, and reports each failed write", () => {
  const { store, told, handed } = failingOnce(5);
  expect(() => store.commit(COMMIT)).toThrow("not taken");
  const reason = "the store rejects writes until control has restarted: the disk failed (EIO)";
  expect(() => store.commit(COMMIT)).toThrow(reason);
  expect(() => store.makeRoom(COMMIT)).toThrow(reason);
  expect(handed).toHaveLength(1);
  expect(told).toEqual([true, true, true]);
});

it("a store reports whether a failed write was requested", () => {
  const { store, told } = failingOnce(5);
  expect(() => store.commit({ ...COMMIT, isBackground: true })).toThrow("not taken");
  expect(() => store.makeRoom({ ...COMMIT, isBackground: true })).toThrow("until control has restarted");
  expect(() => store.makeRoom(COMMIT)).toThrow("until control has restarted");
  expect(told).toEqual([false, false, true]);
});

it.each([
  ["an error of LMDB itself", -30_792],
  ["want of room, which is found before LMDB sees the write", "ENOSPC"],
])("a store accepts writes after %s", (_, code) => {
  const { store, told } = failingOnce(code);
  expect(() => store.commit(COMMIT)).toThrow("not taken");
  store.makeRoom(COMMIT);
  store.commit(COMMIT);
  expect(told).toEqual([]);
});
