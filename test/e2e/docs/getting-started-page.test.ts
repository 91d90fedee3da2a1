import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it } from "vitest";
import { CLI, useTemporaryDirectory } from "../../support/cli.js";
import { commandsOf, type PageShell, pageShell, patternOf } from "../../support/console-page.js";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { fencedBlocks } from "../../tools/plugin-docs.js";

const directory = useTemporaryDirectory();
const files = createServer((_, response) => response.end("a file\n"));
let shell: PageShell | undefined;
let gateway: ChildProcess | undefined;

afterEach(async () => {
  await shell?.close();
  if (gateway?.exitCode === null && gateway.kill()) await once(gateway, "exit");
  files.close();
});

/** Runs `gwc run` in the page's folder on free ports. */
async function serve(ports: Record<string, number>): Promise<void> {
  const local = (port: number | undefined) => ({ ip: "127.0.0.1", port });
  const settings = {
    gw: { node_listen: [local(ports["9080"])], status: local(ports["7085"]), workers: 1 },
    deployment: { admin: { admin_listen: local(ports["9180"]) } },
    plugin_attr: { prometheus: { enable_export_server: false } },
  };
  writeFileSync(join(directory.path, "ports.json"), JSON.stringify(settings));
  gateway = spawn(process.execPath, [CLI, "run", "gateway.yaml", "ports.json"], {
    cwd: directory.path,
    stdio: "ignore",
  });
  const ready = () => fetch(`http://127.0.0.1:${ports["7085"]}/status/ready`).then(({ ok }) => ok);
  await until(() => ready().catch(() => false));
}

it("each command of docs/getting-started.md prints the output that the page shows", async () => {
  files.listen(0, "127.0.0.1");
  await once(files, "listening");
  const ports: Record<string, number> = { "8080": (files.address() as AddressInfo).port };
  for (const port of ["9080", "9180", "7085"]) ports[port] = await freePort();
  let page = readFileSync(
    fileURLToPath(new URL("../../../docs/getting-started.md", import.meta.url)),
    "utf8",
  );
  for (const [shown, port] of Object.entries(ports))
    page = page.replaceAll(new RegExp(`\\b${shown}\\b`, "g"), String(port));
  const [configuration = ""] = fencedBlocks(page, "yaml");
  writeFileSync(join(directory.path, "gateway.yaml"), configuration);
  shell = pageShell(directory.path);
  const npx = join(directory.path, "bin/npx");
  writeFileSync(npx, '#!/bin/sh\nexec "$@"\n');
  chmodSync(npx, 0o755);
  await serve(ports);
  const commands = commandsOf(page);
  expect(commands.length).toBeGreaterThan(7);
  for (const { command, output } of commands) {
    const printed = await shell.run(command);
    expect(printed, command).toMatch(patternOf(output ?? ""));
  }
}, 300_000);
