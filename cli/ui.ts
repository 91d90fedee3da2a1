import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { hasUserInfo, USER_INFO } from "../runtime/abi/admin-call.js";
import { isLoopbackName } from "../runtime/control/admin/browser.js";
import { DASHBOARD, dashboard } from "../runtime/control/admin/dashboard.js";
import { RemoteAdmin } from "../runtime/control/local-dashboard/remote-admin.js";
import { localDashboard } from "../runtime/control/local-dashboard/server.js";
import { keyInFile, UsageError } from "./options.js";
import { complain, failed } from "./output.js";

export interface UiOptions {
  admin: string;
  /** File with the key for requests without one; "none" makes the user sign in. */
  keyFile: string;
  port: string;
  open: "auto" | "never";
}

/** Drain timeout in ms after SIGINT or SIGTERM. */
const CLOSE_MS = 2_000;

/** `gwc ui`: serves the web interface for another gateway on loopback, until it is stopped. */
export async function ui(options: UiOptions): Promise<number> {
  const { admin, keyFile, port, open } = options;
  try {
    const url = urlOf(admin);
    const key = keyFile === "none" ? undefined : keyInFile(keyFile);
    return await serve(url, key, portOf(port), open);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return failed(error.message, 2);
  }
}

async function serve(
  url: URL,
  key: string | undefined,
  port: number,
  open: UiOptions["open"],
): Promise<number> {
  if (dashboard("/").status !== 200)
    return failed(
      "the web interface is not part of this installation: run `npm run build` in the checkout",
      1,
    );
  const remote = new RemoteAdmin(url, key);
  const server = localDashboard(remote);
  const stopped = Promise.race([once(process, "SIGTERM"), once(process, "SIGINT")]);
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    await remote.close();
    const { code, message } = error as NodeJS.ErrnoException;
    const taken =
      code === "EADDRINUSE" ? `port ${port} is in use: choose another with --port, or 0 for any` : message;
    return failed(`cannot listen on 127.0.0.1: ${taken}`, 1);
  }
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${DASHBOARD}`;
  process.stdout.write(`web interface of ${remote.address}: ${address}\n`);
  if (url.protocol === "http:" && !isLoopbackName(url.hostname.replace(/^\[(.*)\]$/, "$1")))
    complain(
      "the key is sent over the network in plain text: use https, or a tunnel (ssh -L 9180:127.0.0.1:9180 HOST)",
    );
  if (key !== undefined)
    complain("everyone who can call this address on this machine acts with the key of --key-file");
  const fault = await remote.fault();
  if (fault !== undefined) complain(`${remote.address} does not respond: ${fault}`);
  if (open === "auto") openBrowser(address);
  await stopped;
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await once(server, "close");
  clearTimeout(timer);
  await remote.close();
  return 0;
}

function urlOf(text: string): URL {
  if (hasUserInfo(text)) throw new UsageError(USER_INFO);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !["http:", "https:"].includes(url.protocol))
    throw new UsageError(
      `--admin must be a URL, such as https://gateway.example.com:9180, not ${JSON.stringify(text)}`,
    );
  if (url.search !== "" || url.hash !== "")
    throw new UsageError("--admin must have no query and no fragment");
  if (/\/gw\/(?:admin|ui)\/?$/.test(url.pathname))
    throw new UsageError(`--admin must be the address before ${url.pathname}: remove that path`);
  return url;
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port must be 0 to 65535, not ${JSON.stringify(text)}`);
  return port;
}

/** Opens a browser, but only at a terminal with a display. */
function openBrowser(address: string): void {
  const { platform, env } = process;
  const hasScreen = platform === "darwin" || Boolean(env["DISPLAY"] ?? env["WAYLAND_DISPLAY"]);
  if (!process.stdout.isTTY || !hasScreen) return;
  const child = spawn(platform === "darwin" ? "open" : "xdg-open", [address], {
    detached: true,
    stdio: "ignore",
  });
  child.on("error", () => {});
  child.unref();
}
