/** What somebody writes in an afternoon: node:http, jose's jwtVerify, a Map of used tokens. Started with fork like captcha-node. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { generateKeyPair, jwtVerify, SignJWT } from "jose";
import type { FromNode, ToNode } from "./captcha-node.js";

const { privateKey, publicKey } = await generateKeyPair("EdDSA", { crv: "Ed25519" });
const used = new Set<string>();

const server = createServer((request, response) => {
  const url = new URL(request.url ?? "/", "http://localhost");
  const answer = (body: object) =>
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  jwtVerify(url.searchParams.get("jwt") ?? "", publicKey)
    .then(({ payload }) => {
      const id = String(payload.request_id);
      if (used.has(id)) answer({ success: false, error: "invalid_jwt" });
      else {
        used.add(id);
        answer({ success: true, request_id: id, site_key: payload.site_key });
      }
    })
    .catch(() => answer({ success: false, error: "invalid_jwt" }));
});

async function told(message: ToNode): Promise<FromNode> {
  if ("start" in message) {
    server.listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    return { port: (server.address() as AddressInfo).port };
  }
  const tokens: string[] = [];
  for (let i = 0; i < message.issue; i++) {
    const claims = { request_id: `req_${i}_${Math.random()}`, site_key: "site-key-of-shop", how: "score" };
    const token = new SignJWT({ ...claims, hostname: "shop.example" }).setProtectedHeader({ alg: "EdDSA" });
    tokens.push(await token.setIssuedAt().setExpirationTime("10m").sign(privateKey));
  }
  return { tokens };
}

process.on("message", (message: ToNode) => {
  void told(message).then((answer) => process.send?.(answer));
});
process.on("disconnect", () => process.exit(0));
