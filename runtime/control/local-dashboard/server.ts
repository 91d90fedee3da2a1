import type { IncomingMessage, ServerResponse } from "node:http";
import { messageOf } from "../../abi/error-message.js";
import { sendAnswer } from "../../process/api-response.js";
import { type ApiResponse, failure, page } from "../admin/answer.js";
import { readBody } from "../admin/body.js";
import { isForeign, isLoopbackName, nameOfHost } from "../admin/browser.js";
import { DASHBOARD, dashboard } from "../admin/dashboard.js";
import { type HardenedServer, hardenedServer } from "../hardened-server.js";
import { NO_PAGE, type RemoteAdmin } from "./remote-admin.js";

const ADMIN = "/gw/admin";
const METHODS = new Set(["GET", "HEAD", "PUT", "POST", "PATCH", "DELETE"]);

/**
 * Web interface for a remote gateway: serves the pages and forwards calls of the admin API. For a loopback
 * listener: it accepts only loopback names, and calls only from its own pages and from programs.
 */
export function localDashboard(remote: RemoteAdmin): HardenedServer {
  return hardenedServer((request, response) => {
    void serve(remote, request, response);
  });
}

async function serve(remote: RemoteAdmin, request: IncomingMessage, response: ServerResponse): Promise<void> {
  try {
    const answer = await answerTo(remote, request, response);
    if (answer !== undefined && !response.destroyed) sendAnswer(response, answer, NO_PAGE);
  } catch (error) {
    if (response.headersSent) response.destroy();
    else sendAnswer(response, failure(500, messageOf(error)), NO_PAGE);
  }
}

async function answerTo(
  remote: RemoteAdmin,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<ApiResponse | undefined> {
  const { method = "GET", url = "/", headers } = request;
  // Prevents DNS rebinding: a page may point its own host name here.
  if (!isLoopbackName(nameOfHost(headers.host ?? "")))
    return failure(
      403,
      `Host is ${JSON.stringify((headers.host ?? "").slice(0, 256))}: call it as 127.0.0.1 or localhost`,
    );
  const [path = "/"] = url.split("?", 1);
  const isAdmin = isBelow(path, ADMIN);
  if (!METHODS.has(method) || (!isAdmin && method !== "GET" && method !== "HEAD"))
    return page(405, "Not Allowed");
  if (path === "/") return { status: 302, headers: { Location: DASHBOARD } };
  if (isBelow(path, DASHBOARD))
    return dashboard(path.slice(DASHBOARD.length), headers["accept-encoding"], !remote.hasKey);
  if (!isAdmin) return page(404, "Not Found");
  if (isForeign(request)) return failure(403, "only programs and pages of this origin may call");
  if (hasDots(path)) return page(400, "Bad Request");
  const body = await readBody(request);
  return typeof body === "string" ? remote.forward(request, url, body, response) : body;
}

const isBelow = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`);

/** Maximum levels of nested escapes that a proxy in front of the gateway might decode. */
const PASSES = 3;

/** Detects dot segments in any spelling: a proxy could resolve them to outside of the admin API. */
function hasDots(path: string): boolean {
  let text = path;
  for (let pass = 0; pass <= PASSES; pass += 1) {
    if (text.includes("\\") || text.includes("\0")) return true;
    if (text.split("/").some((segment) => /^\.{1,2}(?:;.*)?$/s.test(segment))) return true;
    if (!text.includes("%")) return false;
    try {
      text = decodeURIComponent(text);
    } catch {
      return true;
    }
  }
  return true;
}
