import type { Path } from "./source.js";

export interface Listener {
  setting: string;
  path: Path;
  address: string;
  port: number;
  /** Clients connect without TLS. */
  open: boolean;
}
