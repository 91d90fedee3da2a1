import type { Catalogue } from "../../compiler/plugin-api.js";

/** GW2140, GW2142 and GW2144: values of http-logger. GW442x: the requests that it sends. */
export const DIAGNOSTICS: Catalogue = {
  GW2140: {
    severity: "error",
    summary: "invalid URL of a log server",
    message: "{label} is not a valid URL of a log server: {reason}",
    help: 'write the full URL, such as "https://logs.internal/ingest"',
    explain: `The URL has a scheme, a host and an optional port, path and query. It has no user and password, because they would appear in
plans, modules and log lines. Write them into fields for secrets:

\`\`\`yaml
http-logger: { uri: "https://logs.internal/ingest", auth_header: "Bearer \${{LOG_TOKEN}}" }
\`\`\`

The query is sent unchanged. It is not printed, but plans and builds contain it, so write a key into \`headers\`.`,
  },
  GW2142: {
    severity: "error",
    summary: "invalid name of a label",
    message: "{label} is not the name of a label: {reason}",
    explain: `Names of labels follow the rules of Prometheus: letters, digits and \`_\`, without a leading digit. Names that begin with \`__\` are reserved.

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
    explain: `Names of indexes in Elasticsearch and OpenSearch are in lower case. \`%Y\`, \`%m\`, \`%d\` and \`%H\` are the year, month, day and hour of a record in
UTC, as in Logstash and Fluent Bit. Values of variables are converted to lower case, and \`_\` replaces invalid characters.`,
  },
  GW4421: {
    severity: "error",
    summary: "label with too many values",
    message: '"${name}" may have any number of values, so it cannot be in the label "{label}"',
    help: "keep it in the record, where queries find it",
    explain: `Each combination of label values is a separate stream in Loki, with an index entry and a chunk in memory. A label with the client
address or the path would create a stream for each value. Labels may contain variables with few values: \`request_method\`,
\`scheme\`, \`server_protocol\`, \`server_addr\`, \`server_port\`, \`hostname\`, \`route_id\`, \`route_name\`, \`service_id\`, \`service_name\`,
\`consumer_name\`, \`consumer_group_id\`, \`status\`. Queries still find values of the record: \`{job="gwc"} | json | uri="/a"\`.`,
  },
  GW4420: {
    severity: "warning",
    summary: "header of log requests that only the HTTP client sets",
    message: '"{name}" is omitted: the HTTP client sets the headers of framing and encoding itself',
    explain: `Headers such as \`Content-Length\`, \`Transfer-Encoding\`, \`Connection\` and \`Host\` follow from the request, and \`Content-Encoding\` from
\`compression\`. Another value would break the request. \`Content-Type\` is allowed, because some servers need a special one.`,
  },
};
