import { expect } from "vitest";
import type { CapturedBody } from "../../../runtime/abi/log.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import type { GatewaySettings } from "./gateway.js";

interface Captured {
  request: CapturedBody | undefined;
  response: CapturedBody | undefined;
  status: number;
  /** $request_length */
  length: number;
}

/**
 * A route that captures `maxBytes` of both bodies, and the captured bodies of each exchange in the log phase.
 */
export function keeping(maxBytes: number, more: Omit<PipelineModule, "id"> = {}) {
  const owner = {};
  const records: Captured[] = [];
  const module: Omit<PipelineModule, "id"> = {
    rewrite(x) {
      x.captureRequest(owner, maxBytes);
      more.rewrite?.(x);
    },
    ...(more.access && { access: more.access }),
    ...(more.acknowledge && { acknowledge: more.acknowledge }),
    headerFilter(x) {
      x.captureResponse(owner, maxBytes);
      more.headerFilter?.(x);
    },
    log(x) {
      const { status } = x.response;
      records.push({
        request: x.captured(owner, "request"),
        response: x.captured(owner, "response"),
        status,
        length: x.requestLength,
      });
    },
  };
  const logged = async (n = 0) => {
    await expect.poll(() => records.length).toBeGreaterThan(n);
    return records[n] as Captured;
  };
  return { settings: { module } satisfies GatewaySettings, logged };
}

export const body = (text: string, size = text.length, coding = "") => ({ text, coding, size });
export const post = (text: string, fields = "") =>
  `POST / HTTP/1.1\r\nHost: a\r\n${fields}Content-Length: ${text.length}\r\n\r\n${text}`;
export const chunked = (...pieces: string[]) =>
  `POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${pieces
    .map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`)
    .join("")}0\r\n\r\n`;
