import { execFile } from "node:child_process";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Report } from "../../../compiler/diff/report.js";
import { CLI } from "../../support/cli.js";
import { ADMIN_KEY, AdminGateway } from "../control/admin.js";

const CONFIGURATION = `upstreams:
  - { id: shop, nodes: { "10.0.0.1:80": 1 } }
consumers:
  - { username: ann, plugins: { key-auth: { key: the-key-of-ann } } }
routes:
  - { id: second, uri: /tie/*, upstream_id: shop }
  - { id: first, uri: /tie/*, upstream_id: shop, vars: [[arg_a, "==", "1"]] }
  - { id: orders, uri: /orders/*, upstream_id: shop, plugins: { key-auth: {} } }
`;

let gateway: AdminGateway;
beforeEach(async () => {
  gateway = await AdminGateway.start(CONFIGURATION);
});
afterEach(() => gateway.stop());

/** Runs gwc diff in a process of its own, while this process is the gateway. */
function diff(...args: string[]): ReturnType<typeof diffBy> {
  return diffBy(ADMIN_KEY, ...args);
}

function diffBy(key: string, ...args: string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", GWC_ADMIN_KEY: key };
    execFile(
      process.execPath,
      [CLI, "diff", ...args],
      { cwd: gateway.directory, env },
      (error, stdout, stderr) =>
        resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}

describe("gwc diff with a running gateway", () => {
  const address = () => `http://127.0.0.1:${gateway.port("admin")}`;

  it("gwc diff finds no change between a running gateway and its files, with secrets and ties", async () => {
    const { status, stdout, stderr } = await diff(address(), "gateway.yaml", "-q");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain("3 routes unchanged");
  });

  it("gwc diff shows which changes of the admin API a rollout of files would revert", async () => {
    const route = { uri: "/orders/7", upstream: { nodes: { "10.0.0.9:80": 1 } } };
    expect(await gateway.call("PUT", "/routes/hotfix", route)).toMatchObject({ status: 201 });
    const { status, stdout } = await diff(address(), "gateway.yaml", "--format", "json");
    expect(status).toBe(1);
    expect(JSON.parse(stdout) as Report).toMatchObject({
      changes: [
        {
          kind: "gone",
          subject: "hotfix",
          example: { target: "/orders/7", before: { status: 200 }, after: { status: 401, route: "orders" } },
        },
      ],
    });
    expect(stdout).not.toContain("the-key-of-ann");
  });

  it("gwc diff ends with 2 and the reason if the admin key is wrong", async () => {
    const { status, stderr } = await diffBy("nobodys-key", address(), "gateway.yaml");
    expect(status).toBe(2);
    expect(stderr).toContain("replied 401");
    expect(stderr).not.toContain("nobodys-key");
  });
});
