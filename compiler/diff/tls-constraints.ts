/** Variables of a connection without `$ssl_`. */
type Connection = Readonly<Record<string, string>>;

const SECURE: Readonly<Record<string, string>> = { scheme: "https", https: "on" };

/** @returns null for a connection without TLS; undefined if none gives the variable this value */
export function assignedTls(variable: string, value: string): Connection | null | undefined {
  if (variable === "scheme" && value === "http") return null;
  if (SECURE[variable] === value) return {};
  const [, name] = /^ssl_(.+)$/.exec(variable) ?? [];
  return name === undefined ? undefined : { [name]: value };
}

/** Adds the verification result that a client certificate implies, unless it is given. */
export function connectionOf(known: Connection): Connection {
  const hasCertificate = Object.keys(known).some((name) => name.startsWith("client_"));
  return hasCertificate ? { client_verify: "SUCCESS", ...known } : known;
}
