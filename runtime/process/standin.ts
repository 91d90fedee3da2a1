import { createRequire } from "node:module";
import { compileFunction } from "node:vm";
import type { Artifact, Delta, UpstreamTable } from "../abi/generation.js";
import type { PipelineModule } from "../abi/route-module.js";
import type { LiveGeneration, LiveRoute, LiveUpstream, MatchSubject } from "../host/contract.js";
import * as runtime from "../index.js";
import { Router } from "../router/router.js";
import { GenerationContent } from "./generation-log.js";

void createRequire;
function load(code: string, filename: string): PipelineModule {
  const module = { exports: {} as PipelineModule };
  compileFunction(code, ["require", "module"], { filename })(() => runtime, module);
  return module.exports;
}
function upstream(table: UpstreamTable): LiveUpstream {
  const nodes = table.nodes.map((n) => ({
    host: n.host,
    port: n.port,
    poolKey: `${n.host}:${n.port}`,
    active: 0,
  }));
  let at = 0;
  return {
    table,
    pick: (_x, tried) => {
      for (let i = 0; i < nodes.length; i++) {
        const n = nodes[at++ % nodes.length]!;
        if (!tried.includes(n)) return n;
      }
      return null;
    },
    report() {},
  };
}
function build(number: number, content: GenerationContent): LiveGeneration {
  const modules = new Map([...content.modules].map(([k, m]) => [k, load(m.code, m.file)]));
  const ups = new Map([...content.upstreams].map(([k, t]) => [k, upstream(t)]));
  const router = new Router<LiveRoute, MatchSubject>((r, s) => r.module?.match?.(s) ?? true);
  for (const row of content.routes.values())
    router.put(row, {
      row,
      module: row.unit ? (modules.get(row.unit) ?? null) : null,
      upstream: row.upstream ? (ups.get(row.upstream) ?? null) : null,
    });
  return {
    number,
    globalRules: content.globalRules.map((row) => ({ row, module: modules.get(row.unit)! })),
    match: (s) => router.match(s),
  };
}
export class StandIn {
  content = new GenerationContent();
  live!: LiveGeneration;
  next: { content: GenerationContent; live: LiveGeneration } | undefined;
  start(n: number, a: Artifact) {
    this.content = GenerationContent.of(n, a);
    this.live = build(n, this.content);
  }
  prepare(n: number, d: Delta) {
    const c = GenerationContent.of(this.content.number, this.content.artifact());
    c.apply(n, d);
    this.next = { content: c, live: build(n, c) };
  }
  activate() {
    this.content = this.next!.content;
    this.live = this.next!.live;
    this.next = undefined;
  }
  discard() {
    this.next = undefined;
  }
}
