import { readdirSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { extname, join, resolve } from "node:path";
import { readHead, readRegularText } from "../abi/regular-file.js";
import type { ListenAddress } from "../process/launch-plan.js";
import { readGatewayText } from "../proxy/host/build-reader.js";
import type { RunSource } from "./launch-settings.js";

const DEFAULT: ListenAddress = { host: "127.0.0.1", port: 7085, setting: "gw.status" };
/** Bytes read of `gateway.json`: a build has its deployment settings at the beginning. */
const BUILD_HEAD = 65_536;
const MAX_JSON = 1_048_576;

/** Text that needs a full parser. */
class Unclear extends Error {}

/**
 * Finds the address of the status listener without a parser: the deployment settings of 20,000 routes are
 * known only after two more starts of Node. Undefined if ambiguous; later compared with the settings.
 */
export function earlyStatus(origin: RunSource): ListenAddress | undefined {
  try {
    const written = origin.kind === "dist" ? [ofBuild(origin)] : ofFiles(origin);
    const known = written.filter((status) => status !== undefined);
    if (known.length > 1) return undefined;
    const address = known.length === 0 ? DEFAULT : addressOf(known[0]);
    return address.port === 0 ? undefined : address;
  } catch {
    return undefined;
  }
}

function ofBuild({ path, trusted }: RunSource & { kind: "dist" }): unknown {
  // Nothing binds an address that no trusted key has signed.
  const text = trusted
    ? readGatewayText(path, trusted).slice(0, BUILD_HEAD)
    : readHead(join(path, "gateway.json"), BUILD_HEAD).toString("utf8");
  const written = /^\{\n {2}"deployment": (\{\n[\s\S]*?\n {2}\}|null|\{\}),?\n/.exec(text)?.[1];
  if (written === undefined) throw new Unclear();
  return statusIn(JSON.parse(written));
}

function ofFiles({ paths, directory }: RunSource & { kind: "files" }): unknown[] {
  return paths
    .flatMap((path) => {
      const full = resolve(directory, path);
      if (!statSync(full).isDirectory()) return [full];
      const names = readdirSync(full).filter((name) => !name.startsWith("."));
      return names
        .filter((name) => [".yaml", ".yml", ".json"].includes(extname(name)))
        .map((name) => join(full, name));
    })
    .map((file) => {
      const text = readRegularText(file).replace(/^\ufeff/, "");
      return extname(file) === ".json" ? ofJson(text) : ofYaml(text);
    });
}

function ofJson(text: string): unknown {
  if (!text.includes('"gw"')) return undefined;
  if (text.length > MAX_JSON) throw new Unclear();
  return statusIn(JSON.parse(text));
}

function statusIn(deployment: unknown): unknown {
  return (deployment as { gw?: { status?: unknown } } | null)?.gw?.status;
}

/** Reads `gw` as a block, with `status` in braces or as a block. */
function ofYaml(text: string): unknown {
  if (/^\s*[{"'?]/.test(text) || /^(?:---|["'?]|<<)/m.test(text)) throw new Unclear();
  const blocks = [...text.matchAll(/^gw[ \t]*:(.*)\n((?:[ \t]+.*\n|[ \t]*(?:#.*)?\n)*)/gm)];
  const [block] = blocks;
  if (block === undefined) {
    if (/^gw\b/m.test(text)) throw new Unclear();
    return undefined;
  }
  const [, beside = "", body = ""] = block;
  if (blocks.length > 1 || !isNothing(beside)) throw new Unclear();
  const indent = /^( +)[^\s#]/m.exec(body)?.[1] ?? "";
  if (/^ *<</m.test(body)) throw new Unclear();
  const lines = body.split("\n");
  const at = lines.findIndex((line) => new RegExp(`^${indent}["']?status["']?[ \\t]*:`).test(line));
  if (at < 0) return undefined;
  const value = lines[at]?.slice(lines[at].indexOf(":") + 1) ?? "";
  const below = lines.slice(at + 1);
  const end = below.findIndex((line) => !isNothing(line) && !line.startsWith(`${indent} `));
  return isNothing(value) ? ofLines(below.slice(0, end < 0 ? undefined : end)) : ofValue(value);
}

const isNothing = (text: string) => /^[ \t]*(?:#.*)?$/.test(text);

function ofValue(text: string): unknown {
  const plain = text.replace(/[ \t]#.*$/, "").trim();
  const inside = /^\{(.*)\}$/.exec(plain)?.[1];
  if (inside === undefined) throw new Unclear();
  return ofLines(inside.split(","));
}

function ofLines(lines: readonly string[]): unknown {
  const fields = lines
    .filter((line) => !isNothing(line))
    .map((line) => /^[ \t]*["']?(ip|port)["']?[ \t]*:[ \t]*(["']?)([^"'\s]+)\2[ \t]*(?:#.*)?$/.exec(line));
  return Object.fromEntries(
    fields.map((field) => {
      const [, name = "", quote, value = ""] = field ?? [];
      if (name === "" || (name === "port" && quote !== "")) throw new Unclear();
      return [name, name === "port" ? Number(value) : value];
    }),
  );
}

function addressOf(status: unknown): ListenAddress {
  if (typeof status !== "object") throw new Unclear();
  const { ip = DEFAULT.host, port = DEFAULT.port } = status as { ip?: unknown; port?: unknown };
  if (typeof ip !== "string" || isIP(ip) === 0 || !Number.isInteger(port)) throw new Unclear();
  return { ...DEFAULT, host: ip, port: port as number };
}
