import { beforeAll, expect, it, onTestFinished } from "vitest";
import { type Issued, issue } from "../../support/certificates.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { ProcessGateway } from "../process/gateway.js";
import { atLevel, handshake } from "./harness.js";

// Writes and dry runs of certificates while no worker runs.

let rsa: Issued;
let ecdsa: Issued;
let wild: Issued;
beforeAll(() => {
  rsa = issue({ names: ["c.example"], kind: "rsa" });
  ecdsa = issue({ names: ["c.example"] });
  wild = issue({ names: ["*.example"] });
});

const ADOPTED = { id: "adopted", nodes: { "127.0.0.1:9": 1 } };
const UNKNOWN = [503, expect.stringContaining("no worker can load it now")];
const REFUSED = [400, expect.stringContaining("GW6008")];

it("without a worker, dry runs respond with 503, and control rejects certificates as workers do", async () => {
  const port = await freePort();
  const gateway = await ProcessGateway.prepare({});
  const launcher = () => gateway.process.pid ?? 0;
  onTestFinished(async () => {
    if (launcher() > 0) process.kill(launcher(), "SIGCONT");
    await gateway.end();
  });
  const ssl = { listen: [{ ip: "127.0.0.1", port }], ...atLevel(3) };
  gateway.write({}, { workers: 1, ssl });
  await gateway.open();
  const call = async (method: string, path: string, body?: object) => {
    const { status, text } = await gateway.admin(method, path, body);
    return [status, text];
  };
  expect((await call("PUT", "/upstreams/adopted", ADOPTED))[0]).toBe(201);
  expect((await call("PUT", "/ssls/known", { sni: "known.example", ...wild }))[0]).toBe(201);
  const { json } = await gateway.admin("GET", "/history?kind=upstreams&id=adopted");
  const [made] = json["list"] as { number: number }[];
  gateway.write({ upstreams: [ADOPTED] }, { workers: 1, ssl });

  // A stopped launcher starts no new worker.
  process.kill(launcher(), "SIGSTOP");
  process.kill(gateway.child("worker"), "SIGKILL");
  await until(async () => (await gateway.workers()).length === 0);
  const written = { sni: "c.example", ...ecdsa };
  const trials: [string, string, object?][] = [
    ["PUT", "/ssls/c?dry_run=true", { ...written, ...rsa }],
    ["PUT", "/ssls/c?dry_run=true", written],
    ["PUT", "/ssls/c?dry_run=effect", written],
    ["PUT", "/ssls/c?dry_run=module", written],
    ["POST", "/ssls?dry_run=true", written],
    ["PATCH", "/ssls/known?dry_run=true", { sni: "moved.example" }],
    ["DELETE", "/ssls/known?dry_run=true"],
    ["POST", "/schema/validate/ssls", { id: "c", ...written }],
    ["POST", "/adopt/upstreams/adopted?dry_run=true"],
    ["POST", `/history/${made?.number}/revert?dry_run=true`],
  ];
  for (const trial of trials) expect([trial, ...(await call(...trial))]).toEqual([trial, ...UNKNOWN]);
  expect(await call("PUT", "/ssls/c", { sni: "c.example", ...rsa })).toEqual(REFUSED);
  expect((await call("GET", "/ssls/c"))[0]).toBe(404);
  expect((await call("PUT", "/ssls/c", written))[0]).toBe(201);

  process.kill(launcher(), "SIGCONT");
  await until(() => gateway.ready());
  const socket = await handshake(port, { servername: "c.example" });
  expect(socket.getPeerCertificate().subjectaltname).toBe("DNS:c.example");
  socket.end();
  for (const [method, path, body] of trials.slice(1)) {
    const [status] = await call(method, path, body);
    expect([method, path, status]).not.toContain(503);
  }
});
