import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, it } from "vitest";
import { endProcesses } from "../../suite/leftovers.js";
import { useTemporaryDirectory } from "../../support/cli.js";

const directory = useTemporaryDirectory();

/**
 * Starts processes in a session of their own, without the environment, without a parent, and one that ignores
 * signals of a terminal.
 */
const STARTS = "setsid sleep 600 & env -i sleep 600 & (sleep 600 &); trap '' INT TERM; echo; sleep 600";

it("the end of a run ends all processes that the run started and none of another run", async () => {
  const env = { ...process.env, TMPDIR: directory.path };
  const shell = spawn("sh", ["-c", STARTS], { env, stdio: ["ignore", "pipe", "ignore"] });
  const ended = once(shell, "exit");
  await once(shell.stdout, "data");
  expect(endProcesses(`${directory.path}-of-another`)).toEqual([]);
  expect(endProcesses(directory.path).length).toBeGreaterThanOrEqual(4);
  await ended;
  // A killed process exists until the kernel has ended it.
  await expect.poll(() => endProcesses(directory.path)).toEqual([]);
});
