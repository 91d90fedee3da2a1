import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BrokerPorts, brokerConfiguration, type Users } from "./kafka-configuration.js";
import { PATIENCE_MS } from "./patience.js";
import { accepts, freePort } from "./ports.js";

/**
 * Folder in which test/provision.mjs puts the jars of test/kafka/pom.xml; the benchmarks run from `.build`.
 */
const JARS =
  ["../../", "../../../"]
    .map((root) => fileURLToPath(new URL(`${root}node_modules/.cache/gwc/kafka`, import.meta.url)))
    .find((directory) => existsSync(directory)) ?? "node_modules/.cache/gwc/kafka";
const KCAT = "/usr/bin/kcat";
/**
 * A third of the time to the first response is spent on compiling code that runs once; C1 alone halves it.
 */
const JVM = ["-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"];
const QUIET = ["-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"];

/** Reason why no broker can run here; undefined if one can. */
export function kafkaAbsent(): string | undefined {
  if (!existsSync(join(JARS, "complete"))) return `Kafka is absent (${JARS}): run node test/provision.mjs`;
  return existsSync(KCAT) ? undefined : `kcat is absent (${KCAT}): run node test/provision.mjs`;
}

export interface KafkaOptions {
  brokers: 1 | 3;
  users?: Users;
  /** PEM file of key and certificates for the TLS listener. */
  keystore?: string;
  /** PEM file of the authority; the TLS listener accepts only clients with its certificates. */
  truststore?: string;
}

interface Node {
  readonly ports: BrokerPorts;
  readonly properties: string;
  process: ChildProcess | undefined;
  errors: string;
}

/**
 * A real Kafka cluster on free loopback ports: one JVM for each broker, all files in one temporary directory.
 */
export class KafkaCluster {
  readonly directory = mkdtempSync(join(tmpdir(), "gwc-kafka-"));
  readonly #nodes: Node[] = [];

