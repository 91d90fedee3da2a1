import type { Path } from "./source.js";

/** Address that a gateway with these settings listens on. */
export interface Listener {
  setting: string;
  path: Path;
  address: string;
  port: number;
  /** Clients connect to it without TLS. */
  open: boolean;
}
