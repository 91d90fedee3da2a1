import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type HardenedServer, hardenedServer } from "../../../runtime/control/hardened-server.js";

let server: HardenedServer;
const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.closeAllConnections();
  server.close();
});

/** Server whose requests the test ends. @returns the requests that have begun, and a client */
async function harness() {
  const begun: { url: string; body: string; response: ServerResponse }[] = [];
  let told = () => {};
  server = hardenedServer(async (request, response) => {
    let body = "";
    request.setEncoding("utf8");
    for await (const piece of request) body += piece as string;
    begun.push({ url: request.url ?? "", body, response });
    told();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1");
  sockets.push(client);
  let received = "";
  client.setEncoding("utf8").on("data", (piece: string) => {
    received += piece;
  });
  const count = async (length: number) => {
    while (begun.length < length)
      await new Promise<void>((resolve) => {
        told = resolve;
      });
  };
  return { begun, client, count, received: () => received };
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
const put = (path: string, body: string) =>
  `PUT ${path} HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

describe("a listener of control", () => {
  it("a control listener handles one request of a connection at a time, and pipelined ones in order", async () => {
    const { begun, client, count, received } = await harness();
    const wholes = Array.from({ length: 40 }, (_, i) =>
      i % 3 === 0 ? put(`/${i}`, `body ${i}`) : get(`/${i}`),
    );
    client.write(wholes.join(""));
    for (let i = 0; i < wholes.length; i += 1) {
      await count(i + 1);
      expect(begun).toHaveLength(i + 1);
      expect(begun[i]).toMatchObject({ url: `/${i}`, body: i % 3 === 0 ? `body ${i}` : "" });
      begun[i]?.response.end(`answer ${i};`);
    }
    while (!received().includes("answer 39;")) await once(client, "data");
    const answers = [...received().matchAll(/answer (\d+);/g)].map(([, number]) => Number(number));
    expect(answers).toEqual(wholes.map((_, i) => i));
  });

  it("a control listener accepts a body that arrives after the response to an earlier request", async () => {
    const { begun, client, count } = await harness();
    const [head = "", body = ""] = put("/2", "later").split("later");
    client.write(get("/1") + head + body);
    await count(1);
    begun[0]?.response.end("1");
    await once(client, "data");
    client.write("later");
    await count(2);
    expect(begun[1]).toMatchObject({ url: "/2", body: "later" });
  });

  it("a control listener drops pipelined requests when the client disconnects", async () => {
    const { begun, client, count } = await harness();
    client.write(get("/1") + get("/2"));
    await count(1);
    const closed = once(begun[0]?.response as ServerResponse, "close");
    client.destroy();
    await closed;
    await new Promise((resolve) => setImmediate(resolve));
    expect(begun).toHaveLength(1);
  });
});