  static async start(options: KafkaOptions): Promise<KafkaCluster> {
    const cluster = new KafkaCluster();
    try {
      await cluster.#prepare(options);
      await Promise.all(cluster.#nodes.map((_, index) => cluster.open(index + 1)));
      await Promise.all(cluster.#nodes.map((node) => cluster.#untilAllAreKnown(node)));
      return cluster;
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  /** Ports of broker 1, 2 or 3. */
  ports(broker: number): BrokerPorts {
    return this.#node(broker).ports;
  }

  /** "127.0.0.1:port,…" of the plain listeners, for kcat. */
  get bootstrap(): string {
    return this.#nodes.map((node) => `127.0.0.1:${node.ports.plaintext}`).join(",");
  }

  /** Addresses of a listener of all brokers. */
  brokers(listener: "plaintext" | "sasl" | "tls" = "plaintext"): { host: string; port: number }[] {
    return this.#nodes.map((node) => ({ host: "127.0.0.1", port: node.ports[listener] }));
  }

  /**
   * Starts or restarts a broker; resolves when it accepts. One of three nodes accepts when two of them run.
   */
  async open(broker: number): Promise<void> {
    const node = this.#node(broker);
    const child = spawn("java", [...JVM, ...QUIET, "-cp", join(JARS, "*"), "kafka.Kafka", node.properties], {
      cwd: this.directory,
      stdio: ["ignore", "pipe", "pipe"],
    });
    node.process = child;
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece: Buffer) => (node.errors = `${node.errors}${piece}`.slice(-20_000)));
    for (const end = Date.now() + PATIENCE_MS; !(await accepts(node.ports.plaintext)); await pause(100))
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`broker ${broker} does not start: ${node.errors}`);
  }

  /** Stops a broker. The others notice SIGKILL after 3 s; on SIGTERM it first hands its partitions over. */
  async kill(broker: number, signal: NodeJS.Signals = "SIGKILL"): Promise<void> {
    const child = this.#node(broker).process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill(signal);
    await gone;
  }

  /** SIGSTOP: it no longer responds, but its connections stay. */
  freeze(broker: number): void {
    this.#node(broker).process?.kill("SIGSTOP");
  }

  thaw(broker: number): void {
    this.#node(broker).process?.kill("SIGCONT");
  }

  /**
   * Limits the bytes per second that clients of a name may produce on each broker; a separate JVM sets the
   * quota.
   */
  async limit(clientId: string, bytesPerSecond: number): Promise<void> {
    const entity = ["--entity-type", "clients", "--entity-name", clientId];
    const change = ["--alter", "--add-config", `producer_byte_rate=${bytesPerSecond}`];
    const command = ["kafka.admin.ConfigCommand", "--bootstrap-server", this.bootstrap, ...entity, ...change];
    await promisify(execFile)("java", [...JVM, ...QUIET, "-cp", join(JARS, "*"), ...command]);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#nodes.map((_, index) => this.kill(index + 1)));
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Formats the storage of the first node and copies it, because formatting takes a JVM of its own. */
  async #prepare({ brokers, users = {}, keystore, truststore }: KafkaOptions): Promise<void> {
    const ports: BrokerPorts[] = [];
    for (let i = 0; i < brokers; i++)
      ports.push({
        plaintext: await freePort(),
        sasl: await freePort(),
        tls: await freePort(),
        controller: await freePort(),
      });
    const logs = (id: number) => join(this.directory, `logs-${id}`);
    for (const [index, own] of ports.entries()) {
      const properties = join(this.directory, `server-${index + 1}.properties`);
      const files = { logs: logs(index + 1), keystore, truststore };
      writeFileSync(properties, brokerConfiguration(index + 1, ports, users, files));
      this.#nodes.push({ ports: own, properties, process: undefined, errors: "" });
    }
    const scram = Object.entries(users).flatMap(([user, password]) =>
      ["SCRAM-SHA-256", "SCRAM-SHA-512"].flatMap((mechanism) => [
        "--add-scram",
        `${mechanism}=[name=${user},iterations=4096,password=${password}]`,
      ]),
    );
    const format = ["format", "-t", "Z3djLXRlc3QtY2x1c3RlcQ", "-c", this.#node(1).properties, ...scram];
    const args = [...JVM, ...QUIET, "-cp", join(JARS, "*"), "kafka.tools.StorageTool", ...format];
    await promisify(execFile)("java", args);
    for (let id = 2; id <= brokers; id++) {
      mkdirSync(logs(id));
      cpSync(logs(1), logs(id), { recursive: true });
      const meta = join(logs(id), "meta.properties");
      const own = readFileSync(meta, "utf8")
        .replace(/^node\.id=.*$/m, `node.id=${id}`)
        .replace(/^directory\.id=.*\n/m, "");
      writeFileSync(meta, own);
    }
  }

  /** Waits until a broker knows the others. It accepts before that, and then reports no controller (-1). */
  async #untilAllAreKnown(node: Node): Promise<void> {
    for (
      const end = Date.now() + PATIENCE_MS;
      !(await this.#knowsAll(node.ports.plaintext));
      await pause(100)
    )
      if (Date.now() > end) throw new Error(`a broker has not heard of the others: ${node.errors}`);
  }

  /**
   * Reports whether the broker at a port knows all brokers and a controller, by kcat; false also without a
   * response within a second.
   */
  async #knowsAll(port: number): Promise<boolean> {
    try {
      const { stdout } = await promisify(execFile)(KCAT, ["-L", "-J", "-m", "1", "-b", `127.0.0.1:${port}`]);
      const { brokers, controllerid } = JSON.parse(stdout) as { brokers: unknown[]; controllerid: number };
      return brokers.length === this.#nodes.length && controllerid >= 0;
    } catch {
      return false;
    }
  }

  #node(broker: number): Node {
    const node = this.#nodes[broker - 1];
    if (node === undefined) throw new Error(`no broker ${broker}`);
    return node;
  }
}
