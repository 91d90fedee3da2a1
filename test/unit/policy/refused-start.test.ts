import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import "../../../plugins/index.js";
import { readDeployment } from "../../../compiler/thread/deployment-reader.js";

const TLS = "listeners: { tls: required }\n";
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "gwc-policy-"));
});
afterEach(() => rmSync(directory, { recursive: true }));

/** Returns the outcome of a start that reads these files in order. */
function read(files: Readonly<Record<string, string>>, policy: string) {
  for (const [name, text] of Object.entries({ ...files, "policy.yaml": policy }))
    writeFileSync(join(directory, name), text);
  return readDeployment(Object.keys(files), directory, "policy.yaml");
}

const PLAIN = "gw: { node_listen: 9080 }\n";
const SECURE = "gw: { node_listen: [{ ip: 127.0.0.1, port: 9080 }], ssl: { listen: [9443] } }\n";
const BROKEN = [
  ["cannot be parsed", "routes: [{ id: a,\n"],
  ["gives a key twice", "routes: []\nroutes: []\n"],
  ["has a faulty setting", 'gw: { workers: "2" }\n'],
  ["has a faulty resource", "routes: [{ id: a, uri: 1 }]\n"],
] as const;

it.each(BROKEN)(
  "GW9007 stops a start with a listener that the policy forbids if another file %s",
  async (_, text) => {
    const front = await read({ "a.yaml": PLAIN, "b.yaml": text }, TLS);
    expect(front.report).toMatch(/a\.yaml:1:20 error GW9007: .*0\.0\.0\.0:9080/);
    expect(front.unreadable).toBe(true);
    expect((await read({ "b.yaml": text, "a.yaml": PLAIN }, TLS)).unreadable).toBe(true);
  },
);

it.each(BROKEN)(
  "GW9007 stops a start with a default listener that the policy forbids if another file %s",
  async (_, text) => {
    const front = await read({ "a.yaml": "gw: { workers: 2 }\n", "b.yaml": text }, TLS);
    expect(front.report).toContain("error GW9007");
    expect(front.unreadable).toBe(true);
  },
);

it.each(BROKEN)(
  "GW9001 stops a start with the section of a plugin that the policy denies if another file %s",
  async (_, text) => {
    const front = await read({ "a.yaml": "captcha: {}\n", "b.yaml": text }, "plugins: { deny: [captcha] }\n");
    expect(front.report).toMatch(/a\.yaml:1:\d+ error GW9001/);
    expect(front.unreadable).toBe(true);
  },
);

it.each(BROKEN)("a start uses settings that the policy allows if another file %s", async (_, text) => {
  const front = await read({ "a.yaml": SECURE, "b.yaml": text }, TLS);
  expect(front.report).not.toContain("GW9");
  expect(front).toMatchObject({ unreadable: false, deployment: { gw: { ssl: {} } } });
});

it("a violation is reported once", async () => {
  const { report } = await read({ "a.yaml": `${PLAIN}routes: [{ id: a, uri: 1 }]\n` }, TLS);
  expect(report.match(/GW9007/g)).toHaveLength(1);
});

it.each([
  ["cannot be parsed", "listeners: {\n"],
  ["is no policy", "listeners: { tls: always }\n"],
])("a start is stopped under a policy that %s", async (_, policy) => {
  expect((await read({ "a.yaml": SECURE }, policy)).unreadable).toBe(true);
});
