import { constants, setPriority } from "node:os";

/** For threads that draw and compute: on Linux the priority is the calling thread's, so that they wait for requests, not the other way round. */
export function giveWayToRequests(): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // A sandbox may forbid the call; then both are as important.
  }
}
