import { messageOf } from "../../abi/error-message.js";
import type { OpenResource, ResourceContext, SharedResource } from "../../abi/resource.js";
import { LoadError } from "./load.js";

interface Kept {
  opened: OpenResource;
  users: number;
}

/** Shared resources, each open once for all modules that name its key. */
export class SharedResources {
  readonly #byKey = new Map<string, Kept>();
  readonly #draining = new Set<Promise<void>>();
  readonly #context: ResourceContext;

  constructor(context: ResourceContext) {
    this.#context = context;
  }

  /** @throws LoadError GW6007 if one cannot be opened; then none is retained */
  retain(resources: readonly SharedResource[]): void {
    const done: SharedResource[] = [];
    try {
      for (const resource of resources) {
        const kept = this.#byKey.get(keyOf(resource)) ?? { opened: resource.open(this.#context), users: 0 };
        kept.users++;
        this.#byKey.set(keyOf(resource), kept);
        done.push(resource);
        resource.use(kept.opened);
      }
    } catch (error) {
      this.release(done, 0);
      throw new LoadError("GW6007", `a resource cannot be opened: ${messageOf(error)}`, error);
    }
  }

  /** Removes a user; a resource without users has `deadlineMs` to deliver its content. */
  release(resources: readonly SharedResource[], deadlineMs: number): void {
    for (const resource of resources) {
      const kept = this.#byKey.get(keyOf(resource));
      if (kept === undefined || --kept.users > 0) continue;
      this.#byKey.delete(keyOf(resource));
      const drained = Promise.resolve(kept.opened.drain(deadlineMs)).catch(() => {
        // The resource itself counts and reports losses.
      });
      this.#draining.add(drained);
      void drained.then(() => this.#draining.delete(drained));
    }
  }

  /** Drains all resources at the end of the process, whoever still uses them. */
  async close(deadlineMs: number): Promise<void> {
    const opened = [...this.#byKey.values()].map((kept) => kept.opened);
    this.#byKey.clear();
    await Promise.allSettled([...opened.map(async (one) => one.drain(deadlineMs)), ...this.#draining]);
  }
}

const keyOf = ({ kind, key }: SharedResource) => `${kind} ${key}`;
