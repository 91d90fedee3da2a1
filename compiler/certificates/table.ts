import { CERTIFICATES, type CertificateRow } from "../../runtime/abi/certificates.js";
import type { PluginTable } from "../../runtime/abi/plugin-tables.js";
import type { Resource } from "../model/resource.js";
import type { KeepSecret, ResourceLists, ResourceTable } from "../plugin/contributions.js";
import type { PluginDefinition } from "../plugin/definition.js";
import { findPlugin, pluginsWithKinds } from "../plugin/registry.js";
import { chainsOf, checkCertificates, filesOf, namesOf, type SslValue } from "./check.js";

interface CertificateTable extends PluginTable {
  certificates: readonly CertificateRow[];
}

const TABLE: ResourceTable<CertificateTable> = {
  check: checkCertificates,
  plan(resources: ResourceLists, secret: KeepSecret) {
    const used = resources.sorted<SslValue>("ssls").filter(({ value }) => value.status !== 0);
    return { certificates: used.map((resource) => rowOf(resource, secret)) };
  },
};

function rowOf({ id, value, spans }: Resource<SslValue>, secret: KeepSecret): CertificateRow {
  // The gateway reads the files at run time, so a build is the same on every machine.
  const files = filesOf(value);
  return {
    id,
    snis: [...new Set(namesOf(value).map(({ name }) => name))],
    chains: [
      ...(files === undefined ? [] : [{ files }]),
      ...chainsOf(value).map(({ cert, key, keyAt }) => ({
        cert,
        key: secret(key, `ssl:${id}:ssls.${id}.${keyAt.join(".")}`, spans.value(keyAt)),
      })),
    ],
    ...(value.client && { client: { ca: value.client.ca, depth: value.client.depth ?? 1 } }),
  };
}

/** `ssls` are planned like kinds of plugins: together, in a table of their own. */
const certificates = { name: CERTIFICATES, table: TABLE };

/** Its resources are planned together in one table: a plugin with kinds, or certificates. */
export type TableOwner = Pick<PluginDefinition, "name" | "kinds" | "table">;

export function tableOwners(): readonly TableOwner[] {
  return [...pluginsWithKinds(), certificates].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function tableOwner(name: string): TableOwner | undefined {
  return name === certificates.name ? certificates : findPlugin(name);
}
