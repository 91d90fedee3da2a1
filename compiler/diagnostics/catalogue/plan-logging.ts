import type { Catalogue } from "../diagnostic.js";

/** GW44xx, log shipping: content of records, delivery, and destinations. */
export const logging: Catalogue = {
  GW4401: {
    severity: "error",
    summary: "TLS over udp",
    message: "tls needs sock_type tcp: there is no TLS over udp",
    help: "leave tls out, or use tcp",
    explain: `\`tls: true\` encrypts what goes to the syslog server and verifies its certificate. Datagrams have neither, and a setting
that silently sent them in the clear would be worse than none.

\`\`\`yaml
syslog: { host: logs.internal, port: 6514, tls: true }   # sock_type is tcp
\`\`\``,
  },
  GW4402: {
    severity: "warning",
    summary: "drop_limit not above flush_limit",
    message: "drop_limit ({drop} KB) is not more than flush_limit ({flush} KB): {effect}",
    explain: `The send buffer is written when it holds \`flush_limit\`, and messages are dropped when it would hold more than
\`drop_limit\`. With a \`drop_limit\` that is not above \`flush_limit\` the buffer is written before it is full, so \`flush_limit\` has
no effect; a message that is longer than \`drop_limit\` is never sent, and with 0 or less none is.`,
  },
  GW4403: {
    severity: "warning",
    summary: "log_format names a field of the gateway's own",
    message: '"{field}" is replaced: a record says of which route it is',
    help: 'write "{field}": "${field}", or use another name',
    explain: `Each record carries \`route_id\`, and \`service_id\` where the route has a service, whatever the format says: without them
nobody could tell whose record it is. What the format puts under these names is only used where a request has no route or no
service.`,
  },
  GW4404: {
    severity: "warning",
    summary: "log_format nested too deep",
    message: "this object stands deeper than {levels} levels, so records have {} in its place",
    help: "bring its fields up",
    explain: `A record has at most 5 levels of objects, the record itself being the first. What lies deeper is left out of every
record.`,
  },
  GW4405: {
    severity: "warning",
    summary: "setting of a logger without effect",
    message: '"{field}" has no effect: {because}',
    explain: `The setting depends on another one that is off, or replaced. Nothing is wrong with the records, but somebody may believe
that it does something.`,
  },
  GW4406: {
    severity: "warning",
    summary: "body that no record holds",
    message: '"${name}" is always absent: {field} is not true',
    help: "set {field}: true",
    explain: `A body is kept while it passes, which costs memory, so it is only kept when the logger is told to:

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
    explain: `\`ack: response\` promises that the record of every answered request is on disk before the answer is complete. With
\`delivery: memory\` nothing is written to disk, so the promise could not be kept.`,
  },
  GW4408: {
    severity: "error",
    summary: "brokers with different credentials",
    message: "the brokers of one cluster share one sasl_config, and this one differs",
    help: "give all brokers the same user, password and mechanism",
    explain: `The brokers that are listed are only where the gateway asks first. The cluster then names its brokers, and which of the
listed credentials would be right for those, nobody could say.`,
  },
  GW4409: {
    severity: "warning",
    summary: "broker without credentials",
    message: "this broker has no sasl_config; the one of the others is used for it too",
    help: "repeat the sasl_config here",
    explain:
      "All brokers of a cluster are spoken to with one set of credentials, whichever of them are listed.",
  },
  GW4410: {
    severity: "warning",
    summary: "broker_list",
    message: "broker_list is deprecated",
    help: "use brokers: [{ host: ..., port: ... }]",
    explain: `\`broker_list\` still works, but cannot say how to authenticate.

\`\`\`yaml
broker_list: { kafka-1: 9092 }                 # before
brokers: [{ host: kafka-1, port: 9092 }]       # after
\`\`\``,
  },
  GW4411: {
    severity: "warning",
    summary: "broker with port 0",
    message: 'nothing can connect to port 0 of "{host}"',
    help: "Kafka listens on 9092 by default",
    explain:
      "Port 0 is accepted, as a value that is put in later, but no connection can be made to it. If all brokers have it, every record waits.",
  },
  GW4412: {
    severity: "warning",
    summary: "durable delivery over udp",
    message:
      "delivery: durable keeps records on disk, and udp may lose them on the way: nothing confirms a datagram",
    help: "use sock_type: tcp",
    explain: `\`delivery: durable\` sends a record until it has arrived. Of a datagram nobody hears whether it has: what the network or a full
receive buffer drops counts as delivered and is gone from the spool.`,
  },
  GW4413: {
    severity: "error",
    summary: "ack: response over udp",
    message: "ack: response promises a record of every answer, and udp may lose it on the way",
    help: "use sock_type: tcp, or leave ack out",
    explain: `\`ack: response\` lets no answer end before its record is safe. Over udp the record leaves the spool with a datagram that nobody
confirms, so the promise could not be kept.

\`\`\`yaml
syslog: { host: logs.internal, port: 514, delivery: durable, ack: response }   # sock_type is tcp
\`\`\``,
  },
  GW4415: {
    severity: "error",
    summary: "a client's private key that cannot be read",
    message: "the private key cannot be read",
    help: "write the whole text of the PEM file; decrypt a key with a passphrase first: openssl pkey -in FILE",
    explain: `The gateway starts without anybody at a keyboard, so keys have no passphrase. Keep them in an environment variable, or write them through
the admin API, whose store is encrypted:

\`\`\`yaml
tls: { cert: "-----BEGIN CERTIFICATE-----...", key: "\${{CLIENT_KEY}}" }
\`\`\`

What a variable holds is read where the gateway runs; a key that cannot be read there keeps records waiting, and the log says so.`,
  },
  GW4416: {
    severity: "error",
    summary: "a client's key that does not fit its certificate",
    message: "the private key does not fit the certificate",
    help: "take the key that the certificate was requested with; the gateway's own certificate comes first in its chain",
    explain: `The gateway proves with its key that the certificate is its own. Often the key is an older one, or the chain begins with the certificate of
the authority. A key in an environment variable is compared where the gateway runs.`,
  },
};
