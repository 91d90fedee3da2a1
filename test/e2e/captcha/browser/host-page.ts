import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A page of a site that uses the captcha, as its author would write it. */
export interface Scenario {
  /** HTML behind <title>. Default: the script tag of the documentation. */
  head?: string;
  body: string;
  headers?: Readonly<Record<string, string>>;
  /** Attributes of <html>. */
  html?: string;
}

/** A request of a browser to the site. */
interface Received {
  path: string;
  type: string;
  body: string;
}

export interface HostSite {
  /** Origin, `http://site.localhost:<port>`. */
  readonly origin: string;
  readonly port: number;
  /** Requests with a body, in order: forms at /submit, CSP reports at /csp, reports of scripts at /report. */
  readonly received: Received[];
  /** Publishes a page and returns its URL. */
  page(scenario: Scenario): string;
  close(): Promise<void>;
}

function html(scenario: Scenario, scriptTag: string): string {
  return `<!doctype html>
<html ${scenario.html ?? 'lang="ru"'}>
<head><meta charset="utf-8"><title>A page of a site</title>
${scenario.head ?? scriptTag}
</head>
<body>
${scenario.body}
</body>
</html>
`;
}

async function text(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

/**
 * Serves pages on an origin of their own, and records the requests of browsers.
 * @param captchaUrl origin of the captcha service, for the script tag
 * @param hostname a name below `localhost`
 */
export async function startHostSite(captchaUrl: string, hostname = "site.localhost"): Promise<HostSite> {
  const scriptTag = `<script src="${captchaUrl}/captcha.js" async defer></script>`;
  const pages = new Map<string, Scenario>();
  const received: Received[] = [];

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "/").split("?")[0] ?? "/";
    if (request.method === "POST") {
      received.push({ path, type: request.headers["content-type"] ?? "", body: await text(request) });
      if (path === "/submit") response.writeHead(200, { "Content-Type": "text/html; charset=utf-8" });
      else response.writeHead(204);
      response.end(path === "/submit" ? "<!doctype html><title>Sent</title><p>Sent</p>" : undefined);
      return;
    }
    const scenario = pages.get(path);
    if (!scenario) {
      response.writeHead(path === "/blank" ? 200 : 404, { "Content-Type": "text/html; charset=utf-8" });
      response.end("<!doctype html><title>Blank</title>");
      return;
    }
    response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", ...scenario.headers });
    response.end(html(scenario, scriptTag));
  }

  const server: Server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://${hostname}:${port}`;
  return {
    origin,
    port,
    received,
    page(scenario) {
      const path = `/${randomUUID()}`;
      pages.set(path, scenario);
      return origin + path;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
