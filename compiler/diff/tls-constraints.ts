/** The connection of a request over TLS, by the names of its variables without `$ssl_`. */
type Connection = Readonly<Record<string, string>>;

const SECURE: Readonly<Record<string, string>> = { scheme: "https", https: "on" };

/** The connection that gives a variable of TLS this value; null: one without TLS; undefined: none does. */
export function assignedTls(variable: string, value: string): Connection | null | undefined {
  if (variable === "scheme" && value === "http") return null;
  if (SECURE[variable] === value) return {};
  const [, name] = /^ssl_(.+)$/.exec(variable) ?? [];
  return name === undefined ? undefined : { [name]: value };
}

/** The same with what follows from it: a subject is that of a certificate, which was accepted unless the opposite is said. */
export function connectionOf(known: Connection): Connection {
  const hasCertificate = Object.keys(known).some((name) => name.startsWith("client_"));
  return hasCertificate ? { client_verify: "SUCCESS", ...known } : known;
}
