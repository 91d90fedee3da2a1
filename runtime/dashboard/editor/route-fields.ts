import type { ModuleAnswer } from "../api/module";

/** Fields of a route or its service from which each field of the plan's row is made; the first present one counts. */
const MADE_OF: Readonly<Record<string, readonly string[]>> = {
  ...{ name: ["name"], hosts: ["host", "hosts"], uris: ["uri", "uris"], methods: ["methods"] },
  ...{ remoteAddrs: ["remote_addr", "remote_addrs"], priority: ["priority"], timeout: ["timeout"] },
  ...{ serviceId: ["service_id"], hasMatch: ["vars"], enableWebsocket: ["enable_websocket"] },
  upstream: ["upstream", "upstream_id", "service_id"],
};

/** Fields that the first line of a module shows. */
const IN_TITLE = ["methods", "uris", "hosts", "upstream"];

/** Config paths of the fields of a plan's row: "routes/shop uri" for "uris". */
export function rowAddresses(configuration: ModuleAnswer["configuration"]): ReadonlyMap<string, string> {
  const found = Object.entries(MADE_OF).flatMap(([field, names]): [string, string][] => {
    for (const { address, value } of configuration) {
      const name = /^(?:routes|services)\//.test(address) ? names.find((one) => has(value, one)) : undefined;
      if (name !== undefined) return [[field, `${address} ${name}`]];
    }
    return [];
  });
  return new Map(found);
}

export const titleAddresses = (row: ReadonlyMap<string, string>): string[] =>
  IN_TITLE.flatMap((field) => row.get(field) ?? []);

const has = (value: unknown, name: string): boolean =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name);
