import type { Answer } from "./message.js";

const REASONS: Readonly<Record<number, string>> = {
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  404: "Not Found",
  405: "Method Not Allowed",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
};

/** The gateway's page for a request that it could not hand to an upstream, and for one that it refuses. */
export function ownPage(status: number): Answer {
  const title = `${status} ${REASONS[status] ?? ""}`;
  const lines = [
    "<html>",
    `<head><title>${title}</title></head>`,
    "<body>",
    `<center><h1>${title}</h1></center>`,
    "<hr><center>gwc</center>",
    "</body>",
    "</html>",
  ];
  const body = lines.map((line) => `${line}\r\n`).join("");
  return { status, headers: [["Content-Type", "text/html"]], body };
}

/** No route took the request, whatever the reason (reference 2.2). */
export function noRoute(): Answer {
  return {
    status: 404,
    headers: [["Content-Type", "text/plain; charset=utf-8"]],
    body: '{"error_msg":"404 Route Not Found"}\n',
  };
}

/** TRACE is let through only where the gateway's settings say so. */
export function noTrace(): Answer {
  const page = ownPage(405);
  return { ...page, headers: [...page.headers, ["Allow", "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"]] };
}

/** What the failure of the last attempt looks like to the client (reference 3.3). */
export const STATUS_OF_FAILURE = { connect: 502, protocol: 502, timeout: 504 } as const;
