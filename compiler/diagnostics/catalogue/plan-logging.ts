import type { Catalogue } from "../../model/diagnostic.js";

/** GW44xx, log shipping: content of records, delivery, and destinations. */
export const logging: Catalogue = {
  GW4401: {
    severity: "error",
    summary: "TLS over udp",
    message: "tls needs sock_type tcp: there is no TLS over udp",
    help: "omit tls, or use tcp",
    explain: `\`tls: true\` encrypts the connection to the syslog server and verifies its certificate. Datagrams would be sent in plain
text, so gwc rejects the setting.

\`\`\`yaml
syslog: { host: logs.internal, port: 6514, tls: true }   # sock_type is tcp
\`\`\``,
  },
  GW4402: {
    severity: "warning",
    summary: "drop_limit not above flush_limit",
    message: "drop_limit ({drop} KB) is not greater than flush_limit ({flush} KB): {effect}",
    explain: `The send buffer is written when it reaches \`flush_limit\`, and messages are dropped when it would exceed \`drop_limit\`. If
\`drop_limit\` is not greater than \`flush_limit\`, the buffer is written earlier, so \`flush_limit\` has no effect. A message longer than
\`drop_limit\` is never sent, and with 0 or less no message is.`,
  },
  GW4403: {
    severity: "warning",
    summary: "log_format with a reserved field",
    message: '"{field}" is replaced: the gateway sets it in each record',
    help: 'write "{field}": "${field}", or use another name',
    explain: `The gateway sets \`route_id\` in each record, and \`service_id\` if the route has a service, because they identify the source
of the record. The values of the format are used only if a request has no route or no service.`,
  },
  GW4404: {
    severity: "warning",
    summary: "log_format nested too deep",
    message: "this object is deeper than {levels} levels, so records contain {} instead",
    help: "move its fields up",
    explain: `A record has at most 5 levels of objects, of which the record itself is the first. Deeper objects are omitted.`,
  },
  GW4405: {
    severity: "warning",
    summary: "setting of a logger without effect",
    message: '"{field}" has no effect: {because}',
    explain: `The setting depends on another one that is off or overridden. The records are correct, but the setting does not change
them.`,
  },
  GW4406: {
    severity: "warning",
    summary: "body that no record contains",
    message: '"${name}" is always absent: {field} is not true',
    help: "set {field}: true",
    explain: `Capturing a body takes memory, so a logger captures it only if this setting is true:

\`\`\`yaml
syslog:
  host: logs.internal
  port: 514
  include_req_body: true
  log_format: { body: "$request_body" }
\`\`\``,
  },
  GW4407: {
    severity: "error",
    summary: "ack: response without a spool",
    message: "ack: response needs delivery: durable",
    help: "add delivery: durable",
    explain: `\`ack: response\` guarantees that the record of a request is on disk before its response is complete. With
\`delivery: memory\` nothing is written to disk.`,
  },
  GW4408: {
    severity: "error",
    summary: "brokers with different credentials",
    message: "all brokers of a cluster share one sasl_config, and this one differs",
    help: "give all brokers the same user, password and mechanism",
    explain: `The listed brokers serve only for the first connection. The cluster then returns all its brokers, and with different
credentials it would be unclear which of them apply.`,
  },
  GW4409: {
    severity: "warning",
    summary: "broker without credentials",
    message: "this broker has no sasl_config, so that of the others applies",
    help: "repeat the sasl_config here",
    explain:
      "The gateway uses the same credentials for all brokers of a cluster, including those that are not listed.",
  },
  GW4410: {
    severity: "warning",
    summary: "broker_list",
    message: "broker_list is deprecated",
    help: "use brokers: [{ host: ..., port: ... }]",
    explain: `\`broker_list\` still works, but has no settings for authentication.

\`\`\`yaml
broker_list: { kafka-1: 9092 }                 # before
brokers: [{ host: kafka-1, port: 9092 }]       # after
\`\`\``,
  },
  GW4411: {
    severity: "warning",
    summary: "broker with port 0",
    message: 'port 0 of "{host}" accepts no connections',
    help: "set the port of the broker; the default of Kafka is 9092",
    explain:
      "gwc accepts port 0 as a placeholder, but cannot connect to it. If all brokers have port 0, no record is delivered.",
  },
  GW4412: {
    severity: "warning",
    summary: "durable delivery over udp",
    message:
      "delivery: durable stores records on disk, but udp may lose them: datagrams are not acknowledged",
    help: "use sock_type: tcp",
    explain: `\`delivery: durable\` sends a record again until it arrives. Datagrams are not acknowledged: a datagram that the network or a
full receive buffer drops counts as delivered and is removed from the spool.`,
  },
  GW4413: {
    severity: "error",
    summary: "ack: response over udp",
    message: "ack: response guarantees a record of every response, but udp may lose it",
    help: "use sock_type: tcp, or omit ack",
    explain: `With \`ack: response\` no response ends before its record is safe. Over udp the record leaves the spool with a datagram that is
not acknowledged, so it may be lost.

\`\`\`yaml
syslog: { host: logs.internal, port: 514, delivery: durable, ack: response }   # sock_type is tcp
\`\`\``,
  },
  GW4415: {
    severity: "error",
    summary: "a client's private key that cannot be read",
    message: "the private key cannot be read",
    help: "write the whole text of the PEM file; decrypt a key with a passphrase first: openssl pkey -in FILE",
    explain: `The gateway starts unattended, so keys must not have a passphrase. Keep them in an environment variable, or write them through the
admin API, whose store is encrypted:

\`\`\`yaml
tls: { cert: "-----BEGIN CERTIFICATE-----...", key: "\${{CLIENT_KEY}}" }
\`\`\`

A variable is read when the gateway runs. If the key cannot be read then, the gateway logs it and does not deliver the records.`,
  },
  GW4416: {
    severity: "error",
    summary: "a client's key that does not fit its certificate",
    message: "the private key does not fit the certificate",
    help: "use the key that the certificate was requested with; the gateway's own certificate must be first in its chain",
    explain: `The gateway proves with the key that it owns the certificate. Common causes are an older key, or a chain that begins with the certificate
of the CA. A key in an environment variable is compared when the gateway runs.`,
  },
};
