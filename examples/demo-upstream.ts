import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { demoForm, demoPart } from "./demo-form.js";

const json = (
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) => {
  const text = `${JSON.stringify(body, null, 2)}\n`;
  response.writeHead(status, {
    "Content-Type": "application/json",
    "Content-Length": String(Buffer.byteLength(text)),
    "X-Internal-Service": "orders-17.internal",
    "X-Powered-By": "demo",
    ...headers,
  });
  response.end(text);
};

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", "http://demo");
  if (url.pathname.startsWith("/orders/")) {
    const paid = { card: "4111 1111 1111 1111", shipped_from: "orders-17.internal" };
    json(response, 200, { order: url.pathname.slice(8), ...paid, seen_headers: request.headers });
  } else if (url.pathname.startsWith("/reports/")) {
    const text = gzipSync("Quarterly figures: CONFIDENTIAL, strictly confidential.\n");
    response.writeHead(200, { "Content-Type": "text/plain", "Content-Encoding": "gzip" });
    response.end(text);
  } else if (/^\/(?:register|newsletter)$/.test(url.pathname) && request.method !== "POST") {
    const { headers, body } =
      demoPart(url.searchParams.get("part")) ?? demoForm(url.pathname, url.searchParams);
    response.writeHead(200, headers);
    response.end(body);
  } else if (request.method === "POST") {
    text(request).then(
      (body) =>
        json(response, 200, {
          welcome: new URLSearchParams(body).get("email"),
          fields: [...new URLSearchParams(body).keys()],
          seen_headers: request.headers,
        }),
      () => response.destroy(),
    );
  } else {
    json(response, 200, { method: request.method, target: request.url, seen_headers: request.headers });
  }
}

/** The upstream of `npm start`: shows what arrived, with a few answers that the example routes rewrite. */
export async function startDemoUpstream(port: number): Promise<Server> {
  const server = createServer(answer);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return server;
}
