import { constants, setPriority } from "node:os";

/** Makes threads that draw or compute wait for requests; on Linux the priority is per thread. */
export function giveWayToRequests(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid the call; then the priorities stay equal.
  }
}
