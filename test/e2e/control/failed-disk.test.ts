import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StoreCommit } from "../../../runtime/control/store/store.js";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

/** Error that the next commits throw; undefined: they succeed. */
const disk: { fault: Error | undefined } = vi.hoisted(() => ({ fault: undefined }));

vi.mock("../../../runtime/control/store/lmdb.js", async (load) => {
  const { openLmdbStore } = await load<typeof import("../../../runtime/control/store/lmdb.js")>();
  return {
    openLmdbStore(directory: string) {
      const store = openLmdbStore(directory);
      const commit = (change: StoreCommit) => {
        if (disk.fault !== undefined) throw disk.fault;
        store.commit(change);
      };
      return { ...store, commit };
    },
  };
});

let admin: AdminGateway;
beforeEach(async () => {
  admin = await AdminGateway.start();
});
afterEach(async () => {
  disk.fault = undefined;
  await admin.stop();
});

const statusOf = async (path: string) => (await exchange(admin.port("data"), "GET", path)).status;
const put = (id: string) => admin.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM });

it.each([
  ["EIO", "the disk failed (EIO)"],
  ["ENOSPC", "no space left on the disk (ENOSPC)"],
])(
  "a commit that fails with %s responds with 503 and changes nothing, before and after a restart",
  async (code, reason) => {
    expect((await put("before")).status).toBe(201);
    disk.fault = Object.assign(new Error(`${code}: i/o error, write`), { code });
    const { status, json } = await put("lost");
    expect([status, json["error_msg"]]).toEqual([503, reason]);
    expect((await admin.call("DELETE", "/routes/before")).status).toBe(503);
    // 502, since nothing listens at the node.
    expect([await statusOf("/before"), await statusOf("/lost")]).toEqual([502, 404]);
    expect((await admin.call("GET", "/routes/lost")).status).toBe(404);
    disk.fault = undefined;
    expect((await put("after")).status).toBe(201);
    await admin.gateway.close(0);
    await admin.open();
    expect([await statusOf("/before"), await statusOf("/lost"), await statusOf("/after")]).toEqual([
      502, 404, 502,
    ]);
    expect((await exchange(admin.port("status"), "GET", "/status/ready")).status).toBe(200);
  },
);
