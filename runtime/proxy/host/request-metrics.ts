import { FOLDED, FoldedSeries } from "../../abi/folded-metrics.js";
import type { Counter, Gauge, Histogram, Labels, Metrics } from "../../abi/metrics.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { ExchangeSource } from "../exchange/variables.js";
import type { UpstreamFailure } from "../upstream/connection.js";
import type { LiveNode, LiveRoute } from "./contract.js";
import { NodeMetrics } from "./node-metrics.js";
import { PoolMetrics } from "./pool-metrics.js";

/** Upper bounds of the latency histograms in ms, as in the prometheus plugin of APISIX. */
export const LATENCY_BUCKETS: readonly number[] = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 30_000, 60_000,
];
/** Maximum consumers with own series; later ones share one, so that routes and statuses stay distinct. */
const CONSUMERS = 200;
/** Maximum combinations of consumer and node whose handles a route caches; more are looked up again. */
const KEPT_HANDLES = 256;

const STATUS = "Responses by status.";
const LATENCY = "Latency of requests in milliseconds: in total, of the upstream, and of the gateway.";
const BANDWIDTH = "Bytes received from and sent to clients, heads included.";

interface Subject {
  route: LiveRoute | undefined;
  consumer: string | undefined;
  node: LiveNode | undefined;
  /** Key of the node's upstream. */
  upstream: string;
}

class RequestSeries implements Subject {
  readonly route: LiveRoute | undefined;
  readonly consumer: string | undefined;
  readonly node: LiveNode | undefined;
  readonly upstream: string;
  readonly request: Histogram;
  readonly gateway: Histogram;
  readonly ingress: Counter;
  readonly egress: Counter;
  readonly #metrics: Metrics;
  readonly #labels: Labels;
  readonly #statuses = new Map<number, Counter>();
  #upstreamLatency: Histogram | undefined = undefined;

