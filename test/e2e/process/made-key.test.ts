// Generated admin key on the terminal of the person who starts the gateway.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { CLI } from "../../support/cli.js";
import { until } from "../../support/patience.js";
import { Terminal } from "../../support/terminal.js";
import { childrenOf, commandOf, isAlive, ProcessGateway } from "./gateway.js";

let gateway: ProcessGateway;
let terminal: Terminal;
/** Launchers in the order of their start, the successor last. */
const launchers: number[] = [];
afterEach(async () => {
  for (const pid of launchers.splice(0)) {
    if (isAlive(pid)) process.kill(pid, "SIGTERM");
    await until(() => !isAlive(pid));
  }
  terminal.process.kill();
  await gateway.end();
});

const isLauncher = (pid: number) => commandOf(pid).includes(`${CLI}\0run\0`);

it("a generated admin key is printed at the first start, but not by the successor of a handover", async () => {
  gateway = await ProcessGateway.prepare({});
  const file = join(gateway.directory, "gateway.json");
  const configuration = JSON.parse(readFileSync(file, "utf8"));
  delete configuration.deployment.admin.admin_key;
  writeFileSync(file, JSON.stringify(configuration));
  // The shell keeps the terminal open after the end of the first launcher.
  const run = `${process.execPath} ${CLI} run gateway.json`;
  terminal = new Terminal(
    `sh -c 'cd ${gateway.directory}; ${run} & echo launcher $! . ; wait; cat'`,
    process.env,
  );
  gateway.process = terminal.process;
  const first = await until(() => Number(/launcher (\d+) /.exec(terminal.raw)?.[1]) || undefined);
  launchers.push(first);
  const key = await until(() => /the generated key is (\S+)/.exec(terminal.raw)?.[1]);
  expect(key).toMatch(/^[\w-]{20,}$/);
  process.kill(first, "SIGUSR2");
  launchers.push(await until(() => childrenOf(first).find(isLauncher)));
  await until(() => terminal.raw.split("no admin_key is configured").length === 3);
  expect(terminal.raw.split(key)).toHaveLength(2);
  expect(terminal.raw).toMatch(/the generated key is in \S+/);
});
