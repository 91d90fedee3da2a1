import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, it } from "vitest";
import { brokerSettings } from "../../../plugins/broker-logger/runtime/index.js";
import { PlatformaticClient } from "../../../plugins/broker-logger/runtime/platformatic-client.js";
import { openSecrets } from "../../../plugins/broker-logger/runtime/secrets.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";

const HANDSHAKE = 17;

/** A response with the request's correlation id; `tagged`: a header of the flexible versions. */
function answer(request: Buffer, tagged: boolean, body: Buffer): Buffer {
  const head = Buffer.alloc(tagged ? 9 : 8);
  head.writeInt32BE(head.length - 4 + body.length);
  request.copy(head, 4, 8, 12);
  return Buffer.concat([head, body]);
}

/** Takes part in the SASL handshake, then sends an invalid SCRAM message. */
function speakNonsense(socket: Socket): void {
  socket.on("error", () => {});
  socket.on("data", (request: Buffer) => {
    if (request.readInt16BE(4) === HANDSHAKE) {
      const name = Buffer.from("SCRAM-SHA-256");
      const mechanisms = Buffer.from([0, 0, 0, 0, 0, 1, 0, name.length, ...name]);
      socket.write(answer(request, false, mechanisms));
    } else {
      const nonsense = Buffer.from("nonsense");
      const lifetime = Buffer.alloc(8);
      const body = Buffer.from([0, 0, 0, nonsense.length + 1, ...nonsense, ...lifetime, 0]);
      socket.write(answer(request, true, body));
    }
  });
}

it("a broker whose login is no SCRAM is an error, not the end of the process", async () => {
  const server = createServer(speakNonsense).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const given = {
    brokers: [{ host: "127.0.0.1", port }],
    topic: "logs",
    sasl: { mechanism: "SCRAM-SHA-256", user: "logger", password: "PASSWORD" },
  } as const;
  const { destination } = brokerSettings({ destination: given });
  const secrets = openSecrets(destination, { secret: () => "not-this-one-99" });
  if (typeof secrets === "string") throw new Error(secrets);
  const reports: string[] = [];
  const client = new PlatformaticClient(destination, secrets, {
    metrics: new MetricsRegistry(),
    worker: 0,
    spoolDirectory: undefined,
    secret: () => undefined,
    report: (event, fields) => reports.push(`${event} ${JSON.stringify(fields)}`),
  });
  try {
    const error: unknown = await client.partitions().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      name: "ProduceError",
      failure: "settings",
      message: "SASL authentication failed: Malformed SCRAM parameter: nonsense",
    });
    expect(reports.join()).toContain("brokers accept no records");
    expect(reports.join() + String(error)).not.toContain("not-this-one-99");
  } finally {
    await client.close();
    server.close();
  }
});
