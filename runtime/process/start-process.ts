import type { ChildProcess } from "node:child_process";

/**
 * Starts a process. Node throws some failures, such as too little memory, and emits others as `error`.
 * @param notStarted receives both; `child` is absent if Node threw
 */
export function startProcess(
  start: () => ChildProcess,
  notStarted: (error: Error, child?: ChildProcess) => void,
): ChildProcess | undefined {
  try {
    const child = start();
    child.on("error", (error) => {
      if (child.pid === undefined) notStarted(error, child);
    });
    return child;
  } catch (error) {
    notStarted(error as Error);
    return undefined;
  }
}
