import { spawn } from "node:child_process";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { hasUserInfo, USER_INFO } from "../runtime/abi/user-info.js";
import { isLoopbackName } from "../runtime/control/admin/browser.js";
import { DASHBOARD, dashboard } from "../runtime/control/admin/dashboard.js";
import { RemoteAdmin } from "../runtime/control/local-dashboard/remote-admin.js";
import { localDashboard } from "../runtime/control/local-dashboard/server.js";
import { AdminKeyError, keyInFile } from "./admin-key.js";
import { complain } from "./complain.js";

export interface UiOptions {
  /** URL of the gateway. */
  admin: string;
  /** File with the key of calls that bring none; "none": whoever opens the page signs in. */
  keyFile: string;
  port: string;
  open: "auto" | "never";
}

/** For requests under way after SIGINT or SIGTERM. */
const CLOSE_MS = 2_000;

/** What is wrong with the command as it was typed. */
class UsageError extends Error {}

/** `gwc ui`: the web interface for a gateway elsewhere, on loopback, until it is told to stop. */
export async function ui(options: UiOptions): Promise<number> {
  let given: { url: URL; key: string | undefined; port: number };
  try {
    given = { url: urlOf(options.admin), key: keyOf(options.keyFile), port: portOf(options.port) };
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return failed(error.message, 2);
  }
  if (dashboard("/").status !== 200)
    return failed(
      "the web interface is not part of this installation: run `npm run build` in the checkout",
      1,
    );
  return serve(given, options.open);
}

async function serve(
  { url, key, port }: { url: URL; key: string | undefined; port: number },
  open: UiOptions["open"],
): Promise<number> {
  const remote = new RemoteAdmin(url, key);
  const server = localDashboard(remote);
  const told = new Promise<void>((resolve) => {
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => resolve());
  });
  try {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  } catch (error) {
    await remote.close();
    const { code, message } = error as NodeJS.ErrnoException;
    const taken =
      code === "EADDRINUSE" ? `port ${port} is taken: name another by --port, 0 takes any` : message;
    return failed(`the web interface cannot listen on 127.0.0.1: ${taken}`, 1);
  }
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}${DASHBOARD}`;
  process.stdout.write(`web interface of ${remote.address}: ${address}\n`);
  if (url.protocol === "http:" && !isLoopbackName(url.hostname.replace(/^\[(.*)\]$/, "$1")))
    complain(
      "the key goes over the network in plain text: use https, or a tunnel (ssh -L 9180:127.0.0.1:9180 HOST)",
    );
  if (key !== undefined)
    complain("whoever can call this address on this machine acts with the key of the file");
  const fault = await remote.fault();
  if (fault !== undefined) complain(`${remote.address} does not answer: ${fault}`);
  if (open === "auto") openBrowser(address);
  await told;
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
      `--admin ${JSON.stringify(text)} is no URL, such as https://gateway.example.com:9180`,
    );
  if (url.search !== "" || url.hash !== "")
    throw new UsageError("--admin is an address without query and fragment");
  if (/\/gw\/(?:admin|ui)\/?$/.test(url.pathname))
    throw new UsageError(`--admin is the address before ${url.pathname}: leave that out`);
  return url;
}

function keyOf(file: string): string | undefined {
  if (file === "none") return undefined;
  try {
    return keyInFile(file);
  } catch (error) {
    throw error instanceof AdminKeyError ? new UsageError(error.message) : error;
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65_535)) throw new UsageError(`--port ${JSON.stringify(text)} is no port: 0 to 65535`);
  return port;
}

/** Only where somebody sits: a terminal with a screen. */
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

function failed(text: string, code: number): number {
  complain(text);
  return code;
}
