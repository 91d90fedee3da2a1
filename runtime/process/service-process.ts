/**
 * Interface for the process of a service, a child of the launcher. Its entry imports this first: it sets up
 * signals and the log of crashes.
 */
import "./signals.js";
import "./crash-log.js";

export { linkToControl } from "./control-link.js";
/** Heartbeat for the watchdog thread, which ends a process that stalls. */
export { startHeartbeat } from "./heartbeat.js";
export { ENVIRONMENT, SERVICE_DRAIN_MS } from "./launch-plan.js";
export { fromLauncher, inheritedListeners, obeyLauncher, tellLauncher } from "./launcher-link.js";
export { log } from "./log.js";
export { storeRestart } from "./store-restart.js";
