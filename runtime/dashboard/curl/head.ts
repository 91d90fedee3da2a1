import type { CurlOption } from "./options.js";

type Fields = [name: string, value: string][];

/** The version of curl is unknown; rules for clients check only the name. */
const AGENT = "curl/8.0.0";

interface Own {
  user: string | undefined;
  isJson: boolean;
  hasBody: boolean;
}

/** Headers of the request: curl's defaults, unless they are overridden or removed, followed by the given ones. */
export function fieldsOf(options: readonly CurlOption[], { user, isJson, hasBody }: Own) {
  const given: Fields = [];
  const taken = new Set<string>();
  const untried: string[] = [];
  for (const { name, value, written } of options) {
    if (name !== "header") continue;
    if (value.startsWith("@")) untried.push(`${written} ${value}`);
    // "X:" removes a header, "X;" sets one without a value.
    const [, field = "", sign, content = ""] = /^([^:;]+)([:;])\s*(.*?)\s*$/s.exec(value) ?? [];
    if (sign === undefined || (sign === ";" && content !== "")) continue;
    taken.add(field.trim().toLowerCase());
    if (sign === ";" || content !== "") given.push([field.trim(), content]);
  }
  const own = ownFields(options, { user, isJson, hasBody }, untried);
  return { headers: [...own.filter(([name]) => !taken.has(name.toLowerCase())), ...given], untried };
}

function ownFields(
  options: readonly CurlOption[],
  { user, isJson, hasBody }: Own,
  untried: string[],
): Fields {
  const last = (name: string) => options.filter((option) => option.name === name).at(-1)?.value;
  const has = (name: string) => options.some((option) => option.name === name);
  const cookies = options.filter(({ name }) => name === "cookie");
  for (const { value, written } of cookies) if (!value.includes("=")) untried.push(`${written} ${value}`);
  const bearer = last("oauth2-bearer");
  const signed = last("user") ?? user;
  const scheme = ["digest", "ntlm", "negotiate", "anyauth", "aws-sigv4"].find(has);
  if (scheme !== undefined) untried.push(`--${scheme}`);
  const range = last("range");
  const fields: [string, string | undefined][] = [
    ["Authorization", scheme === undefined ? authorization(bearer, signed) : undefined],
    ["Range", range && `bytes=${range}`],
    ["User-Agent", last("user-agent") ?? AGENT],
    ["Accept", isJson ? "application/json" : "*/*"],
    ["Accept-Encoding", has("compressed") ? "deflate, gzip, br, zstd" : undefined],
    ["Referer", last("referer")?.replace(/;auto$/, "")],
    ["Cookie", cookies.flatMap(({ value }) => (value.includes("=") ? value : [])).join(";")],
    ["Content-Type", hasBody ? `application/${isJson ? "json" : "x-www-form-urlencoded"}` : undefined],
  ];
  return fields.flatMap(
    ([name, value]): Fields => (value === undefined || value === "" ? [] : [[name, value]]),
  );
}

function authorization(bearer: string | undefined, user: string | undefined): string | undefined {
  if (bearer !== undefined) return `Bearer ${bearer}`;
  if (user === undefined) return undefined;
  // Without a password curl prompts for it.
  const whole = user.includes(":") ? user : `${user}:`;
  return `Basic ${btoa(String.fromCharCode(...new TextEncoder().encode(whole)))}`;
}
