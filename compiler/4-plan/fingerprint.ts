import { createHash } from "node:crypto";
import { canonicalJson, sha256 } from "../../runtime/abi/hash.js";
import type { Plan, PlannedPipeline } from "../model/plan.js";

/**
 * Number of groups that parts are hashed into. With 10,000 parts, a changed one re-hashes 40 lines of its
 * group and 256 groups.
 */
const GROUPS = 256;

/**
 * Hash of a plan from the hashes of its parts. It is a two-level tree, so that one changed part costs
 * microseconds. The result depends on the set of parts only, not on their order.
 */
export class Fingerprint {
  readonly #groups: Map<string, string>[] = Array.from({ length: GROUPS }, () => new Map());
  readonly #digests: (string | undefined)[] = new Array(GROUPS);

  copy(): Fingerprint {
    const copy = new Fingerprint();
    for (const [group, parts] of this.#groups.entries()) {
      copy.#groups[group] = new Map(parts);
      copy.#digests[group] = this.#digests[group];
    }
    return copy;
  }

  /**
   * @param part unique name in the plan: "route:shop"
   * @param hash SHA-256 (hex) of its canonical form
   */
  put(part: string, hash: string): void {
    const group = groupOf(part);
    this.#groups[group]?.set(part, hash);
    this.#digests[group] = undefined;
  }

  get(part: string): string | undefined {
    return this.#groups[groupOf(part)]?.get(part);
  }

  remove(part: string): void {
    const group = groupOf(part);
    this.#groups[group]?.delete(part);
    this.#digests[group] = undefined;
  }

  /** Returns the SHA-256 (hex) over all parts. */
  digest(): string {
    const whole = createHash("sha256");
    for (let group = 0; group < GROUPS; group++) {
      this.#digests[group] ??= groupDigest(this.#groups[group] ?? new Map());
      whole.update(this.#digests[group] ?? "");
    }
    return whole.digest("hex");
  }
}

/** FNV-1a over the name's code units, which spreads names that differ in a final digit. */
function groupOf(part: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < part.length; index++)
    hash = Math.imul(hash ^ part.charCodeAt(index), 0x01000193);
  return (hash ^ (hash >>> 16)) & (GROUPS - 1);
}

function groupDigest(parts: ReadonlyMap<string, string>): string {
  if (parts.size === 0) return "";
  const lines = [...parts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([part, hash]) => `${part} ${hash}\n`);
  return sha256(lines.join(""));
}

/**
 * Returns the plan as JSON text with sorted keys: equal plans have equal bytes in whatever order their parts
 * were made. Tables are members under the names of their plugins, next to the other parts.
 */
export function canonicalPlan(plan: Plan | PlannedPipeline): string {
  if (!("tables" in plan)) return canonicalJson(plan);
  const { tables, ...others } = plan;
  return canonicalJson({ ...tables, ...others });
}
