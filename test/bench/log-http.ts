import { BodyNginx } from "../support/body-nginx.js";
import type { LogDestination } from "./log-destination.js";

/** nginx on a loopback port, keeping every body. */
export const httpDestination = (
  name: string,
  settings: Record<string, unknown>,
  budget?: LogDestination["budget"],
): LogDestination => ({
  name,
  ...(budget === undefined ? {} : { budget }),
  async start() {
    const server = await BodyNginx.start();
    const uri = `http://127.0.0.1:${server.port}/ingest`;
    return {
      plugins: { "http-logger": { uri, format: "ndjson", ...settings } },
      stored: () => server.lines(),
      stop: () => server.end(),
    };
  },
});
