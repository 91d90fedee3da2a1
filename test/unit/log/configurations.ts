import "../../../plugins/index.js";
import { type CompileResult, compile } from "../../../compiler/index.js";
import type { LoggerPlan } from "../../../compiler/log/plan.js";

export const SYSLOG = { host: "127.0.0.1", port: 514 };
export const BROKER = { brokers: [{ host: "kafka-1", port: 9092 }], broker_topic: "requests" };
export const FILE = { path: "/var/log/gwc/orders.log" };
export const HTTP = { uri: "https://logs.internal/ingest" };
export const sasl = (password: string) => ({
  ...BROKER,
  brokers: [{ host: "kafka-1", port: 9092, sasl_config: { user: "logs", password } }],
});

/** Compiles routes that are called after their place: r0, r1, … */
export function compiled(routes: readonly object[], secretKey?: string): CompileResult {
  const upstream = { nodes: { "127.0.0.1:80": 1 } };
  const all = routes.map((plugins, i) => ({ id: `r${i}`, uri: `/${i}`, upstream, plugins }));
  const sources = [{ name: "r.json", text: JSON.stringify({ routes: all }), format: "json" as const }];
  return compile({ sources, environment: {}, ...(secretKey !== undefined && { secretKey }) });
}

/** What the one logger of each route is planned to be. */
export function loggers(routes: readonly object[], secretKey?: string): LoggerPlan[] {
  const { plan, diagnostics } = compiled(routes, secretKey);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  return plan.routes.map(({ pipeline }) => pipeline?.resources?.[0]?.data as LoggerPlan);
}
