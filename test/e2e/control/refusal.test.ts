import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadCompiler } from "../../../runtime/control/compiler-loader.js";
import { Control } from "../../../runtime/control/control.js";
import { settingsOf } from "../../../runtime/control/settings.js";
import { attachInProcess } from "../../../runtime/control/worker-links.js";
import { ControlMessageHandler } from "../../../runtime/process/control-messages.js";
import { DataPlane } from "../../../runtime/process/data-plane.js";
import { switchLog } from "../../../runtime/process/log.js";
import { type AdminAnswer, exchange, UPSTREAM } from "./admin.js";

/** Data plane that rejects generations whose modules contain "refuse me". */
class Fussy extends DataPlane {
  override async prepare(...given: Parameters<DataPlane["prepare"]>): Promise<void> {
    if (JSON.stringify(given[1]).includes("refuse me")) throw new Error("this worker will not");
    await super.prepare(...given);
  }
}

const KEY = "refusal-tests";
const directory = mkdtempSync(join(tmpdir(), "gwc-refusal-"));
const workers = [new DataPlane(), new Fussy()];
const ports: number[] = [];
let control: Control;

beforeAll(async () => {
  switchLog(false);
  writeFileSync(join(directory, "gateway.yaml"), "");
  control = await Control.start({
    settings: settingsOf({ deployment: { admin: { admin_key: [{ name: "a", key: KEY }] } } }, directory, {}),
    origin: { kind: "files", paths: ["gateway.yaml"], directory },
    runDirectory: directory,
    storeDirectory: join(directory, "store"),
    compiler: await loadCompiler(directory),
    workers: 2,
    replace: () => {},
    environment: {},
  });
  for (const [worker, gateway] of workers.entries()) {
    attachInProcess(
      control.workers,
      new ControlMessageHandler(gateway, { accept: async () => {} }, { worker, pid: worker }, () => {}),
    );
  }
  await control.workers.whenReady();
  for (const gateway of workers) {
    ports.push((await gateway.listenOn({ host: "127.0.0.1", port: 0, setting: "" })).port);
  }
  await new Promise<void>((resolve) => control.admin.listen(0, "127.0.0.1", resolve));
});
afterAll(async () => {
  for (const gateway of workers) await gateway.close(0);
  await control.close();
  rmSync(directory, { recursive: true });
});

function admin(method: string, path: string, body?: object): Promise<AdminAnswer> {
  const { port } = control.admin.address() as AddressInfo;
  return exchange(port, method, `/gw/admin${path}`, body && JSON.stringify(body), { "X-API-KEY": KEY });
}
const answering = (body: string) => ({
  uri: "/r",
  upstream: UPSTREAM,
  plugins: { "response-rewrite": { status_code: 200, body } },
});
const served = () => Promise.all(ports.map(async (port) => (await exchange(port, "GET", "/r")).text));

describe("a write that one of two workers rejects", () => {
  it("a write that one worker rejects responds with 400 and the reason, and changes no worker and no store", async () => {
    expect((await admin("PUT", "/routes/r", answering("first"))).status).toBe(201);
    expect(await served()).toEqual(["first", "first"]);
    const refused = await admin("PUT", "/routes/r", answering("refuse me"));
    expect([refused.status, refused.json["error_msg"]]).toEqual([400, "this worker will not"]);
    expect(await served()).toEqual(["first", "first"]);
    expect((await admin("GET", "/routes/r")).json).toMatchObject({
      value: { plugins: { "response-rewrite": { body: "first" } } },
    });
  });

  it("a write that one worker rejected does not prevent the next write", async () => {
    expect((await admin("PUT", "/routes/r", answering("second"))).status).toBe(200);
    expect(await served()).toEqual(["second", "second"]);
  });
});
