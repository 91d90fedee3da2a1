import "../../../plugins/index.js";
import { type CompileResult, compile } from "../../../compiler/index.js";
import type { LoggerPlan } from "../../../compiler/model/plan.js";
import type { SourceText } from "../../../compiler/model/source.js";

export const SYSLOG = { host: "127.0.0.1", port: 514 };
export const BROKER = { brokers: [{ host: "kafka-1", port: 9092 }], broker_topic: "requests" };
export const FILE = { path: "/var/log/gwc/orders.log" };
export const HTTP = { uri: "https://logs.internal/ingest" };
export const sasl = (password: string) => ({
  ...BROKER,
  brokers: [{ host: "kafka-1", port: 9092, sasl_config: { user: "logs", password } }],
});

/** Source text of routes that are named by their index: r0, r1, … */
export function sourceOf(routes: readonly object[]): SourceText {
  const upstream = { nodes: { "127.0.0.1:80": 1 } };
  const all = routes.map((plugins, i) => ({ id: `r${i}`, uri: `/${i}`, upstream, plugins }));
  return { name: "r.json", text: JSON.stringify({ routes: all }), format: "json" };
}

export function compiled(routes: readonly object[], secretKey?: string): CompileResult {
  const sources = [sourceOf(routes)];
  return compile({ sources, environment: {}, ...(secretKey !== undefined && { secretKey }) });
}

/** Plan of the one logger of each route. */
export function loggers(routes: readonly object[], secretKey?: string): LoggerPlan[] {
  const { plan, diagnostics } = compiled(routes, secretKey);
  if (plan === undefined) throw new Error(JSON.stringify(diagnostics));
  return plan.routes.map(({ pipeline }) => pipeline?.resources?.[0]?.data as LoggerPlan);
}
