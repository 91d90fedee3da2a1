/** Answers for control while it is not there yet (`process/start-responder.ts`): it lives, it is not ready, and why. */
import "../process/signals.js";
import "../process/whole-lines.js";
import type { IncomingMessage, ServerResponse } from "node:http";
import { obeyLauncher } from "../process/inherited.js";
import type { ToResponder } from "../process/start-responder.js";
import { type Starting, startingAt, startingReason } from "../process/starting.js";
import { type OwnServer, ownServer } from "./own-listener.js";

/** Seconds after which a client of the admin API may try again; a small configuration starts in one. */
const RETRY_AFTER = "1";
const END_MS = 500;

let starting: Starting = startingAt("settings");
const servers: OwnServer[] = [];

obeyLauncher(() => {
  for (const server of servers) server.close();
  for (const server of servers) server.closeIdleConnections();
  setTimeout(() => process.exit(0), END_MS).unref();
  if (process.connected) process.disconnect();
});

process.on("message", (message: ToResponder, handle) => {
  if (message.type === "starting") starting = message.starting;
  if (message.type !== "listener") return;
  const server = ownServer(message.kind === "status" ? status : refuse);
  server.on("error", () => {});
  server.listen(handle);
  servers.push(server);
});

function status({ url = "/", method }: IncomingMessage, response: ServerResponse): void {
  const [path] = url.split("?", 1);
  if (path === "/status" || path === "/status/live") answer(response, method, 200, { status: "ok" });
  else if (path === "/status/ready") answer(response, method, 503, notReady());
  else answer(response, method, 404, { error_msg: "not found" });
}

/** Nothing is known yet of who may ask, so nobody is told more. */
function refuse({ method }: IncomingMessage, response: ServerResponse): void {
  response.setHeader("Retry-After", RETRY_AFTER);
  answer(response, method, 503, { error_msg: "the gateway is starting" });
}

function notReady(): object {
  const reason = startingReason(starting);
  return { status: "error", error: reason.message, reasons: [reason] };
}

function answer(response: ServerResponse, method: string | undefined, code: number, body: object): void {
  const text = `${JSON.stringify(body)}\n`;
  response.writeHead(code, {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    // The next request is for control.
    Connection: "close",
  });
  response.end(method === "HEAD" ? "" : text);
}
