/** Listeners of one broker: ports on the loopback address. */
export interface BrokerPorts {
  plaintext: number;
  sasl: number;
  tls: number;
  controller: number;
}

/** Users of the SASL listener, by name; each has the same password for PLAIN and for both kinds of SCRAM. */
export type Users = Readonly<Record<string, string>>;

export interface BrokerFiles {
  logs: string;
  /** PEM file of a private key, followed by its certificates; without it the TLS listener is plain text. */
  keystore: string | undefined;
  /** PEM file of the authority of clients: the TLS listener accepts only clients with a certificate of it. */
  truststore: string | undefined;
}

/**
 * server.properties of one node of a cluster whose nodes are both brokers and controllers (KRaft). Small and
 * quick to notice a dead node: heartbeats of 0.5 s, a session of 3 s (defaults: 2 s and 9 s).
 */
export function brokerConfiguration(
  id: number,
  cluster: readonly BrokerPorts[],
  users: Users,
  files: BrokerFiles,
): string {
  const ports = cluster[id - 1];
  if (ports === undefined) throw new Error(`no broker ${id}`);
  const listeners = {
    PLAINTEXT: ports.plaintext,
    SASL: ports.sasl,
    TLS: ports.tls,
    CONTROLLER: ports.controller,
  };
  const listed = (names: readonly (keyof typeof listeners)[]) =>
    names.map((name) => `${name}://127.0.0.1:${listeners[name]}`).join(",");
  const tls = files.keystore === undefined ? "PLAINTEXT" : "SSL";
  const plainUsers = Object.entries(users).map(([user, password]) => `user_${user}="${password}"`);
  const login = "org.apache.kafka.common.security";
  const copies = Math.min(3, cluster.length);
  return [
    "process.roles=broker,controller",
    `node.id=${id}`,
    `controller.quorum.voters=${cluster.map((one, i) => `${i + 1}@127.0.0.1:${one.controller}`).join(",")}`,
    `listeners=${listed(["PLAINTEXT", "SASL", "TLS", "CONTROLLER"])}`,
    `advertised.listeners=${listed(["PLAINTEXT", "SASL", "TLS"])}`,
    `listener.security.protocol.map=PLAINTEXT:PLAINTEXT,SASL:SASL_PLAINTEXT,TLS:${tls},CONTROLLER:PLAINTEXT`,
    "inter.broker.listener.name=PLAINTEXT",
    "controller.listener.names=CONTROLLER",
    `log.dirs=${files.logs}`,
    "sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-256,SCRAM-SHA-512",
    `listener.name.sasl.plain.sasl.jaas.config=${login}.plain.PlainLoginModule required ${plainUsers.join(" ")};`,
    `listener.name.sasl.scram-sha-256.sasl.jaas.config=${login}.scram.ScramLoginModule required;`,
    `listener.name.sasl.scram-sha-512.sasl.jaas.config=${login}.scram.ScramLoginModule required;`,
    ...(files.keystore === undefined
      ? []
      : [
          "listener.name.tls.ssl.keystore.type=PEM",
          `listener.name.tls.ssl.keystore.location=${files.keystore}`,
        ]),
    ...(files.truststore === undefined
      ? []
      : [
          "listener.name.tls.ssl.client.auth=required",
          "listener.name.tls.ssl.truststore.type=PEM",
          `listener.name.tls.ssl.truststore.location=${files.truststore}`,
        ]),
    "auto.create.topics.enable=false",
    "num.partitions=1",
    `default.replication.factor=${copies}`,
    `offsets.topic.replication.factor=${copies}`,
    "min.insync.replicas=1",
    "broker.heartbeat.interval.ms=500",
    "broker.session.timeout.ms=3000",
    "controller.quorum.election.timeout.ms=500",
    "controller.quorum.fetch.timeout.ms=1000",
    "num.network.threads=2",
    "num.io.threads=2",
    "log.cleaner.enable=false",
    "log.segment.bytes=16777216",
    "",
  ].join("\n");
}
