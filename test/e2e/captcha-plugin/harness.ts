import "../../../plugins/index.js";
import "../../../plugins/runtime.js";
import { onTestFinished } from "vitest";
import { compile } from "../../../compiler/index.js";
import type { MetricFamily } from "../../../runtime/abi/metrics.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { DataServer, type DataServerOptions } from "../../../runtime/proxy/host/data-server.js";
import { CaptchaVerifier } from "../../support/captcha-verifier.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { RawClient } from "../../support/raw-client.js";
import { RawUpstream } from "../../support/raw-upstream.js";

export const SITE_KEY = "shop-front";
export const API_KEY = "spk_8charsid_secret";

export interface HarnessOptions {
  /** Settings of the plugin beside site key, API key and captcha_url. */
  settings?: Record<string, unknown>;
  /** More plugins of the route. */
  plugins?: Record<string, unknown>;
  /** Other sections of the configuration. */
  sections?: Record<string, unknown>;
  /** Port of another upstream. */
  upstreamPort?: number;
  server?: Partial<DataServerOptions>;
  /** Default: a stub of the service. */
  service?: { url: string; siteKey: string; apiKey: string };
}

export interface Harness {
  port: number;
  verifier: CaptchaVerifier;
  upstream: RawUpstream;
  server: DataServer;
  reports: { event: string; fields: Readonly<Record<string, unknown>> }[];
  client(from?: string): Promise<RawClient>;
  /** Value of the counters or gauges with at least these labels; 0 if there is none. */
  metric(name: string, labels?: Record<string, string>): number;
}

/**
 * A gateway with one protected route between a verification service and an upstream; stops after the test.
 */
export async function captchaHarness(options: HarnessOptions = {}): Promise<Harness> {
  const verifier = await new CaptchaVerifier().start();
  onTestFinished(() => verifier.stop());
  const upstream = await new RawUpstream(() => ({
    writes: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"],
  })).start();
  onTestFinished(() => upstream.stop());
  const { url, siteKey, apiKey } = options.service ?? {
    url: verifier.url,
    siteKey: SITE_KEY,
    apiKey: API_KEY,
  };
  const environment = { CAPTCHA_TEST_KEY: apiKey };
  const settings = {
    captcha_url: url,
    site_key: siteKey,
    api_key: "${{CAPTCHA_TEST_KEY}}",
    ...options.settings,
  };
  const route = {
    id: "r",
    uri: "/*",
    upstream: { nodes: { [`127.0.0.1:${options.upstreamPort ?? upstream.port}`]: 1 } },
    plugins: { captcha: settings, ...options.plugins },
  };
  const text = JSON.stringify({ routes: [route], ...options.sections });
  const { artifact, diagnostics } = compile({
    sources: [{ name: "r.json", text, format: "json" }],
    environment,
  });
  if (artifact === undefined) throw new Error(JSON.stringify(diagnostics));
  const reports: Harness["reports"] = [];
  const metrics = new MetricsRegistry();
  const generations = hostedGenerations({
    environment,
    context: { metrics, report: (event, fields) => reports.push({ event, fields }) },
  });
  generations.start(1, artifact);
  const server = new DataServer({ generation: () => generations.live, ...options.server });
  const { port } = await server.accept({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await server.close(0);
    await generations.close(1_000);
  });
  const client = async (from?: string) => {
    const opened = await RawClient.open(port, from);
    onTestFinished(() => opened.close());
    return opened;
  };
  const metric = (name: string, labels: Record<string, string> = {}) =>
    levelOf(metrics.snapshot(), name, labels);
  return { port, verifier, upstream, server, reports, client, metric };
}

function levelOf(families: readonly MetricFamily[], name: string, labels: Record<string, string>): number {
  const series = families.find((family) => family.name === name)?.series ?? [];
  const fits = (found: Readonly<Record<string, string>>) =>
    Object.entries(labels).every(([label, value]) => found[label] === value);
  return series.filter((one) => fits(one.labels)).reduce((sum, { value }) => sum + value, 0);
}