  constructor(metrics: Metrics, { route, consumer, node, upstream }: Subject) {
    this.upstream = upstream;
    this.route = route;
    this.consumer = consumer;
    this.node = node;
    this.#metrics = metrics;
    this.#labels = {
      route: route?.row.id ?? "",
      service: route?.row.serviceId ?? "",
      consumer: consumer ?? "",
      node: node?.host ?? "",
    };
    this.request = this.#latency("request");
    this.gateway = this.#latency("gw");
    this.ingress = metrics.counter("gw_bandwidth", BANDWIDTH, { type: "ingress", ...this.#labels });
    this.egress = metrics.counter("gw_bandwidth", BANDWIDTH, { type: "egress", ...this.#labels });
  }

  status(code: number): Counter {
    const known = this.#statuses.get(code);
    if (known !== undefined) return known;
    const { uris = [], hosts = [] } = this.route?.row ?? {};
    // A pattern is a label only if it is the only one; a request does not store which of several matched.
    const matched_uri = uris.length === 1 ? (uris[0] ?? "") : "";
    const matched_host = hosts.length === 1 ? (hosts[0] ?? "") : "";
    const labels = { code: String(code), matched_uri, matched_host, ...this.#labels };
    const counter = this.#metrics.counter("gw_http_status", STATUS, labels);
    this.#statuses.set(code, counter);
    return counter;
  }

  get upstreamLatency(): Histogram {
    this.#upstreamLatency ??= this.#latency("upstream");
    return this.#upstreamLatency;
  }

  #latency(type: string): Histogram {
    const labels = { type, ...this.#labels, upstream: this.upstream };
    return this.#metrics.histogram("gw_http_latency", LATENCY, labels, LATENCY_BUCKETS);
  }
}

/** Series of one route; most requests have the same consumer and node as the previous one. */
interface RouteHandles {
  last: RequestSeries;
  all: Map<string, RequestSeries>;
}

/** Cached handles per route: a request costs some additions (0.2 µs); the registry limits the number of series. */
export class RequestMetrics {
  readonly nodes: NodeMetrics;
  readonly pools: PoolMetrics;
  readonly #metrics: Metrics;
  readonly #routes = new WeakMap<LiveRoute, RouteHandles>();
  /** Series of requests without a route, and of input that never became a request. */
  readonly #unrouted: RequestSeries;
  readonly #requests: Counter;
  readonly #inFlight: Gauge;
  readonly #active: Gauge;
  readonly #accepted: Counter;
  readonly #turnedAway: Counter;
  readonly #buffered: Gauge;
  readonly #failures = new Map<string, Counter>();
  readonly #consumers = new Set<string>();
  readonly #folded: FoldedSeries;
  /** False if `drop_labels` contains the label: consumers are then not folded. */
  readonly #namesConsumers: boolean;

  /** @param dropped labels that `metrics` omits from request metrics */
  constructor(metrics: Metrics, dropped: readonly string[] = []) {
    this.#metrics = metrics;
    this.#folded = new FoldedSeries(metrics, "gw_http_status");
    this.#namesConsumers = !dropped.includes("consumer");
    this.nodes = new NodeMetrics(metrics);
    this.pools = new PoolMetrics(metrics);
    this.#unrouted = new RequestSeries(metrics, NOBODY);
    this.#requests = metrics.counter("gw_http_requests_total", "Requests since the start.", {});
    this.#inFlight = metrics.gauge("gw_http_current_requests", "Requests in flight.", {});
    const connections = "Client connections.";
    this.#active = metrics.gauge("gw_http_current_connections", connections, { state: "active" });
    const came = (outcome: string) =>
      metrics.counter("gw_http_connections_total", "Client connections that were accepted.", { outcome });
    this.#accepted = came("accepted");
    this.#turnedAway = came("refused");
    this.#buffered = metrics.gauge(
      "gw_buffered_body_bytes",
      "Bytes of bodies buffered for filters and logs.",
      {},
    );
  }

  started(inFlight: number): void {
    this.#requests.add(1);
    this.#inFlight.set(inFlight);
  }

  /** @param bytes reads the buffered bytes at collection, so that they show even while no request ends */
  watchBuffered(bytes: () => number): void {
    this.#metrics.onCollect(() => this.#buffered.set(bytes()));
  }

  /** Counts a finished request; `x.endedAt` is set. */
  finished<I extends ExchangeSource>(x: GatewayExchange<I>, inFlight: number): void {
    const series = this.#of(x);
    const { latency, upstreamLatency } = x;
    series.status(x.response.status).add(1);
    series.request.observe(latency);
    series.gateway.observe(Math.max(0, latency - (upstreamLatency ?? 0)));
    if (upstreamLatency !== undefined) series.upstreamLatency.observe(upstreamLatency);
    series.ingress.add(x.requestLength);
    series.egress.add(x.bytesSent);
    this.#inFlight.set(inFlight);
  }

  /** @param bytes size of the error response */
  refused(status: number, bytes: number): void {
    this.#requests.add(1);
    this.#unrouted.status(status).add(1);
    this.#unrouted.egress.add(bytes);
  }

  /** @param outcome "done", or the reason of its failure */
  handshake(outcome: string): void {
    const help = "TLS handshakes of clients by result.";
    this.#metrics.counter("gw_tls_handshakes_total", help, { outcome }).add(1);
  }

  connections(active: number): void {
    this.#active.set(active);
  }

  /** @param taken false if there are too many */
  connected(taken: boolean): void {
    (taken ? this.#accepted : this.#turnedAway).add(1);
  }

  retried(upstream: string): void {
    this.#metrics.counter("gw_upstream_retries_total", "Retries at another node.", { upstream }).add(1);
  }

  retryDenied(upstream: string): void {
    const help = "Retries that the retry budget did not allow.";
    this.#metrics.counter("gw_upstream_retries_denied_total", help, { upstream }).add(1);
  }

  upstreamFailed(upstream: string, failure: UpstreamFailure): void {
    const key = `${failure} ${upstream}`;
    let counter = this.#failures.get(key);
    if (counter === undefined) {
      const help = "Failed attempts at upstream nodes.";
      counter = this.#metrics.counter("gw_upstream_failures_total", help, { upstream, failure });
      if (this.#failures.size > KEPT_HANDLES) this.#failures.clear();
      this.#failures.set(key, counter);
    }
    counter.add(1);
  }

  #of<I extends ExchangeSource>(x: GatewayExchange<I>): RequestSeries {
    const { route, attempts } = x;
    const consumerName = this.#namesConsumers ? x.consumerName : undefined;
    const attempt = attempts.length === 0 ? undefined : attempts[attempts.length - 1];
    const node = attempt?.node;
    if (route === undefined) return this.#unrouted;
    const handles = this.#routes.get(route);
    const last = handles?.last;
    if (last !== undefined && last.node === node && last.consumer === consumerName) return last;
    const upstream = attempt?.upstream ?? "";
    return this.#find(handles, { route, consumer: this.#named(consumerName), node, upstream });
  }

  #named(consumer: string | undefined): string | undefined {
    if (consumer === undefined || this.#consumers.has(consumer)) return consumer;
    if (this.#consumers.size >= CONSUMERS) {
      this.#folded.count(consumer);
      return FOLDED;
    }
    this.#consumers.add(consumer);
    return consumer;
  }

  #find(handles: RouteHandles | undefined, subject: Subject): RequestSeries {
    const { node, consumer = "", upstream } = subject;
    const key = `${node?.host ?? ""} ${node?.port ?? ""} ${upstream} ${consumer}`;
    let series = handles?.all.get(key);
    if (series === undefined || series.node !== node) {
      series = new RequestSeries(this.#metrics, subject);
      if (handles !== undefined && handles.all.size >= KEPT_HANDLES) handles.all.clear();
      handles?.all.set(key, series);
    }
    if (handles !== undefined) handles.last = series;
    else if (subject.route !== undefined)
      this.#routes.set(subject.route, { last: series, all: new Map([[key, series]]) });
    return series;
  }
}

const NOBODY: Subject = { route: undefined, consumer: undefined, node: undefined, upstream: "" };
