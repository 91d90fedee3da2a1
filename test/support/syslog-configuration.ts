import type { SyslogPorts } from "./syslog-server.js";

interface TlsFiles {
  ca: string;
  cert: string;
  key: string;
}

/** Maximum message size in bytes: a record with a body of 1 MB and some room. */
const LONGEST = 4 * 1024 * 1024;

/**
 * rsyslog that stores a message before it reads the next (`queue.type="Direct"`), as one JSON line with every
 * part of the header.
 */
export function rsyslogConfiguration(directory: string, ports: SyslogPorts, tls?: TlsFiles): string {
  const input = (
    module: string,
    port: number,
    more = module === "imptcp" ? ` maxFrameSize="${LONGEST}"` : "",
  ) => `input(type="${module}" address="127.0.0.1" port="${port}" ruleset="store"${more})`;
  const property = (out: string, name: string, more = "") =>
    `  property(outname="${out}" name="${name}" format="jsonf"${more})`;
  const properties = [
    property("pri", "pri"),
    property("timestamp", "timereported", ' dateFormat="rfc3339"'),
    property("host", "hostname"),
    property("app", "app-name"),
    property("pid", "procid"),
    property("msgid", "msgid"),
    property("sd", "structured-data"),
    property("msg", "msg"),
  ];
  const streamDriver =
    tls === undefined
      ? ""
      : ` streamDriver.name="ossl" streamDriver.mode="1" streamDriver.authMode="anon"` +
        ` streamDriver.caFile="${tls.ca}" streamDriver.certFile="${tls.cert}" streamDriver.keyFile="${tls.key}"`;
  return `global(workDirectory="${directory}" maxMessageSize="${LONGEST}" parser.escapeControlCharactersOnReceive="off")
module(load="imptcp")
module(load="imudp")
${tls ? 'module(load="imtcp")' : ""}
template(name="json" type="list" option.jsonf="on") {
${properties.join("\n")}
}
ruleset(name="store" queue.type="Direct") {
  action(type="omfile" file="${directory}/messages.json" template="json" asyncWriting="off")
}
${input("imptcp", ports.tcp)}
${input("imptcp", ports.octets)}
${input("imudp", ports.udp)}
${tls ? input("imtcp", ports.tls, streamDriver) : ""}
`;
}

/** syslog-ng with flow control: it reads no more than it can store. */
export function syslogNgConfiguration(directory: string, ports: SyslogPorts, tls?: TlsFiles): string {
  const at = (port: number) => `ip("127.0.0.1") port(${port})`;
  const tcp = "max-connections(1000) log-iw-size(100000) log-fetch-limit(1000)";
  const secured = `tls(key-file("${tls?.key}") cert-file("${tls?.cert}") peer-verify(no))`;
  const pairs = ["pri=$PRI", "timestamp=$ISODATE", "host=$HOST", "app=$PROGRAM", "pid=$PID", "msgid=$MSGID"];
  return `@version: 3.38
options { keep-hostname(yes); use-dns(no); chain-hostnames(no); frac-digits(3); keep-timestamp(yes);
  log-msg-size(${LONGEST}); stats-freq(0); threaded(yes); ts-format(iso); send-time-zone("UTC"); };
source wire {
  network(transport("tcp") ${at(ports.tcp)} ${tcp} flags(syslog-protocol));
  syslog(transport("tcp") ${at(ports.octets)} ${tcp});
  syslog(transport("udp") ${at(ports.udp)});
  ${tls ? `network(transport("tls") ${at(ports.tls)} ${tcp} flags(syslog-protocol) ${secured});` : ""}
};
destination stored {
  file("${directory}/messages.json" flush-lines(100)
    template("$(format-json --scope none ${pairs.join(" ")} sd=$SDATA msg=$MSG)\\n"));
};
log { source(wire); destination(stored); flags(flow-control); };
`;
}
