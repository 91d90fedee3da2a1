import { substituteEnvironment } from "../../abi/environment.js";
import type { UpstreamTable } from "../../abi/generation.js";
import { LoadError } from "./load.js";

export type Environment = Readonly<Record<string, string | undefined>>;

/** Name, IPv4 address, or IPv6 address with or without brackets. */
const HOST = /^(?:[A-Za-z0-9._-]+|\[?[0-9A-Fa-f:.]+\]?)$/;

/** @throws LoadError GW6005 for a variable that is not set, GW6006 for a value that is no host */
export function resolvedTable(table: UpstreamTable, environment: Environment): UpstreamTable {
  if (!table.nodes.some(({ host }) => host.includes("${{"))) return table;
  const missing: string[] = [];
  const nodes = table.nodes.map((node) => {
    const host = substituteEnvironment(node.host, environment, (name) => missing.push(name));
    if (missing.length === 0 && !HOST.test(host))
      throw new LoadError(
        "GW6006",
        `node "${node.host}" of upstream "${table.key}" becomes ${JSON.stringify(host)}, which is not a host`,
      );
    return { ...node, host };
  });
  if (missing.length > 0)
    throw new LoadError(
      "GW6005",
      `upstream "${table.key}" needs ${[...new Set(missing)].join(", ")} in the environment`,
    );
  return { ...table, nodes };
}
