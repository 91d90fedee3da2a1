import type { Work } from "./peer.js";

/** One row of the table: the work, the traffic, and the peer whose CPU time bounds ours. */
export interface Line {
  name: string;
  work: Work;
  path: string;
  connections: number;
  /** Request header fields besides Host. */
  headers: number;
  method: "GET" | "POST" | "POST chunked";
  /** Named peer of the budget (issue text: at most 1.35 × its CPU time). */
  against: string;
  /** Clients speak TLS. */
  secure?: boolean;
}

const base = { connections: 64, headers: 4, method: "GET" } as const;
const small = "/orders/small.json";
const large = "/orders/large.json";

const WORKS: { name: string; work: Work; path: string; against: string }[] = [
  { name: "no plugin", work: "pass", path: small, against: "nginx" },
  { name: "5 header actions", work: "headers", path: small, against: "nginx + Lua" },
  { name: "headers + vars + filter", work: "rewrite", path: small, against: "nginx + Lua" },
  { name: "64 kB passed", work: "pass", path: large, against: "nginx" },
  { name: "64 kB filtered", work: "filter-large", path: large, against: "nginx + Lua" },
];

/** The five works on plain traffic, then each kind of traffic once for the three small works. */
export const LINES: readonly Line[] = [
  ...WORKS.map((work) => ({ ...base, ...work })),
  ...WORKS.slice(0, 3).flatMap((work) => [
    { ...base, ...work, connections: 4, name: `${work.name}, 4 connections` },
    { ...base, ...work, headers: 17, name: `${work.name}, 17 headers` },
    { ...base, ...work, method: "POST" as const, name: `${work.name}, POST with length` },
    { ...base, ...work, method: "POST chunked" as const, name: `${work.name}, POST chunked` },
  ]),
];

/** Lines of `npm run bench:guard`: the cheapest and the busiest small one, and a large body through a streaming filter. */
export const GUARD_LINES: readonly Line[] = [
  ...LINES.filter((line) => line.name === "no plugin" || line.name === "headers + vars + filter"),
  { ...base, name: "64 kB, streaming filter", work: "filter-stream", path: large, against: "nginx + Lua" },
];

/** 925 bytes of JSON, as in the measurements of the architecture; two fragments match the filter. */
export function smallBody(): string {
  const body = {
    id: 1042,
    source: "orders-17.internal",
    next: "http://orders-18.internal/page/2",
    items: Array.from({ length: 9 }, (_, i) => ({
      sku: `SKU-${1000 + i}`,
      count: i + 1,
      price: 19.5 + i,
      currency: "EUR",
    })),
    note: "",
  };
  body.note = "n".repeat(925 - Buffer.byteLength(JSON.stringify(body)));
  return JSON.stringify(body);
}

/** 64 kB of JSON, or so many times as much, with about a hundred fragments that match the filter in each 64 kB. */
export function largeBody(times = 1): string {
  const rows = Array.from({ length: 100 }, (_, i) => ({
    host: `orders-${i}.internal`,
    text: "x".repeat(600),
  }));
  const body = JSON.stringify(rows);
  return body.padEnd(65_536, " ").repeat(times);
}
