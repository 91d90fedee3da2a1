import { type ChildProcess, spawn } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { gwc, temporaryDirectory } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const COMPILER_PACKAGES = new Set(["ajv", "handlebars", "ts-morph", "@ts-morph", "typescript", "yaml"]);

/** A copy of the package as npm installs it, without the packages that only the compiler needs. */
function packageWithoutCompiler(directory: string): string {
  const copy = join(directory, "gwc");
  mkdirSync(join(copy, "node_modules"), { recursive: true });
  cpSync(join(ROOT, ".build"), join(copy, ".build"), { recursive: true });
  cpSync(join(ROOT, "package.json"), join(copy, "package.json"));
  for (const folder of ["schema", "plugins"])
    cpSync(join(ROOT, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => statSync(path).isDirectory() || path.endsWith(".json"),
    });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (COMPILER_PACKAGES.has(name) || name.startsWith(".")) continue;
    symlinkSync(join(ROOT, "node_modules", name), join(copy, "node_modules", name));
  }
  return join(copy, ".build/bundle/gwc.js");
}

async function untilAnswered(url: string, child: ChildProcess): Promise<Response> {
  return until(async () => {
    if (child.exitCode !== null) throw new Error(`gwc run ended with ${child.exitCode}`);
    const response = await fetch(url).catch(() => undefined);
    return response?.ok ? response : undefined;
  });
}

it("gwc run serves a build without compiler packages, rejects admin writes and masks credentials", async () => {
  const directory = temporaryDirectory();
  const upstream = createServer((_, response) => response.end("from the upstream"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  const [data, admin, status] = [await freePort(), await freePort(), await freePort()];
  writeFileSync(
    join(directory.path, "gateway.json"),
    JSON.stringify({
      gw: {
        node_listen: [{ ip: "127.0.0.1", port: data }],
        workers: 1,
        status: { ip: "127.0.0.1", port: status },
      },
      deployment: {
        admin: {
          admin_listen: { ip: "127.0.0.1", port: admin },
          admin_key: [{ name: "a", key: "${{TEST_ADMIN_KEY}}", role: "admin" }],
        },
      },
      upstreams: [{ id: "u", nodes: { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 } }],
      services: [{ id: "s", upstream_id: "u", plugins: { "key-auth": { header: "X-Shop" } } }],
      routes: [
        {
          id: "r",
          uri: "/*",
          upstream_id: "u",
          plugins: {
            "response-rewrite": { headers: { set: { "X-Built": "yes" } } },
            "proxy-rewrite": {
              headers: { set: { "X-Shop": "s3cret-one", Authorization: "Bearer s3cret-two" } },
            },
            "file-logger": { _meta: { disable: true }, path: "a.log", pasword: "s3cret-three" },
          },
        },
      ],
    }),
  );
  const environment = { TEST_ADMIN_KEY: "key-of-the-test-0123456789" };
  expect(gwc(directory.path, ["build", "gateway.json", "--out", "dist"], environment)).toMatchObject({
    status: 0,
  });

  const headers = { "X-API-KEY": environment.TEST_ADMIN_KEY };
  const cli = packageWithoutCompiler(directory.path);
  const child = spawn(process.execPath, [cli, "run", "dist"], {
    cwd: directory.path,
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    const answer = await untilAnswered(`http://127.0.0.1:${data}/a`, child);
    expect(await answer.text()).toBe("from the upstream");
    expect(answer.headers.get("x-built")).toBe("yes");
    const write = await fetch(`http://127.0.0.1:${admin}/gw/admin/routes/x`, {
      method: "PUT",
      headers,
      body: JSON.stringify({ uri: "/x", upstream_id: "u" }),
    });
    expect(write.status).toBeGreaterThanOrEqual(400);
    expect(await write.text()).toContain("error_msg");
    for (const path of ["routes", "routes/r", "export", "export?origin=files"]) {
      const read = await fetch(`http://127.0.0.1:${admin}/gw/admin/${path}`, { headers });
      const text = await read.text();
      expect([path, read.status, text]).toEqual([path, 200, expect.stringContaining('"X-Built":"yes"')]);
      expect([path, text]).toEqual([path, expect.not.stringContaining("s3cret")]);
    }
  } finally {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    upstream.close();
    directory.remove();
  }
});
