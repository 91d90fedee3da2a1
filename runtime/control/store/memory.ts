import type { Store, StoreState } from "./store.js";

/** A store without a disk: for embedding, and for `gwc run dist/` where nothing is written. */
export function memoryStore(): Store {
  let meta = { generation: 0, revision: 0 };
  const resources = new Map<string, StoreState["resources"][number]>();
  return {
    load: () => ({ ...meta, resources: [...resources.values()] }),
    commit({ put, remove, generation, revision }) {
      for (const { kind, id } of remove) resources.delete(`${kind}/${id}`);
      for (const resource of put) resources.set(`${resource.kind}/${resource.id}`, resource);
      meta = { generation, revision };
    },
    async close() {},
  };
}
