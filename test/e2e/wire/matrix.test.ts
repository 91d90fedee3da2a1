import { describe, expect, it } from "vitest";
import { chunked, fieldValues } from "../../../runtime/control/in-process/wire-message.js";
import { proxyTo } from "./gateway.js";

const BODY = "response-body ".repeat(40);
const SENT = "request-body ".repeat(40);

const REQUESTS = {
  GET: (version: string) => `GET /m HTTP/${version}\r\nHost: a.example\r\n\r\n`,
  HEAD: (version: string) => `HEAD /m HTTP/${version}\r\nHost: a.example\r\n\r\n`,
  "POST length": (version: string) =>
    `POST /m HTTP/${version}\r\nHost: a.example\r\nContent-Length: ${SENT.length}\r\n\r\n${SENT}`,
  "POST chunked": (version: string) =>
    `POST /m HTTP/${version}\r\nHost: a.example\r\nTransfer-Encoding: chunked\r\n\r\n${chunked(SENT, 100)}`,
} as const;

const RESPONSES = {
  length: (version: string, body: string) =>
    `HTTP/${version} 200 OK\r\nContent-Length: ${BODY.length}\r\n\r\n${body}`,
  chunked: (version: string, body: string) =>
    `HTTP/${version} 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${body === "" ? "" : chunked(body, 77)}`,
  close: (version: string, body: string) => `HTTP/${version} 200 OK\r\n\r\n${body}`,
} as const;

describe.each(["1.0", "1.1"])("client HTTP/%s", (clientVersion) => {
  describe.each(["1.0", "1.1"])("upstream HTTP/%s", (upstreamVersion) => {
    for (const [requestName, request] of Object.entries(REQUESTS)) {
      for (const [responseName, response] of Object.entries(RESPONSES)) {
        // Neither side may use chunked with HTTP/1.0 (RFC 9112 section 6.1).
        if (requestName === "POST chunked" && clientVersion === "1.0") continue;
        if (responseName === "chunked" && upstreamVersion === "1.0") continue;
        it(`the gateway forwards ${requestName} and returns a response framed by ${responseName}`, async () => {
          const method = requestName.split(" ")[0] as string;
          const gateway = await proxyTo(() => ({
            writes: [response(upstreamVersion, method === "HEAD" ? "" : BODY)],
            end: responseName === "close" || upstreamVersion === "1.0",
          }));
          const client = await gateway.client();
          await client.send(request(clientVersion));
          const got = await client.response(method, { settle: 20 });
          expect(got.status).toBe(200);
          expect(got.stray).toBe("");
          expect(got.body).toBe(method === "HEAD" ? "" : BODY);
          const [received] = gateway.upstream.requests;
          expect(received?.version).toBe("HTTP/1.1");
          expect(received?.body).toBe(method === "POST" ? SENT : "");
          if (clientVersion === "1.0") expect(fieldValues(got.headers, "transfer-encoding")).toEqual([]);
          if (clientVersion === "1.0") expect(got.closed).toBe(true);
        });
      }
    }
  });
});
