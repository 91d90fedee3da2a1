import type { TextFormats } from "../../compiler/plugin-api.js";

const ADDRESS = /^https?:\/\/[^\s#]+$/;

/** Checks that patterns cannot express. Messages repeat no part of an address: its query may hold a key. */
export const FORMATS: TextFormats = {
  "log-uri": { code: "GW2140", errorText: "invalid address of a log server", fault: addressFault },
  "index-name": { code: "GW2144", errorText: "invalid name of an index", fault: indexFault },
  "loki-label": { code: "GW2142", errorText: "invalid name of a label", fault: labelFault },
};

function addressFault(text: string): string | undefined {
  if (!ADDRESS.test(text)) return "it must begin with http:// or https:// and contain neither spaces nor #";
  if (!URL.canParse(text)) return "its host or port is invalid";
  const { username, password } = new URL(text);
  return username === "" && password === "" ? undefined : "credentials belong in auth_header or headers";
}

function labelFault(name: string): string | undefined {
  if (name.startsWith("__")) return 'names that begin with "__" are Loki\'s own';
  if (/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(name)) return undefined;
  return 'it is made of letters, digits and "_", and does not begin with a digit';
}

/** Variables are checked when the index is planned. */
function indexFault(index: string): string | undefined {
  const literal = index.replace(/\$\{[^}]*\}|\$\w+/g, "0").replace(/%[YmdH]/g, "0");
  const [unknown] = /%./.exec(literal) ?? [];
  if (unknown !== undefined) return `"${unknown}" is not supported: use %Y, %m, %d and %H`;
  if (/^[-_.]/.test(literal)) return 'it does not begin with "-", "_" or "."';
  const [found] = /[^a-z0-9._-]/.exec(literal) ?? [];
  return found === undefined ? undefined : `"${found}" is not allowed in it`;
}
