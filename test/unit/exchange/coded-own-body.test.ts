import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { filter } from "../../../runtime/abi/text/filter.js";
import { GatewayResponse } from "../../../runtime/proxy/exchange/response.js";

const mask = filter([{ pattern: /secret/g, by: "***", window: 6 }]);

it.each([
  ["gzip", gzipSync("a secret")],
  ["deflate", deflateSync("a secret")],
  ["br", brotliCompressSync("a secret")],
])("a response of a plugin that is coded, and says so, is filtered as its text: %s", (coding, bytes) => {
  const response = new GatewayResponse();
  response.answer(200, bytes.toString("latin1"), "text/plain");
  response.headers.set("Content-Encoding", coding);
  response.filterBody(mask);
  response.dropFalseCoding();
  expect(response.filters?.reduce((text, { apply }) => apply(text), response.ownBody ?? "")).toBe("a ***");
  expect(response.headers.has("content-encoding")).toBe(false);
});

it("a response of a plugin that is not in the coding that it names is filtered as it is", () => {
  const response = new GatewayResponse();
  response.answer(200, "a secret", "text/plain");
  response.headers.set("Content-Encoding", "gzip");
  response.filterBody(mask);
  expect(response.ownBody).toBe("a secret");
  expect(response.headers.has("content-encoding")).toBe(false);
});
