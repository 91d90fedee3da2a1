import type { PluginMetadataModule } from "../../abi/exchange.js";
import type { PluginMetadataRow, RouterRow } from "../../abi/generation.js";
import type { PipelineModule } from "../../abi/route-module.js";
import { Router } from "../router/router.js";
import type { Upstream } from "../upstream/balancer.js";
import type { LiveRoute, MatchSubject } from "./contract.js";
import { CredentialNames } from "./credential-names.js";
import { CodeKind, clearRunning, isQuarantined, markRunning, routeNumber } from "./execution-marker.js";

/** Slot whose content is swapped at activation; routes hold the slot, so a swap touches no route. */
export interface Slot<T> {
  current: T;
  users: number;
}

class RouteCell {
  readonly row: RouterRow;
  readonly number: number;
  readonly module: Slot<PipelineModule> | null;
  readonly upstream: Slot<Upstream> | null;
  #live: LiveRoute;
  /** Quarantined form of the route: no code and no upstream, 503. */
  #current: LiveRoute | undefined;

  constructor(row: RouterRow, module: Slot<PipelineModule> | null, upstream: Slot<Upstream> | null) {
    this.row = row;
    this.number = routeNumber(row.id);
    this.module = module;
    this.upstream = upstream;
    this.#live = liveOf(this);
  }

  /** Route for a new request, which keeps it whatever is swapped meanwhile. */
  get route(): LiveRoute {
    if (isQuarantined(this.row.id))
      return (this.#current ??= { row: this.row, number: this.number, module: null, upstream: null });
    const { module, upstream } = this.#live;
    if (module !== (this.module?.current ?? null) || upstream !== (this.upstream?.current ?? null))
      this.#live = liveOf(this);
    return this.#live;
  }
}

/** In quarantine the conditions count as met: a request that reaches such a route stops there. */
function conditionHolds(cell: RouteCell, subject: MatchSubject): boolean {
  const { row, module } = cell;
  if (isQuarantined(row.id)) return true;
  markRunning(cell, CodeKind.condition);
  const holds = module?.current.match?.(subject) ?? true;
  clearRunning();
  return holds;
}

function liveOf({ row, number, module, upstream }: RouteCell): LiveRoute {
  return { row, number, module: module?.current ?? null, upstream: upstream?.current ?? null };
}

/** State that generations share, changed in place at activation so that an update costs as much as it changes. */
export class LiveTables {
  readonly router = new Router<RouteCell, MatchSubject>(conditionHolds);
  readonly modules = new Map<string, Slot<PipelineModule>>();
  readonly upstreams = new Map<string, Slot<Upstream>>();
  /** Plugin metadata, by module id. Requests read the metadata of their generation, never this. */
  readonly metadata = new Map<string, PluginMetadataModule>();
  metadataRows: readonly PluginMetadataRow[] = [];
  readonly credentials = new CredentialNames();
  /** Number of nodes of each connection pool. */
  readonly #pools = new Map<string, number>();

  /** Keys of connection pools with nodes. */
  get poolKeys(): ReadonlySet<string> {
    return new Set(this.#pools.keys());
  }

  putRoute(row: RouterRow): void {
    discount(this.router.get(row.id));
    const module = row.moduleId === null ? null : (this.modules.get(row.moduleId) ?? null);
    const upstream = row.upstream === null ? null : (this.upstreams.get(row.upstream) ?? null);
    if (module !== null) module.users++;
    if (upstream !== null) upstream.users++;
    this.router.put(row, new RouteCell(row, module, upstream));
  }

  removeRoute(id: string): void {
    discount(this.router.get(id));
    this.router.remove(id);
  }

  /** @returns the previous module */
  putModule(moduleId: string, module: PipelineModule): PipelineModule | undefined {
    this.credentials.set(moduleId, module.credentials);
    return swap(this.modules, moduleId, module);
  }

  removeModule(moduleId: string): void {
    this.credentials.set(moduleId, undefined);
    this.modules.delete(moduleId);
  }

  /** @returns true if a connection pool has lost its last node */
  putUpstream(key: string, upstream: Upstream): boolean {
    for (const { poolKey } of upstream.nodes) this.#pools.set(poolKey, (this.#pools.get(poolKey) ?? 0) + 1);
    return this.#forgetNodes(swap(this.upstreams, key, upstream));
  }

  /** @returns true if a connection pool has lost its last node */
  removeUpstream(key: string): boolean {
    const slot = this.upstreams.get(key);
    this.upstreams.delete(key);
    return this.#forgetNodes(slot?.current);
  }

  #forgetNodes(upstream: Upstream | undefined): boolean {
    let lost = false;
    for (const { poolKey } of upstream?.nodes ?? []) {
      const count = (this.#pools.get(poolKey) ?? 1) - 1;
      if (count > 0) this.#pools.set(poolKey, count);
      else lost = this.#pools.delete(poolKey) || lost;
    }
    return lost;
  }
}

function discount(cell: RouteCell | undefined): void {
  if (cell?.module) cell.module.users--;
  if (cell?.upstream) cell.upstream.users--;
}

function swap<T>(slots: Map<string, Slot<T>>, key: string, value: T): T | undefined {
  const slot = slots.get(key);
  if (slot === undefined) {
    slots.set(key, { current: value, users: 0 });
    return undefined;
  }
  const previous = slot.current;
  slot.current = value;
  return previous;
}
