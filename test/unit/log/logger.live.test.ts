import "../../../plugins/runtime.js";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { syslog } from "../../../plugins/syslog/runtime/index.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { finishedExchange } from "../../support/finished-exchange.js";
import { BATCH } from "../../support/log-harness.js";

const RECORDS = 30_000;
const AT_A_TIME = 500;

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.stop();
});

/** TCP server that stores what it reads. */
class Listener {
  text = "";
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer((socket) => {
    this.#sockets.add(socket);
    socket.setEncoding("latin1");
    socket.on("data", (piece: string) => {
      this.text += piece;
    });
    socket.on("error", () => {});
  });

  async start(): Promise<number> {
    this.#server.listen(0, "127.0.0.1");
    await once(this.#server, "listening");
    return (this.#server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}

it("[log.service.4] a syslog logger with default limits sends 30,000 records over TCP once and in order", async () => {
  listener = new Listener();
  const port = await listener.start();
  const metrics = new MetricsRegistry();
  const logger = syslog({
    destination: {
      host: "127.0.0.1",
      port,
      sockType: "tcp",
      tls: false,
      framing: "newline",
      timeoutMs: 10_000,
      flushLimit: 4_194_304,
      dropLimit: 1_073_741_824,
      poolSize: 5,
    },
    batch: BATCH,
    delivery: "memory",
    ack: "log",
    redact: { headers: [], query: [] },
    recordId: false,
  });
  const reports: unknown[] = [];
  const opened = logger.resource.open({
    secret: () => undefined,
    report: (...all) => reports.push(all),
    metrics,
    worker: 0,
    spoolDirectory: undefined,
  });
  logger.resource.use(opened);
  const pending = () =>
    metrics.snapshot().find(({ name }) => name === "gw_log_pending_entries")?.series[0]?.value ?? 0;

  for (let i = 0; i < RECORDS; i += AT_A_TIME) {
    for (let n = i; n < i + AT_A_TIME; n++)
      logger.log(finishedExchange({ request: `GET /${n} HTTP/1.1\r\nHost: h\r\n\r\n` }));
    // The speed of a slow machine is not under test.
    while (pending() > 4_000) await new Promise((resolve) => setTimeout(resolve, 1));
    await new Promise(setImmediate);
  }
  await opened.drain(30_000);
  while (listener.text.split("\n").length <= RECORDS && reports.length === 0)
    await new Promise((resolve) => setTimeout(resolve, 5));

  const lines = listener.text.split("\n");
  expect(lines.pop()).toBe("");
  const paths = lines.map((line) => (/"uri":"\/(\d+)"/.exec(line) ?? [])[1]);
  expect(paths).toEqual(Array.from({ length: RECORDS }, (_, n) => String(n)));
  expect(reports).toEqual([]);
  const total = (family: string) =>
    metrics
      .snapshot()
      .find(({ name }) => name === family)
      ?.series.reduce((sum, { value }) => sum + value, 0);
  expect(total("gw_log_entries_sent_total")).toBe(RECORDS);
  expect(total("gw_log_entries_dropped_total")).toBeUndefined();
});
