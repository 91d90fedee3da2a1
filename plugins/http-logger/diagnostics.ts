import type { Catalogue } from "../../compiler/diagnostics/diagnostic.js";

/** GW2140, GW2142 and GW2144: values of http-logger. GW442x: the requests that it sends. */
export const DIAGNOSTICS: Catalogue = {
  GW2140: {
    severity: "error",
    summary: "invalid address of a log server",
    message: "{label} is not an address to send records to: {reason}",
    help: 'write it whole, such as "https://logs.internal/ingest"',
    explain: `The address has a scheme, a host and what follows; it has no user and no password, which would stand in plans, modules and log
lines. Those belong into fields that are kept as secrets:

\`\`\`yaml
http-logger: { uri: "https://logs.internal/ingest", auth_header: "Bearer \${{LOG_TOKEN}}" }
\`\`\`

A query passes on as it is. It is not printed, but stands in plans and builds: a key belongs into \`headers\`.`,
  },
  GW2142: {
    severity: "error",
    summary: "invalid name of a label",
    message: "{label} is not the name of a label: {reason}",
    explain: `Loki takes labels as Prometheus does: letters, digits and \`_\`, not beginning with a digit. Names that begin with \`__\` are its own.

\`\`\`yaml
labels: { job: gwc, route_id: $route_id }
labels: { route-id: $route_id }             # GW2142
\`\`\``,
  },
  GW2144: {
    severity: "error",
    summary: "invalid name of an index",
    message: "{label} is not the name of an index: {reason}",
    help: 'write lower-case letters, digits, ".", "_" and "-", variables and parts of the date, such as "logs-$route_id-%Y.%m.%d"',
    explain: `Elasticsearch and OpenSearch take names in lower case. \`%Y\`, \`%m\`, \`%d\` and \`%H\` are the year, month, day and hour of a record in UTC, as
Logstash and Fluent Bit write them. What variables bring is put into lower case, with \`_\` in the place of what no name may have.`,
  },
  GW4421: {
    severity: "error",
    summary: "label of too many values",
    message: '"${name}" may have any number of values, so it cannot be in the label "{label}"',
    help: "leave it in the record, where queries find it",
    explain: `Each combination of labels is a stream of its own in Loki, with an index entry and a chunk in memory. A label with the address of
the client or a path makes as many streams as there are clients. Variables of few values may stand in labels: \`request_method\`,
\`scheme\`, \`server_protocol\`, \`server_addr\`, \`server_port\`, \`hostname\`, \`route_id\`, \`route_name\`, \`service_id\`, \`service_name\`,
\`consumer_name\`, \`consumer_group_id\`, \`status\`. What is in the record is found all the same: \`{job="gwc"} | json | uri="/a"\`.`,
  },
  GW4420: {
    severity: "warning",
    summary: "header of log requests that only the client writes",
    message:
      '"{name}" is left out: it says how a request is framed or coded, and the client writes it itself',
    explain: `\`Content-Length\`, \`Transfer-Encoding\`, \`Connection\`, \`Host\` and their like follow from the request, \`Content-Encoding\` from
\`compression\`. Another value would break the request. \`Content-Type\` may be given: some servers want their own.`,
  },
};
