import { constants, setPriority } from "node:os";

/**
 * Lowers the priority of a thread that draws or computes: on Linux the priority is per thread. So such
 * threads wait for requests, not the other way round.
 */
export function giveWayToRequests(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid the call; then the priorities stay equal.
  }
}
