// Generated from schema/*.json by `npm run types`. Change the schemas, not this file.

/**
 * TCP port to listen on; 0 lets the system choose one.
 */
export type Port = number;
/**
 * A port, or an address and a port.
 */
export type NodeListen =
  | Port
  | {
      /**
       * IPv4 or IPv6 address of this machine. Default: 0.0.0.0.
       */
      ip: string;
      port: Port;
    };
/**
 * An IPv4 or IPv6 address, or a block of them in CIDR notation.
 */
export type AddressBlock = string;
/**
 * A text with variables, a constant, or an object of these.
 */
export type LogFormatValue =
  | string
  | number
  | boolean
  | {
      [k: string]: LogFormatValue;
    };
/**
 * true: the record contains the request body.
 */
export type IncludeRequestBody = boolean;
/**
 * With include_req_body: condition for capturing the body. Sees the request.
 *
 * @minItems 1
 */
export type IncludeRequestBodyWhen = unknown[];
/**
 * Maximum size in bytes of a request body in a record; longer ones are truncated and marked.
 */
export type MaxRequestBodyBytes = number;
/**
 * true: the record contains the response body, decompressed if necessary.
 */
export type IncludeResponseBody = boolean;
/**
 * With include_resp_body: condition for capturing the body. Sees the response.
 *
 * @minItems 1
 */
export type IncludeResponseBodyWhen = unknown[];
/**
 * Maximum size in bytes of a response body in a record; longer ones are truncated and marked.
 */
export type MaxResponseBodyBytes = number;
/**
 * Number of records at which a batch is sent. 1: every record is sent at once.
 */
export type BatchMaxSize = number;
/**
 * Maximum time in seconds from the first record of a batch until the batch is sent.
 */
export type InactiveTimeout = number;
/**
 * Maximum age of a record in a batch, in seconds; the smaller of this and inactive_timeout applies.
 */
export type BufferDuration = number;
/**
 * Number of retries of a failed batch before it is dropped. With delivery: durable, retries continue until it is delivered.
 */
export type MaxRetryCount = number;
/**
 * Delay between two delivery attempts in seconds.
 */
export type RetryDelay = number;
/**
 * Maximum size in bytes of records that one worker holds for this destination, queued or being sent. Further records are dropped and counted as buffer overflow.
 */
export type MaxPendingBytes = number;
/**
 * memory: records are queued in memory, within limits, and are lost with the process. durable: they are first appended to a spool on disk, survive a crash, and are sent until they are delivered.
 */
export type DeliveryMode = "memory" | "durable";
/**
 * With delivery: durable. log: the record is appended after the response. response: the last byte of the response is sent only when the record is on disk, so every completed request is logged.
 */
export type DeliveryAck = "log" | "response";
/**
 * Share of requests to log, from 0 to 1: 0.01 logs one in a hundred, and every error. Default: all. Or an object with more settings.
 */
export type Sample =
  | number
  | {
      /**
       * Share of requests to log, from 0 to 1.
       */
      rate: number;
      /**
       * Text with variables on which the decision is based: for equal keys, every logger, worker and machine logs all requests or none. In a traceparent, the trace id is the key. Default, and for an empty key: random.
       */
      key?: string;
      /**
       * true: always logs requests with a status of 500 or above.
       */
      always_errors: boolean;
      /**
       * Duration in milliseconds above which requests are always logged. Default: none.
       */
      always_slower_than_ms?: number;
    };
/**
 * true: each record has a field record_id, which is equal in all delivered copies. Default: true with delivery: durable, else false.
 */
export type RecordId = boolean;
/**
 * Name of a header. Its spelling is kept; comparison ignores case.
 */
export type HeaderName = string;
/**
 * A variable, an operator, a logic word, a value, or a nested list of these. A condition with an object is rejected.
 */
export type ExpressionItem =
  | string
  | number
  | boolean
  | null
  | ExpressionItem[]
  | {
      [k: string]: unknown;
    };
/**
 * Conditions on variables. In a list of conditions [variable, operator, value], all must be true; a list that starts with AND, OR, !AND or !OR combines the items after it. Operators: == ~= > >= < <= ~~ (regular expression) ~* (the same, ignoring case) in, has, ipmatch; "!" before an operator negates it. An empty list is always true.
 */
export type Expression = ExpressionItem[];
export type BrokerHostPort = string;
/**
 * @minItems 1
 */
export type BrokerAddresses = (BrokerAddress | BrokerHostPort)[];
/**
 * Identifier, unique among the resources of its kind.
 */
export type Id = string | number;
/**
 * Name for people; need not be unique.
 */
export type Name = string;
/**
 * Free text for people, at most 256 characters.
 */
export type Description = string;
/**
 * Path to serve: exact (/a), everything below (/a/*), with named segments (/a/:name/b) or a named rest (/a/*rest). Compared with the normalized path (docs/paths.md), without query.
 */
export type PathPattern = string;
/**
 * Host name without port, compared in lower case. A leading * matches any prefix: *.example.com matches a.example.com and a.b.example.com, not example.com.
 */
export type HostPattern = string;
export type NodeList = Node[];
/**
 * Unix seconds; the admin API sets it.
 */
export type Timestamp = number;
/**
 * Certificates in PEM.
 */
export type CertificateChain = string;
/**
 * Lines of a head, in order: "Name: value".
 */
export type Lines = string[];
/**
 * 1xx responses, in order.
 */
export type Interim = TestInterim[];
/**
 * Header names that must appear in this order and spelling.
 *
 * @minItems 1
 */
export type Spelled = string[];
/**
 * Header names that must not appear.
 *
 * @minItems 1
 */
export type Absent = string[];
/**
 * Records of the loggers, ordered by plugin name; []: none.
 */
export type ExpectedRecords = ExpectedRecord[];
/**
 * Constant text or number. Text may contain variables: $name, ${name}, ${name ?? default}; \$ is a dollar.
 */
export type HeaderValue = string | number;

/**
 * The root of each schema: the configuration file, and the settings of each plugin by file stem.
 */
export interface SchemaTypes {
  configuration: Configuration;
  "broker-logger": BrokerLogger;
  captcha: Captcha;
  "file-logger": FileLogger;
  "http-logger": HttpLogger;
  "key-auth.consumer": KeyAuthConsumer;
  "key-auth": KeyAuth;
  "proxy-rewrite": ProxyRewrite;
  redirect: Redirect;
  "response-rewrite": ResponseRewrite;
  syslog: Syslog;
  "tcp-logger": TcpLogger;
  "udp-logger": UdpLogger;
}
/**
 * A configuration file of the gateway: its settings, and the resources it serves.
 */
export interface Configuration {
  /**
   * Schema for editors; the gateway does not read it.
   */
  $schema?: string;
  gw?: GatewaySettings;
  deployment?: Deployment;
  plugin_attr?: PluginAttributes;
  /**
   * Environment variables for `gwc test`, which replace the actual ones. Nothing else reads them.
   */
  test_environment?: {
    [k: string]: string;
  };
  captcha?: CaptchaSection;
  /**
   * Packages of plugins in addition to the built-in ones: an npm package name, or a folder relative to this file.
   */
  plugins?: string[];
  /**
   * Routes: the requests that the gateway serves, and how.
   */
  routes?: Route[];
  /**
   * Services: settings that several routes share.
   */
  services?: Service[];
  /**
   * Servers that receive requests.
   */
  upstreams?: Upstream[];
  /**
   * Shared sets of plugins.
   */
  plugin_configs?: PluginConfig[];
  /**
   * Settings that all instances of a plugin share.
   */
  plugin_metadata?: PluginMetadata[];
  /**
   * Plugins that run around every request.
   */
  global_rules?: GlobalRule[];
  /**
   * Clients that authenticate themselves.
   */
  consumers?: Consumer[];
  /**
   * Certificates for server names.
   */
  ssls?: Ssl[];
  /**
   * Exchanges that `gwc test` runs. They do not affect checks, builds or the gateway.
   */
  tests?: Test[];
  /**
   * Owners of the captcha's keys.
   */
  captcha_customers?: CaptchaCustomer[];
  /**
   * Public keys of the captcha's widget, with their settings.
   */
  captcha_site_keys?: CaptchaSiteKey[];
  /**
   * Private keys with which backends verify captcha tokens.
   */
  captcha_api_keys?: CaptchaApiKey[];
}
/**
 * Listeners, processes and limits of the gateway.
 */
export interface GatewaySettings {
  /**
   * Listeners for clients: a port, a list of ports, or a list of { ip, port }. A port alone listens on all IPv4 addresses.
   */
  node_listen: Port | NodeListen[];
  ssl?: TlsSettings;
  status: Listen;
  /**
   * Number of worker processes. Default: one for each processor core; 0: everything in one process, for development.
   */
  workers?: number;
  /**
   * Trusted proxies in front of the gateway. From them, the gateway accepts the client address (real_ip_header) and X-Forwarded-Proto, -Host and -Port. It removes the forwarding headers of all other clients.
   */
  trusted_addresses: AddressBlock[];
  /**
   * Header in which trusted proxies name the client. It is read from the right, past the addresses of trusted proxies; the first other address is the client.
   */
  real_ip_header: "X-Forwarded-For" | "X-Real-IP" | "Forwarded";
  /**
   * Treatment of request headers with _ in their names, which CGI and similar interfaces do not distinguish from -. drop: removes all; refuse: rejects the request with 400; keep: forwards them. Default: removes aliases of headers that the configuration of the route sets or removes. Aliases of reserved headers, such as X_Real_IP, are always removed.
   */
  underscores_in_headers?: "drop" | "keep" | "refuse";
  /**
   * true: routes TRACE and TRACK like other methods. By default they are rejected with 405, because they echo the request with its credentials.
   */
  allow_trace: boolean;
  path?: PathSettings;
  drain?: DrainSettings;
  data_encryption?: DataEncryption;
  access_log?: AccessLogSettings;
  limits?: Limits;
}
/**
 * TLS of clients, with the certificates of `ssls`.
 */
export interface TlsSettings {
  /**
   * Listeners for clients with TLS: a list of ports, or of { ip, port }. Default: none.
   *
   * @minItems 1
   */
  listen?: NodeListen[];
  /**
   * TLS versions for clients.
   */
  ssl_protocols: "TLSv1.2 TLSv1.3" | "TLSv1.3" | "TLSv1.2";
  /**
   * Cipher suites by their OpenSSL names, separated by colons. Default: all with forward secrecy and authenticated encryption.
   */
  ssl_ciphers?: string;
  /**
   * Server name whose certificate is presented to clients that send no server name, or one without a certificate. Default: the handshake fails (alert unrecognized_name).
   */
  fallback_sni?: string;
}
/**
 * Address and port to listen on.
 */
export interface Listen {
  /**
   * IPv4 or IPv6 address of this machine.
   */
  ip?: string;
  port?: Port;
}
/**
 * Normalization of request paths, before they are matched and forwarded (docs/paths.md).
 */
export interface PathSettings {
  /**
   * Treatment of %2F and %5C in a path. keep: they stay, but the request is rejected with 400 if decoding them would change the route or its plugins; refuse: 400; decode: %2F separates segments, %5C stays.
   */
  escaped_slashes: "keep" | "refuse" | "decode";
  /**
   * true: merges consecutive slashes, as nginx and Apache httpd do. false: they stay, but the request is rejected with 400 if merging them would change the route or its plugins.
   */
  merge_slashes: boolean;
}
/**
 * Stop of the gateway at SIGTERM. A second SIGTERM stops it immediately.
 */
export interface DrainSettings {
  /**
   * Delay in seconds during which a stopping gateway still accepts connections while /status/ready responds with 503, so that balancers stop sending before connections are refused. Not with `workers: 0`.
   */
  delay: number;
  /**
   * Time limit in seconds after that, for requests in flight and then for the delivery of log records. Records of `delivery: durable` that are left stay in the spool.
   */
  timeout: number;
}
/**
 * Encryption of secrets in the store (AES-256-GCM).
 */
export interface DataEncryption {
  /**
   * Keys: the first encrypts, all decrypt. Default: a generated key, stored next to the store.
   *
   * @minItems 1
   *
   * Items: At least 16 characters that cannot be guessed. Use ${{VAR}} rather than a key in the file.
   */
  keyring?: string[];
}
/**
 * Access log of the workers, with one line for each request. Without this section there is none.
 */
export interface AccessLogSettings {
  /**
   * A file, relative to the working directory, or stdout. SIGUSR1 reopens files.
   */
  path: string;
  /**
   * combined (the format of nginx and Apache httpd), json, or a pattern with variables: $status, ${http_user_agent}. Credentials are masked.
   */
  format: string;
  /**
   * Escaping of values in a pattern, so that no value can forge a line. default: quotes, backslashes, control characters and non-ASCII bytes as \xHH, absent values as -; json: JSON escapes, absent values are empty.
   */
  escape: "default" | "json";
}
/**
 * Limits that protect the gateway. Sizes are in bytes, times in seconds.
 */
export interface Limits {
  /**
   * Maximum size of a request or response head; above: 431 to clients, 502 for upstreams.
   */
  header_bytes: number;
  /**
   * Maximum number of headers in a head; above: 431 to clients, 502 for upstreams.
   */
  header_count: number;
  /**
   * Maximum size of a request target; above: 414.
   */
  target_bytes: number;
  /**
   * Maximum size of a request body; above: 413. 0: no limit, since bodies are streamed.
   */
  body_bytes: number;
  /**
   * Maximum size of a trailer section; above: 431 to clients, 502 for upstreams.
   */
  trailer_bytes: number;
  /**
   * Maximum size of the extensions of one chunk; above: 400 to clients, 502 for upstreams.
   */
  chunk_extension_bytes: number;
  /**
   * Maximum size of all bodies that one worker buffers for filters and logs, after decoding, until the clients have received them; above: 503, and logs capture less.
   */
  buffered_body_bytes: number;
  /**
   * Maximum number of interim (1xx) responses that are forwarded before the final one; further ones are dropped.
   */
  interim_responses: number;
  /**
   * Maximum number of client connections of one worker; above: closed at once.
   */
  connections: number;
  /**
   * Maximum number of requests on one client connection, which is then closed.
   */
  requests_per_connection: number;
  /**
   * Maximum time from the first byte of a request head to its end; above: 408. A connection without a byte is closed after the same time.
   */
  header_timeout: number;
  /**
   * Maximum time between two pieces of a request body, or during which the client does not read the response; above: 408, or the connection is closed.
   */
  body_timeout: number;
  /**
   * Minimum average rate of a request body in bytes per second, checked after 10 seconds; below: 408. Time during which the upstream does not read is not counted. 0: no minimum rate.
   */
  request_body_rate: number;
  /**
   * Minimum average rate in bytes per second at which a client must read pending output, checked after 10 seconds; below: the connection is closed. Time without pending output is not counted. 0: no minimum rate.
   */
  response_body_rate: number;
  /**
   * Maximum idle time of a client connection between requests.
   */
  idle_timeout: number;
  /**
   * Maximum time from a connection to the end of its TLS handshake; above: closed.
   */
  handshake_timeout: number;
  /**
   * Maximum number of concurrent TLS handshakes in one worker; above: the oldest one is closed.
   */
  handshakes: number;
}
/**
 * Administration and store.
 */
export interface Deployment {
  admin?: Admin;
  store?: Store;
  log?: LogSettings;
}
/**
 * The admin API.
 */
export interface Admin {
  admin_listen: Listen;
  /**
   * Keys that authenticate clients of the admin API, sent in X-API-KEY.
   */
  admin_key?: AdminKey[];
  /**
   * false: everyone who can reach the admin listener may write. In browsers, Host must then be localhost, an address or the name of the listener, and writes need Content-Type: application/json.
   */
  admin_key_required: boolean;
  /**
   * Addresses that may use the admin API; empty: all.
   */
  allow_admin: AddressBlock[];
  /**
   * Maximum number of connections of the admin API, and the same number for the status and the metrics listener; one address may use a quarter of them (at least 16). Above: the longest idle one is closed.
   */
  connections: number;
  /**
   * File, relative to the working directory, that receives a line of JSON for each change of the configuration and each rejected one: time, key name, address and change, without secrets. Default: none.
   */
  audit_log?: string;
  history?: AdminHistory;
  /**
   * Serves the web interface at /gw/ui on the admin listener. Its pages contain no data; they request it from the admin API with the key that the user enters.
   */
  enable_admin_ui: boolean;
  /**
   * Allows browsers to call the admin API from pages of other origins, with a key; no effect if admin_key_required is false.
   */
  enable_admin_cors: boolean;
}
export interface AdminKey {
  /**
   * Name of the key, for people and logs.
   */
  name: string;
  /**
   * The key itself. Use ${{VAR}}, which is resolved when the gateway runs, rather than a key in the file.
   */
  key: string;
  /**
   * admin: may read and write; viewer: may read.
   */
  role: "admin" | "viewer";
}
/**
 * Limits of the history of changes by the admin API; above them, the oldest changes are removed.
 */
export interface AdminHistory {
  /**
   * Maximum number of changes; 0 disables the history.
   */
  max_entries: number;
  /**
   * Maximum size in bytes of all changes in the store; the newest is kept whatever its size.
   */
  max_bytes: number;
}
/**
 * Store of the resources that are written through the admin API.
 */
export interface Store {
  /**
   * lmdb: an embedded database in a directory.
   */
  type: "lmdb";
  /**
   * Directory of the store, relative to the working directory.
   */
  path: string;
}
/**
 * Settings that the loggers of this gateway share.
 */
export interface LogSettings {
  spool?: Spool;
}
/**
 * On-disk queue in which loggers with delivery: durable store records until they are delivered. A change needs a restart.
 */
export interface Spool {
  /**
   * Directory of the spools, relative to the working directory; each gateway needs a separate one. Default: spool in the directory of the store.
   */
  path?: string;
  /**
   * Maximum size in bytes of the undelivered records of all destinations together.
   */
  max_bytes: number;
  /**
   * Disk space in bytes, at most a twentieth of the disk, that is reserved for records with ack: response. Requests with ack: response are accepted while half of it is free.
   */
  reserve_bytes: number;
}
/**
 * Process-wide settings of features.
 */
export interface PluginAttributes {
  redirect?: RedirectSettings;
  prometheus?: PrometheusSettings;
}
/**
 * Settings of the plugin redirect.
 */
export interface RedirectSettings {
  /**
   * Port of the URL for `http_to_https`. Default: the port of the first listener of `gw.ssl.listen`, else 443.
   */
  https_port?: number;
}
/**
 * Metrics endpoint for Prometheus.
 */
export interface PrometheusSettings {
  /**
   * false: disables the endpoint and its listener.
   */
  enable_export_server: boolean;
  export_addr: Listen;
  /**
   * Path of the endpoint.
   */
  export_uri: string;
  /**
   * Maximum number of series of each metric in each worker; further series are counted together, with (overflow) in their labels. A route has one series of gw_http_status for each code, consumer and node, and three of gw_http_latency for each consumer and node, of half a kB each. A change needs a restart.
   */
  series_limit: number;
  /**
   * Labels to omit from gw_http_status, gw_http_latency and gw_bandwidth, which reduces the number of series. A change needs a restart.
   */
  drop_labels: ("matched_uri" | "matched_host" | "service" | "consumer" | "node" | "upstream")[];
}
/**
 * The captcha service: a separate process with its own listener, which runs if this section exists, even empty.
 */
export interface CaptchaSection {
  listen: Listen;
  /**
   * URL of the service as browsers see it: https and a separate host, without a path. Default: the address of the listener, which only this machine can use.
   */
  url?: string;
  /**
   * Root of the keys that protect API keys, addresses and signing keys: at least 16 characters that cannot be guessed, the same on all nodes that share a store. Default: 32 random bytes, generated once and stored next to the store. With a different secret, all API keys that the admin API issued are invalid.
   */
  secret?: string;
  store?: CaptchaStore;
  /**
   * Trusted proxies in front of the service, which name the client address. Default: gw.trusted_addresses.
   */
  trusted_addresses?: AddressBlock[];
  /**
   * Header in which the trusted proxies name the client. Default: gw.real_ip_header.
   */
  real_ip_header?: "X-Forwarded-For" | "X-Real-IP" | "Forwarded";
  testing?: CaptchaTesting;
  /**
   * Networks of hosting companies, from which people rarely browse: they raise the score.
   */
  hosting_networks: AddressBlock[];
  audit?: CaptchaAudit;
  limits?: CaptchaLimits;
  price?: CaptchaPrice;
}
/**
 * Store of used tokens, signing keys and open sessions. A change needs a restart.
 */
export interface CaptchaStore {
  /**
   * lmdb: an embedded database, for one machine. redis: for several nodes; requires secret. memory: tokens and signing keys are lost when the process ends.
   */
  type: "lmdb" | "redis" | "memory";
  /**
   * Directory of lmdb, relative to the working directory. Default: captcha in the directory of the store.
   */
  path?: string;
  /**
   * URL of redis, including the password if there is one. ${{VAR}} is resolved when the gateway runs.
   */
  url?: string;
  /**
   * Timeout of a redis command in milliseconds, after which the service responds with 503. A verification waits one second longer, to look up a token whose reply was lost.
   */
  timeout: number;
}
/**
 * Fixed keys for testing integrations: sp-test-pass, sp-test-fail, sp-test-task, sp-test-expired and the API key sp-test-api-key.
 */
export interface CaptchaTesting {
  /**
   * true: the keys work. All other API keys reject their tokens, and the widget shows a ribbon.
   */
  enabled: boolean;
}
/**
 * Destination of the records of decisions and verifications. Only settings of the destination and of its batch apply; request settings and delivery: durable have no effect.
 */
export interface CaptchaAudit {
  syslog?: Syslog;
  "broker-logger"?: BrokerLogger;
}
/**
 * Sends a record of each request to a syslog server, as RFC 5424 messages over tcp, udp or TLS.
 */
export interface Syslog {
  /**
   * Host name or address of the syslog server.
   */
  host: string;
  /**
   * Port of the syslog server.
   */
  port: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * Timeout in milliseconds for connecting and for each send.
   */
  timeout: number;
  /**
   * true: uses TLS and verifies the server's certificate. Not with udp.
   */
  tls: boolean;
  /**
   * Size of the send buffer in kilobytes at which it is written. It is also written when a batch is complete.
   */
  flush_limit: number;
  /**
   * Size of the send buffer in kilobytes above which messages are dropped. Should be more than flush_limit.
   */
  drop_limit: number;
  /**
   * Transport. With udp each message is one datagram.
   */
  sock_type: "tcp" | "udp";
  /**
   * Maximum number of idle tcp connections.
   */
  pool_size: number;
  /**
   * Framing of messages on tcp and TLS: newline (LF after each), or octet_counting (length before each, RFC 6587).
   */
  framing: "newline" | "octet_counting";
  /**
   * With tls: CA certificates (PEM) that replace the trusted authorities of the system.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Requires key.
   */
  cert?: string;
  /**
   * Private key (PEM) of cert. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
  /**
   * HOSTNAME of the messages (RFC 5424 section 6.2.4); may contain variables. Default: the host name of the machine. $host comes from the client, which can send any name.
   */
  hostname?: string;
  /**
   * With udp: maximum size of a datagram in bytes; longer messages are truncated.
   */
  max_datagram: number;
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: IncludeRequestBody;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: MaxRequestBodyBytes;
  include_resp_body: IncludeResponseBody;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: MaxResponseBodyBytes;
  batch_max_size: BatchMaxSize;
  inactive_timeout: InactiveTimeout;
  buffer_duration: BufferDuration;
  max_retry_count: MaxRetryCount;
  retry_delay: RetryDelay;
  max_pending_bytes: MaxPendingBytes;
  delivery: DeliveryMode;
  ack: DeliveryAck;
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: RecordId;
  redact: Redact;
  _meta?: PluginMeta;
}
/**
 * Fields of a record. A text may contain variables: $name, ${name}, ${name ?? default}. A text that is only a variable keeps the variable's type, and is omitted if the variable is absent. Objects nest up to 5 levels; deeper ones become {}.
 */
export interface LogFormat {
  [k: string]: LogFormatValue;
}
/**
 * With delivery: durable: limits of the spool.
 */
export interface SpoolLimits {
  /**
   * Maximum size in bytes of the records of this destination on disk.
   */
  max_bytes: number;
  /**
   * refuse: a full spool accepts no new records; drop_oldest: it drops its oldest records. Lost records are counted.
   */
  on_full: "refuse" | "drop_oldest";
}
/**
 * Values to mask in default records and in the origin format. Replaces the default list of the same name; [] masks nothing.
 */
export interface Redact {
  /**
   * true: also masks the credentials of all plugins in the configuration (the header and parameter of key-auth, the token of the captcha), in headers, queries, bodies and formats.
   */
  credentials: boolean;
  /**
   * Names of request and response headers whose values are masked.
   */
  headers: HeaderName[];
  /**
   * Names of query parameters whose values are masked; "/verify?ip" masks ip on paths that end in /verify.
   */
  query: string[];
  /**
   * Values that are masked in bodies of requests and responses, in addition to credentials.
   */
  body?: {
    /**
     * Paths of JSON values to mask: user.password, items[*].card, $..token. A body that is declared as JSON but cannot be parsed is masked as a whole.
     *
     * @maxItems 64
     */
    json_paths?: string[];
    /**
     * Regular expressions whose matches are masked in bodies of any type.
     *
     * @maxItems 32
     */
    patterns?: string[];
  };
}
/**
 * Settings that every plugin supports.
 */
export interface PluginMeta {
  /**
   * true: disables the plugin; its other settings are not checked.
   */
  disable: boolean;
  /**
   * Priority of this instance among the plugins of its phase: higher runs first. Default: the plugin's own priority.
   */
  priority?: number;
  filter?: Expression;
  /**
   * Body that replaces the plugin's own when it responds with a status of 400 or more: text, or an object that is sent as JSON.
   */
  error_response?:
    | string
    | {
        [k: string]: unknown;
      };
}
/**
 * Sends a record of each request to a topic of a Kafka cluster, one message for each record.
 */
export interface BrokerLogger {
  /**
   * @deprecated
   * Deprecated; use brokers. An object of host to port, or a list of {host, port} or "host:port".
   */
  broker_list?: BrokerPorts | BrokerAddresses;
  /**
   * Brokers to connect to first; the cluster names the others.
   *
   * @minItems 1
   */
  brokers?: Broker[];
  /**
   * Topic for the records.
   */
  broker_topic: string;
  /**
   * Kafka client library; both deliver the same. platformatic needs a quarter of the CPU time for each record, has been in gwc for a shorter time, and needs brokers of Kafka 2.4 or later.
   */
  client: "kafkajs" | "platformatic";
  /**
   * async: records are collected and sent in the background, across batches. sync: each batch of the batch processor is sent as it is, and its result decides whether it is retried.
   */
  producer_type: "async" | "sync";
  /**
   * 1: the leader of the partition has stored the record; -1: all in-sync replicas have stored it.
   */
  required_acks: 1 | -1;
  /**
   * Message key, which selects the partition; may contain variables. Default: partitions in rotation.
   */
  key?: string;
  /**
   * Timeout of one send in seconds.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * default: a JSON record. origin: the text of the request as received, with the body if include_req_body is true.
   */
  meta_format: "default" | "origin";
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: IncludeRequestBody;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: MaxRequestBodyBytes;
  include_resp_body: IncludeResponseBody;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: MaxResponseBodyBytes;
  /**
   * Number of the cluster, for producer_type async. Loggers share a producer if all their connection settings are equal, including this one.
   */
  cluster_name: number;
  /**
   * Version of the produce request, accepted for compatibility with other gateways. It has no effect, because the client negotiates the version with the brokers.
   */
  api_version?: 0 | 1 | 2;
  /**
   * Maximum number of messages in one request to a broker.
   */
  producer_batch_num: number;
  /**
   * Maximum size of the messages in one request to a broker, in bytes; 0: each message alone.
   */
  producer_batch_size: number;
  /**
   * Maximum number of messages in the producer's buffer; further messages fail with buffer overflow.
   */
  producer_max_buffering: number;
  /**
   * Delay in seconds after which the producer sends its buffer, with producer_type async.
   */
  producer_time_linger: number;
  /**
   * Interval in seconds between refreshes of the cluster's leaders and partitions.
   */
  meta_refresh_interval: number;
  /**
   * Compression of the messages. lz4 is not available: no maintained codec installs without a compiler.
   */
  compression: "none" | "gzip" | "snappy" | "zstd";
  tls?: BrokerLoggerTls;
  batch_max_size: BatchMaxSize;
  inactive_timeout: InactiveTimeout;
  buffer_duration: BufferDuration;
  max_retry_count: MaxRetryCount;
  retry_delay: RetryDelay;
  max_pending_bytes: MaxPendingBytes;
  delivery: DeliveryMode;
  ack: DeliveryAck;
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: RecordId;
  redact: Redact;
  _meta?: PluginMeta;
}
export interface BrokerPorts {
  [k: string]: number;
}
/**
 * Address of one broker.
 */
export interface BrokerAddress {
  /**
   * Host name or address.
   */
  host: string;
  /**
   * Port.
   */
  port: number;
}
/**
 * One broker.
 */
export interface Broker {
  /**
   * Host name or address.
   */
  host: string;
  /**
   * Port; a connection to port 0 always fails.
   */
  port: number;
  sasl_config?: SaslConfig;
}
/**
 * SASL authentication.
 */
export interface SaslConfig {
  /**
   * SASL mechanism.
   */
  mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  /**
   * User name.
   */
  user: string;
  /**
   * Password. ${{VAR}} is resolved when the gateway runs.
   */
  password: string;
}
/**
 * TLS for the connections to the brokers.
 */
export interface BrokerLoggerTls {
  /**
   * false: accepts any certificate.
   */
  verify: boolean;
  /**
   * CA certificates (PEM) that replace the trusted authorities of the system.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Requires key.
   */
  cert?: string;
  /**
   * Private key (PEM) of cert. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
}
/**
 * Limits that protect the service.
 */
export interface CaptchaLimits {
  /**
   * Maximum number of open sessions in one process, or on all nodes that share a Redis. Above it, the network with the most sessions loses its oldest, unticked ones first, and their widgets restart.
   */
  sessions: number;
  /**
   * Memory limit of open sessions in bytes; above it, the same as for sessions.
   */
  session_bytes: number;
  /**
   * Memory limit in bytes of the solutions of open tasks, including references to tasks and exposed scores. Above it, the network with the most loses its oldest.
   */
  answer_bytes: number;
  /**
   * Memory limit in bytes of pictures and sounds that are not yet fetched, in base64. Above it, the network with the most loses its oldest.
   */
  picture_bytes: number;
  /**
   * Maximum share of each of these limits for one network (/24, /56), in percent; above it, the network loses its own oldest.
   */
  network_share: number;
  /**
   * Maximum number of used tokens that are remembered; above it, verification returns storage_error, and none is forgotten.
   */
  claims: number;
  /**
   * Sessions per minute from one network (/24, /56) above which sessions cost more and score higher.
   */
  sessions_soft: number;
  /**
   * Sessions per minute from one network (/24, /56) above which the service rejects sessions with 429.
   */
  sessions_hard: number;
}
/**
 * Price of tokens: the usual work, then more work, then a task, then a wait. It depends on the recent use by a network, over all site keys.
 */
export interface CaptchaPrice {
  /**
   * Burst of tokens for one network (/24, /48) at the usual work, without a task.
   */
  free_burst: number;
  /**
   * The same per hour: in its first hour, a network gets at most the sum of both.
   */
  free_hourly: number;
  /**
   * Further burst of tokens at more work: one to four additional bits for each puzzle, rising with use.
   */
  work_burst: number;
  /**
   * The same per hour.
   */
  work_hourly: number;
  /**
   * Further burst of tokens for a task: the first half at level 1 or above, the rest at level 2. After that, the network waits (429).
   */
  task_burst: number;
  /**
   * The same per hour.
   */
  task_hourly: number;
  /**
   * Burst of sounds for one network (/24, /48), solved or not, because they are the easiest task for a program. After that, 429 for sound alone.
   */
  audio_burst: number;
  /**
   * The same per hour.
   */
  audio_hourly: number;
  /**
   * Burst of starts of the way without a puzzle for one network (/24, /48). After that, 429 for that way alone.
   */
  patience_burst: number;
  /**
   * The same per hour.
   */
  patience_hourly: number;
  /**
   * Minimum duration of the way without a puzzle in seconds, plus half for each level of difficulty of a task. The work runs meanwhile.
   */
  patience_wait: number;
  /**
   * Bits that this way adds to each puzzle of the proof of work, up to 18 in total, if it does not use memory-hard work: without WebAssembly, or with work: sha256.
   */
  patience_bits: number;
  /**
   * Maximum share of a network's tokens for one part of it, in percent: an address of a /24, a /56 of a /48, a /64 of a /56.
   */
  part_share: number;
  /**
   * Maximum number of counted networks and parts of networks, about 450 bytes each; above it, the longest inactive one is forgotten.
   */
  networks: number;
  /**
   * Burst of tokens for all visitors of one site key; above it, up to three additional bits of work for each token, never a task.
   */
  site_burst: number;
  /**
   * The same per hour.
   */
  site_hourly: number;
  /**
   * Tokens, or failures, of one site key in five minutes that never count as an attack, whatever its usual level.
   */
  attack_floor: number;
}
/**
 * Selects requests, runs plugins on them and forwards them to an upstream.
 */
export interface Route {
  id?: Id;
  name?: Name;
  desc?: Description;
  labels?: Labels;
  uri?: PathPattern;
  /**
   * Several paths instead of one uri; any of them matches.
   *
   * @minItems 1
   */
  uris?: PathPattern[];
  host?: HostPattern;
  /**
   * Hosts to serve; any of them matches. Default: the service's hosts, else every host.
   *
   * @minItems 1
   */
  hosts?: HostPattern[];
  remote_addr?: AddressBlock;
  /**
   * Client addresses and blocks to serve; any of them matches. Default: every client.
   *
   * @minItems 1
   */
  remote_addrs?: AddressBlock[];
  /**
   * Request methods to serve. Default: every method.
   *
   * @minItems 1
   */
  methods?: (
    "GET" | "POST" | "PUT" | "DELETE" | "PATCH" | "HEAD" | "OPTIONS" | "CONNECT" | "TRACE" | "PURGE"
  )[];
  vars?: Expression;
  /**
   * Order among routes with the same host and path pattern: higher first.
   */
  priority: number;
  /**
   * 1: enabled; 0: disabled.
   */
  status: 0 | 1;
  timeout?: Timeout;
  /**
   * Forwards Upgrade and Connection, so that WebSocket connections work.
   */
  enable_websocket: boolean;
  plugins?: Plugins;
  plugin_config_id?: Id;
  service_id?: Id;
  upstream?: Upstream;
  upstream_id?: Id;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Key and value pairs to find and group resources by.
 */
export interface Labels {
  [k: string]: string;
}
/**
 * Timeouts towards the upstream, in seconds. All three are required.
 */
export interface Timeout {
  /**
   * Timeout of connecting.
   */
  connect: number;
  /**
   * Timeout between two successful writes of the request.
   */
  send: number;
  /**
   * Timeout between two successful reads of the response.
   */
  read: number;
}
/**
 * Plugin settings by plugin name.
 */
export interface Plugins {
  [k: string]: {
    [k: string]: unknown;
  };
}
/**
 * The servers that receive requests, with load balancing, timeouts and health checks.
 */
export interface Upstream {
  id?: Id;
  name?: Name;
  desc?: Description;
  labels?: Labels;
  /**
   * Load balancer: roundrobin (by weight in turn), chash (consistent hash of a key), least_conn (fewest requests in flight), ewma (lowest latency).
   */
  type: "roundrobin" | "chash" | "least_conn" | "ewma";
  /**
   * The servers: an object of "host:port" to weight, or a list of nodes. Without nodes the gateway responds with 503.
   */
  nodes: NodeWeights | NodeList;
  /**
   * Maximum number of retries after an attempt failed without a response. Default: the number of nodes less one.
   */
  retries?: number;
  /**
   * Time in seconds after which no new attempt starts; 0: no limit.
   */
  retry_timeout: number;
  retry_budget?: RetryBudget;
  timeout?: Timeout;
  /**
   * Protocol towards the nodes.
   */
  scheme: "http" | "https";
  /**
   * Host header sent to the nodes: pass (the client's), node (the node's own name), rewrite (upstream_host).
   */
  pass_host: "pass" | "node" | "rewrite";
  /**
   * Host header for pass_host: rewrite.
   */
  upstream_host?: string;
  /**
   * Pool of idle connections, for each worker.
   */
  keepalive_pool?: {
    /**
     * Maximum number of idle connections.
     */
    size: number;
    /**
     * Time in seconds after which an idle connection is closed.
     */
    idle_timeout: number;
    /**
     * Number of requests after which a connection is closed.
     */
    requests: number;
  };
  /**
   * Source of the key that chash hashes: a variable (vars), a header, a cookie, the consumer, or a text with variables (vars_combinations).
   */
  hash_on: "vars" | "header" | "cookie" | "consumer" | "vars_combinations";
  /**
   * Name of the variable, header or cookie that chash hashes, or the text for vars_combinations. Not needed for consumer.
   */
  key?: string;
  tls?: UpstreamTls;
  checks?: UpstreamChecks;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
export interface NodeWeights {
  /**
   * Share of the requests relative to the other nodes; 0 receives none.
   */
  [k: string]: number;
}
/**
 * One server.
 */
export interface Node {
  /**
   * Host name or address; IPv6 in brackets. ${{VAR}} is resolved when the gateway runs.
   */
  host: string;
  /**
   * TCP port. Default: 80 for http, 443 for https.
   */
  port?: number;
  /**
   * Share of the requests relative to the other nodes; 0 receives none.
   */
  weight: number;
  /**
   * Nodes of a lower priority receive requests only if all of a higher one were tried.
   */
  priority: number;
  /**
   * For people and tools; the gateway does not read it.
   */
  metadata?: {
    [k: string]: unknown;
  };
}
/**
 * Retry budget of each worker: when most nodes fail, retries multiply the load of the others.
 */
export interface RetryBudget {
  /**
   * Percentage of the requests of the last 10 seconds that may be retried.
   */
  percent: number;
  /**
   * Retries per second in addition to the percentage, so that an upstream with few requests has some.
   */
  min_per_second: number;
}
/**
 * TLS towards nodes with scheme https.
 */
export interface UpstreamTls {
  /**
   * Verifies the node's certificate.
   */
  verify: boolean;
}
/**
 * Health checks, which eject a failing node and return it.
 */
export interface UpstreamChecks {
  passive?: PassiveChecks;
}
/**
 * Passive health check by the outcome of requests. A node with that many failures in a row is ejected for a time; then single requests probe it; then its share grows again. Each worker decides separately.
 */
export interface PassiveChecks {
  /**
   * Rules for the return of a node.
   */
  healthy?: {
    /**
     * Number of consecutive probes that must succeed.
     */
    successes: number;
  };
  /**
   * Numbers of consecutive failures that eject a node. 0: such failures never eject it.
   */
  unhealthy?: {
    /**
     * Connections refused or reset before a response.
     */
    tcp_failures: number;
    /**
     * Requests that reached a timeout before a response.
     */
    timeouts: number;
    /**
     * Responses with one of http_statuses. Default: 0, and 5 if http_statuses is set.
     */
    http_failures?: number;
    /**
     * Statuses that count as failures if http_failures is not 0. Default: 500, 502, 503 and 504.
     *
     * @minItems 1
     */
    http_statuses?: number[];
  };
  /**
   * Duration of the first ejection in seconds; each further one doubles it.
   */
  ejection_time: number;
  /**
   * Maximum duration of an ejection in seconds.
   */
  max_ejection_time: number;
  /**
   * Maximum share of ejected nodes: of two or more nodes at least one may be ejected, and never all. 0: no node is ever ejected.
   */
  max_ejected_percent: number;
  /**
   * Duration in seconds of the rise to the full share after an ejection; 0: at once.
   */
  slow_start: number;
}
/**
 * Settings that several routes share: plugins, hosts, upstream.
 */
export interface Service {
  id?: Id;
  name?: Name;
  desc?: Description;
  labels?: Labels;
  /**
   * Hosts for the routes of this service that have none.
   *
   * @minItems 1
   */
  hosts?: HostPattern[];
  /**
   * Forwards Upgrade and Connection, unless the route sets it.
   */
  enable_websocket: boolean;
  plugins?: Plugins;
  plugin_config_id?: Id;
  upstream?: Upstream;
  upstream_id?: Id;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * A set of plugins that routes and services share.
 */
export interface PluginConfig {
  id?: Id;
  name?: Name;
  desc?: Description;
  labels?: Labels;
  plugins: Plugins;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Settings that all instances of one plugin share. The plugin defines the fields.
 */
export interface PluginMetadata {
  /**
   * Name of the plugin.
   */
  id?: string;
  [k: string]: unknown;
}
/**
 * Plugins that run around every request, before those of its route.
 */
export interface GlobalRule {
  id?: Id;
  plugins: Plugins;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * A client that authenticates itself.
 */
export interface Consumer {
  /**
   * Name of the consumer, unique among consumers.
   */
  username: string;
  desc?: Description;
  labels?: Labels;
  plugins?: ConsumerPlugins;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Credentials of the consumer, by plugin name.
 */
export interface ConsumerPlugins {
  [k: string]: {
    [k: string]: unknown;
  };
}
/**
 * A certificate and its server names. One name may have several certificates, such as RSA and ECDSA; the gateway selects one that the client supports.
 */
export interface Ssl {
  id?: Id;
  desc?: Description;
  labels?: Labels;
  sni?: HostPattern;
  /**
   * Server names for which the certificate is presented.
   *
   * @minItems 1
   */
  snis?: HostPattern[];
  cert?: CertificateChain;
  /**
   * Private key in PEM. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
  /**
   * File of the certificate chain in PEM, in place of cert, relative to the working directory of the gateway, which reloads it when it changes. Not in the admin API.
   */
  cert_file?: string;
  /**
   * File of the private key in PEM, in place of key.
   */
  key_file?: string;
  /**
   * Further certificate chains for the same names, with other key types.
   *
   * @minItems 1
   * @maxItems 8
   */
  certs?: CertificateChain[];
  /**
   * Private keys of certs, in the same order.
   *
   * @minItems 1
   * @maxItems 8
   *
   * Items: Private key in PEM. ${{VAR}} is resolved when the gateway runs.
   */
  keys?: string[];
  client?: ClientCertificates;
  /**
   * 1: enabled; 0: disabled.
   */
  status: 0 | 1;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Client certificates are required (mTLS); a request without one is rejected with 400.
 */
export interface ClientCertificates {
  ca: CertificateChain;
  /**
   * Maximum number of certificates between a client's and its authority's.
   */
  depth: number;
}
/**
 * A request through the compiled configuration, the response of its upstream, and the expected outcome. `gwc test` runs it; nothing else reads it.
 */
export interface Test {
  /**
   * Behaviour that the test shows, in words.
   */
  name: string;
  request?: TestRequest;
  /**
   * Response of the upstream. A list: one item for each attempt, the last one for all further attempts. Default: 200 with an empty body.
   */
  upstream?: TestAnswer | TestAnswer[];
  expect: TestExpectation;
}
/**
 * A request as a client sends it.
 */
export interface TestRequest {
  /**
   * Default: GET.
   */
  method?: string;
  /**
   * Path with query, as on the wire. Default: /.
   */
  target?: string;
  /**
   * The header Host, instead of a line in headers.
   */
  host?: string;
  /**
   * Version of HTTP. Default: 1.1.
   */
  http?: "1.0" | "1.1";
  headers?: Lines;
  /**
   * A body. Text is sent as UTF-8; { json: … } is a value as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. In a request or response, it is sent as JSON, with its Content-Type unless the headers have one. In an expectation, JSON values are compared, not their spelling.
         */
        json: {
          [k: string]: unknown;
        };
      }
    | {
        /**
         * Bytes as hexadecimal digits, in lower case.
         */
        hex: string;
      }
    | {
        /**
         * A text.
         */
        repeat: string;
        /**
         * Number of repetitions.
         */
        times: number;
      };
  /**
   * Chunk size in bytes for a chunked body.
   */
  chunked?: number;
  trailers?: Lines;
  /**
   * Address of the client. Default: 127.0.0.1.
   */
  from?: string;
  /**
   * TLS connection of the client: true, or its properties.
   */
  tls?: true | TestTls;
}
/**
 * Properties of a TLS connection, by the names of the variables without $ssl_.
 */
export interface TestTls {
  /**
   * Default: TLSv1.3.
   */
  protocol?: string;
  /**
   * Default: TLS_AES_256_GCM_SHA384.
   */
  cipher?: string;
  /**
   * Server name that the client sent (SNI). Default: the host of the request.
   */
  server_name?: string;
  /**
   * r: a resumed session; Default: ".", a new one.
   */
  session_reused?: "r" | ".";
  /**
   * SUCCESS, NONE, or FAILED with a reason. Default: NONE.
   */
  client_verify?: string;
  /**
   * Subject of the client's certificate.
   */
  client_s_dn?: string;
  /**
   * Issuer of the client's certificate.
   */
  client_i_dn?: string;
  /**
   * Serial number of the client's certificate.
   */
  client_serial?: string;
  /**
   * SHA-1 fingerprint of the client's certificate.
   */
  client_fingerprint?: string;
}
/**
 * Outcome of one attempt at the upstream.
 */
export interface TestAnswer {
  /**
   * Failure without a response: no connection, silence until the timeout, or bytes that are not HTTP.
   */
  failure?: "connect" | "timeout" | "protocol";
  /**
   * Default: 200.
   */
  status?: number;
  headers?: Lines;
  /**
   * A body. Text is sent as UTF-8; { json: … } is a value as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. In a request or response, it is sent as JSON, with its Content-Type unless the headers have one. In an expectation, JSON values are compared, not their spelling.
         */
        json: {
          [k: string]: unknown;
        };
      }
    | {
        /**
         * Bytes as hexadecimal digits, in lower case.
         */
        hex: string;
      }
    | {
        /**
         * A text.
         */
        repeat: string;
        /**
         * Number of repetitions.
         */
        times: number;
      };
  /**
   * Codings of the body, in order; Content-Encoding names them.
   *
   * @minItems 1
   */
  encoding?: ("gzip" | "br" | "deflate" | "raw-deflate" | "zstd")[];
  /**
   * Framing of the body. Default: by its length.
   */
  framing?: "length" | "chunked" | "close" | "none";
  /**
   * Size in bytes of the pieces in which the body is written.
   */
  pieces?: number;
  trailers?: Lines;
  interim?: Interim;
}
/**
 * A 1xx response.
 */
export interface TestInterim {
  /**
   * 1xx.
   */
  status: number;
  headers?: Lines;
}
/**
 * Expected outcome of one exchange.
 */
export interface TestExpectation {
  /**
   * Id of the route that matches the request; false: none.
   */
  route?: string | number | false;
  /**
   * Expected request at the upstream, the last one if there are several attempts; false: none.
   */
  upstream_request?: ExpectedUpstreamRequest | false;
  response?: ExpectedResponse;
  log?: ExpectedRecords;
}
/**
 * Expected request at the upstream.
 */
export interface ExpectedUpstreamRequest {
  /**
   * Expected method.
   */
  method?: string;
  /**
   * Path with query, as on the wire.
   */
  target?: string;
  headers?: Values;
  spelled?: Spelled;
  absent?: Absent;
  /**
   * A body. Text is sent as UTF-8; { json: … } is a value as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. In a request or response, it is sent as JSON, with its Content-Type unless the headers have one. In an expectation, JSON values are compared, not their spelling.
         */
        json: {
          [k: string]: unknown;
        };
      }
    | {
        /**
         * Bytes as hexadecimal digits, in lower case.
         */
        hex: string;
      }
    | {
        /**
         * A text.
         */
        repeat: string;
        /**
         * Number of repetitions.
         */
        times: number;
      };
  trailers?: Lines;
}
/**
 * Header names to the exact values of their lines, in order.
 */
export interface Values {
  [k: string]: string | string[];
}
/**
 * Expected response at the client.
 */
export interface ExpectedResponse {
  /**
   * Expected status.
   */
  status?: number;
  headers?: Values;
  spelled?: Spelled;
  absent?: Absent;
  /**
   * A body. Text is sent as UTF-8; { json: … } is a value as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. In a request or response, it is sent as JSON, with its Content-Type unless the headers have one. In an expectation, JSON values are compared, not their spelling.
         */
        json: {
          [k: string]: unknown;
        };
      }
    | {
        /**
         * Bytes as hexadecimal digits, in lower case.
         */
        hex: string;
      }
    | {
        /**
         * A text.
         */
        repeat: string;
        /**
         * Number of repetitions.
         */
        times: number;
      };
  /**
   * Content-Length on the wire; false: the response has none.
   */
  length?: number | boolean;
  trailers?: Lines;
  interim?: Interim;
}
/**
 * One record of a logger.
 */
export interface ExpectedRecord {
  /**
   * Name of the logger.
   */
  plugin: string;
  /**
   * The whole record, without fields that depend on time, machine or network.
   */
  record?: {
    [k: string]: unknown;
  };
  /**
   * Fields that the record contains, among others.
   */
  holds?: {
    [k: string]: unknown;
  };
  /**
   * Dotted paths of fields that the record does not contain.
   *
   * @minItems 1
   */
  lacks?: string[];
  /**
   * Dotted paths of fields whose values vary, with their types.
   */
  types?: {
    [k: string]: "integer" | "number" | "string";
  };
  /**
   * The text of the request (meta_format: origin).
   */
  text?: string;
  /**
   * Message key; null: none.
   */
  key?: string | null;
}
/**
 * Owner of site keys of the captcha and of the API keys with which its backends verify tokens.
 */
export interface CaptchaCustomer {
  id?: Id;
  /**
   * false: the service rejects the site keys and API keys of the customer.
   */
  enabled: boolean;
  desc?: Description;
  labels?: Labels;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * A public key of the captcha's widget, with its settings. The page (data-sitekey) and the path of the verification contain its id.
 */
export interface CaptchaSiteKey {
  /**
   * The key itself: 8 to 64 letters, digits, '_' and '-'. Paths of the service and test keys (sp-test-…) are reserved.
   */
  id?: string;
  customer: Id;
  /**
   * false: the widget shows an error, and the service rejects tokens that it issued before.
   */
  enabled: boolean;
  /**
   * Hosts, without port, of the pages that may show the widget. A name includes its subdomains.
   *
   * @minItems 1
   * @maxItems 200
   */
  hostnames: string[];
  /**
   * Hosts of other sites that may embed pages of hostnames, with the widget, in a frame. They may not show the widget in their own pages.
   *
   * @maxItems 50
   */
  embed_hosts: string[];
  /**
   * Bot score, from 0 (human) to 1 (bot), above which the widget shows a task.
   */
  threshold: number;
  /**
   * adaptive: a task if the score is above the threshold; always: a task every time; never: no task, so a token proves only the proof of work.
   */
  challenge_mode: "adaptive" | "always" | "never";
  /**
   * Permitted kinds of task in order of preference: shapes (pick in order), rings (align), text (read), audio (count beeps); and patience, which replaces the puzzle by work and a wait. text, audio or patience cannot be the only one.
   *
   * @minItems 1
   */
  task_types: ("shapes" | "rings" | "text" | "audio" | "patience")[];
  /**
   * Difficulty of the proof of work: bits of each of its 16 puzzles. Each further bit doubles the time.
   */
  pow_bits: number;
  /**
   * Function of the proof of work in addition to SHA-256: adaptive (memory-hard Argon2id while the site key is under attack, and for patience), argon2id (at every tick as well), sha256 (none).
   */
  work: "adaptive" | "argon2id" | "sha256";
  /**
   * Part of the client address from the backend that must equal the address that received the token: off (none), dual_stack (as prefix, and any address of the other family passes), prefix (/24 of IPv4, /56 of IPv6), exact (all of it).
   */
  ip_binding: "off" | "dual_stack" | "prefix" | "exact";
  /**
   * Lifetime of a token in seconds.
   */
  token_ttl: number;
  /**
   * true: verification responses contain the bot score (1 is a bot).
   */
  expose_score: boolean;
  /**
   * true: scores are computed and audited but have no effect: the score never causes a task or a rejection.
   */
  shadow: boolean;
  /**
   * Languages that the widget may use. The first is the fallback if a page asks for another one.
   *
   * @minItems 1
   */
  languages: ("ru" | "en")[];
  /**
   * Colours of the widget, unless the page sets them; auto follows the visitor's system.
   */
  theme: "auto" | "light" | "dark";
  /**
   * Operator of the site, which the widget names instead of showing its shield.
   */
  operator?: {
    /**
     * Plain text, shown as it is. Space is limited, so keep it short.
     */
    name: string;
    /**
     * Page about the operator; the widget opens it in a new tab.
     */
    link?: string;
  };
  desc?: Description;
  labels?: Labels;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * A private key (X-Api-Key) with which a customer's backend verifies tokens. A customer has at most two active ones, so that one can replace the other.
 */
export interface CaptchaApiKey {
  /**
   * The eight letters and digits after spk_ in the key.
   */
  id?: string;
  customer: Id;
  /**
   * false: the service rejects the key like one that does not exist.
   */
  enabled: boolean;
  /**
   * Moment of expiry: date and time with time zone (RFC 3339), or seconds since 1970. Default: the key does not expire.
   */
  expires?: string | number;
  /**
   * Key text, in configuration files: "spk_…" as `gwc captcha init` prints it. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
  /**
   * Keyed hash that replaces the key text, as `gwc captcha init --digest` prints it. It is valid for one captcha.secret only.
   */
  digest?: string;
  desc?: Description;
  labels?: Labels;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Forwards only requests with a captcha token that the captcha service has verified.
 */
export interface Captcha {
  /**
   * URL of the captcha service for the gateway. Default: the listener of the section captcha (captcha.listen), or http://127.0.0.1:9088.
   */
  captcha_url?: string;
  /**
   * Site key to which tokens must belong.
   */
  site_key: string;
  /**
   * API key of the customer who owns the site key. ${{VAR}} is resolved when the gateway runs.
   */
  api_key: string;
  /**
   * With https: CA certificates (PEM) that replace the trusted authorities of the system.
   */
  ca?: string;
  /**
   * Methods of requests that need a token; other requests pass.
   *
   * @minItems 1
   */
  methods: ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  /**
   * Locations of the token, in search order. Among form (urlencoded), multipart and json, only the one that Content-Type names applies.
   *
   * @minItems 1
   */
  token_from: ("form" | "multipart" | "json" | "header")[];
  /**
   * Name of the form field, or of the top-level member of a JSON body.
   */
  field: string;
  /**
   * JSON pointer to the token in a JSON body, unless it is the member that field names: "/captcha/token". It passes through objects only.
   */
  json_pointer?: string;
  header: HeaderName;
  /**
   * true: removes the token from the request before it goes to the upstream.
   */
  strip_field: boolean;
  /**
   * Maximum size in bytes of a urlencoded or JSON body that is searched for a token. The body is buffered until the token is verified.
   */
  max_body_bytes: number;
  /**
   * Bytes of a multipart body within which the token must end. They are buffered until the token is verified; the rest is not.
   */
  max_multipart_bytes: number;
  /**
   * true: sends the client address to the service, which rejects a token that was solved in another network.
   */
  send_ip: boolean;
  /**
   * Timeout of each call to the service in milliseconds.
   */
  timeout: number;
  /**
   * Number of retries after a call without a verdict.
   */
  retries: number;
  /**
   * Treatment of a request when the service returns no verdict: fail-closed rejects it with 503, fail-open forwards it and informs the upstream in a header.
   */
  policy: "fail-closed" | "fail-open";
  /**
   * Response status for a request without a valid token.
   */
  reject_status: number;
  _meta?: PluginMeta;
}
/**
 * Appends a record of each request to a file, as a line of JSON.
 */
export interface FileLogger {
  /**
   * File for the records, in an existing folder. A relative path starts at the gateway's working directory. /dev/stdout and /dev/stderr are the gateway's own output.
   */
  path: string;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * Size in bytes at which the file is renamed and a new one started. Default: no limit; use logrotate with SIGUSR1.
   */
  max_bytes?: number;
  /**
   * With max_bytes: number of renamed files to keep; older ones are removed.
   */
  keep: number;
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: IncludeRequestBody;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: MaxRequestBodyBytes;
  include_resp_body: IncludeResponseBody;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: MaxResponseBodyBytes;
  batch_max_size: BatchMaxSize;
  /**
   * Maximum time in seconds from the first record of a batch until the batch is written.
   */
  inactive_timeout: number;
  buffer_duration: BufferDuration;
  /**
   * Number of retries for a batch that could not be written; then it is dropped, by default after a minute. With delivery: durable, retries continue until it is written.
   */
  max_retry_count: number;
  retry_delay: RetryDelay;
  max_pending_bytes: MaxPendingBytes;
  delivery: DeliveryMode;
  ack: DeliveryAck;
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: RecordId;
  redact: Redact;
  _meta?: PluginMeta;
}
/**
 * Sends records of requests in batches to an HTTP server, as JSON or in the formats of log stores.
 */
export interface HttpLogger {
  /**
   * URL for the records, without credentials. A query is sent, but never printed.
   */
  uri: string;
  /**
   * Method of the requests.
   */
  method: "POST" | "PUT";
  headers: HttpLoggerHeaders;
  /**
   * Value of the header Authorization. ${{VAR}} is resolved when the gateway runs.
   */
  auth_header?: string;
  /**
   * Timeout of one request in seconds: connecting, sending and receiving the response.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * With https. false: accepts any certificate.
   */
  ssl_verify: boolean;
  tls?: HttpLoggerTls;
  /**
   * Body format. json: an array of records (with batch_max_size: 1, one record as an object). ndjson: one record per line. Others: the format of that store (elasticsearch: also OpenSearch; otlp: OpenTelemetry logs as JSON).
   */
  format: "json" | "ndjson" | "loki" | "elasticsearch" | "clickhouse" | "otlp";
  /**
   * @deprecated
   * Deprecated; use format. json equals json, new_line equals ndjson.
   */
  concat_method?: "json" | "new_line";
  loki: HttpLoggerLoki;
  elasticsearch: HttpLoggerElasticsearch;
  clickhouse: HttpLoggerClickhouse;
  otlp: HttpLoggerOtlp;
  /**
   * Content coding of requests. zstd: for servers that support it (Vector, ClickHouse, collectors); all of them support gzip.
   */
  compression: "none" | "gzip" | "zstd";
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: IncludeRequestBody;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: MaxRequestBodyBytes;
  include_resp_body: IncludeResponseBody;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: MaxResponseBodyBytes;
  batch_max_size: BatchMaxSize;
  inactive_timeout: InactiveTimeout;
  buffer_duration: BufferDuration;
  max_retry_count: MaxRetryCount;
  retry_delay: RetryDelay;
  max_pending_bytes: MaxPendingBytes;
  delivery: DeliveryMode;
  ack: DeliveryAck;
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: RecordId;
  redact: Redact;
  _meta?: PluginMeta;
}
/**
 * Headers of the requests. Each value is treated as a secret; ${{VAR}} is resolved when the gateway runs.
 */
export interface HttpLoggerHeaders {
  /**
   * Value of the header.
   */
  [k: string]: string;
}
/**
 * With https: private authorities and a client certificate.
 */
export interface HttpLoggerTls {
  /**
   * CA certificates (PEM) that replace the trusted authorities of the system.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Requires key.
   */
  cert?: string;
  /**
   * Private key (PEM) of cert. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
}
/**
 * With format: loki: grouping of records into streams.
 */
export interface HttpLoggerLoki {
  /**
   * Labels of a record's stream. A text may contain variables with few values, such as $route_id and $status.
   */
  labels: {
    /**
     * Value of the label.
     */
    [k: string]: string;
  };
  /**
   * Maximum number of label combinations in one worker. Further ones have "other" instead of the values that depend on the request.
   */
  max_streams: number;
}
/**
 * With format: elasticsearch: the target index.
 */
export interface HttpLoggerElasticsearch {
  /**
   * Index or data stream: lower-case letters, digits, ".", "_" and "-", with variables, and with %Y, %m, %d and %H for the record's time in UTC.
   */
  index: string;
  /**
   * With variables in index: maximum number of index names in one worker, not counting dates. Further records go to the index with "other" in place of the variables.
   */
  max_indexes: number;
}
/**
 * With format: clickhouse: the target table.
 */
export interface HttpLoggerClickhouse {
  /**
   * Database of the table.
   */
  database: string;
  /**
   * Table with one column for each field of a record.
   */
  table: string;
}
/**
 * With format: otlp: the resource of the logs.
 */
export interface HttpLoggerOtlp {
  /**
   * Attributes of the resource; host.name is added.
   */
  resource: {
    /**
     * Value of the attribute.
     */
    [k: string]: string;
  };
}
/**
 * The key with which a consumer authenticates itself.
 */
export interface KeyAuthConsumer {
  /**
   * The key. ${{VAR}} is resolved when the gateway runs.
   */
  key: string;
  _meta?: PluginMeta;
}
/**
 * Forwards only requests that carry the key of a consumer.
 */
export interface KeyAuth {
  header: HeaderName;
  /**
   * Query parameter that carries the key when the header is absent.
   */
  query: string;
  /**
   * true: removes the key from the request before it goes to the upstream.
   */
  hide_credentials: boolean;
  _meta?: PluginMeta;
}
/**
 * Changes the request before it goes to the upstream.
 */
export interface ProxyRewrite {
  /**
   * New path, and a new query after a '?'. May contain variables, whose values are encoded for their position. Takes precedence over regex_uri.
   */
  uri?: string;
  /**
   * New request method.
   */
  method?:
    | "GET"
    | "POST"
    | "PUT"
    | "HEAD"
    | "DELETE"
    | "OPTIONS"
    | "MKCOL"
    | "COPY"
    | "MOVE"
    | "PROPFIND"
    | "LOCK"
    | "UNLOCK"
    | "PATCH"
    | "TRACE";
  /**
   * Pairs of pattern and replacement; the first pattern that matches the normalized path applies, the rest are ignored. The replacement and headers may contain the captures $1, ${1}.
   *
   * @minItems 2
   */
  regex_uri?: string[];
  /**
   * Value of the Host header sent to the upstream; takes precedence over the upstream's pass_host.
   */
  host?: string;
  /**
   * Actions on request headers, executed in the order add, remove, set. A flat object of names to values means set.
   */
  headers?: RequestHeaderActions | RequestHeaderValues;
  /**
   * true: rewrites the request target as received and keeps its spelling. A target with dot segments is still rejected.
   */
  use_real_request_uri_unsafe: boolean;
  _meta?: PluginMeta;
}
export interface RequestHeaderActions {
  add?: RequestHeaderMap;
  /**
   * Names of headers to remove.
   *
   * @minItems 1
   */
  remove?: HeaderName[];
  set?: RequestHeaderMap;
}
/**
 * Header names to values. Values may contain variables and captures of regex_uri ($1).
 */
export interface RequestHeaderMap {
  [k: string]: HeaderValue | HeaderValue[];
}
export interface RequestHeaderValues {
  [k: string]: HeaderValue;
}
/**
 * Redirects to another URL.
 */
export interface Redirect {
  /**
   * true: redirects a request without TLS to the same URL with https, GET and HEAD with 301, others with 308. Requests with TLS pass.
   */
  http_to_https?: boolean;
  /**
   * Target: a path or a URL. May contain variables, whose values are encoded for their position.
   */
  uri?: string;
  /**
   * A pattern and its replacement, applied to the normalized path; a path that does not match passes. Captures: $1, ${1}.
   *
   * @minItems 2
   * @maxItems 2
   */
  regex_uri?: string[];
  /**
   * Response status for `uri` and `regex_uri`.
   */
  ret_code: number;
  /**
   * true: appends the query of the request to the query of the new URL.
   */
  append_query_string: boolean;
  /**
   * Accepted without effect: the new URL is always encoded, once.
   */
  encode_uri: boolean;
  _meta?: PluginMeta;
}
/**
 * Changes the response: status, headers, and the body as a whole or by regular expressions. Applies to local replies of the gateway as well.
 */
export interface ResponseRewrite {
  /**
   * New HTTP status. Default: the status does not change.
   */
  status_code?: number;
  /**
   * New whole body. Cannot be combined with filters.
   */
  body?: string;
  /**
   * true: body is base64 and is decoded before it is sent. It does not decode the upstream's body.
   */
  body_base64: boolean;
  /**
   * Actions on response headers, executed in the order add, remove, set. A flat object of names to values means set.
   */
  headers?: ResponseHeaderActions | ResponseHeaderValues;
  vars?: Expression;
  /**
   * Rules that replace fragments of the body, one after another. Cannot be combined with body.
   *
   * @minItems 1
   */
  filters?: BodyFilter[];
  /**
   * Maximum body size in bytes for filters; see on_oversize. Streaming filters have this limit only if it is set.
   */
  max_resp_body_size: number;
  /**
   * Treatment of a body above max_resp_body_size: refuse (respond with 502) or pass (unfiltered, counted).
   */
  on_oversize: "refuse" | "pass";
  _meta?: PluginMeta;
}
export interface ResponseHeaderActions {
  /**
   * Header lines to add, each 'Name: value', split at the first colon; added after existing ones.
   *
   * @minItems 1
   */
  add?: string[];
  /**
   * Names of headers to remove.
   *
   * @minItems 1
   */
  remove?: HeaderName[];
  set?: ResponseHeaderMap;
}
/**
 * Sets values and replaces existing ones. An empty value removes the header.
 */
export interface ResponseHeaderMap {
  [k: string]: HeaderValue;
}
export interface ResponseHeaderValues {
  /**
   * Constant text or number. Text may contain variables: $name, ${name}, ${name ?? default}; \$ is a dollar.
   */
  [k: string]: string | number;
}
/**
 * One replacement in the response body.
 */
export interface BodyFilter {
  /**
   * Pattern to search for, in PCRE syntax.
   */
  regex: string;
  /**
   * once: the first match only, later matches stay unchanged; global: all matches.
   */
  scope: "once" | "global";
  /**
   * Replacement: $0 is the match, $1 or ${1} a capture, $$ a dollar.
   */
  replace: string;
  /**
   * PCRE options: i (ignore case), m (multi-line), s (dot matches newline), x (extended), u (UTF-8 characters instead of bytes), U (the same, unchecked), a (anchored), D, J; j, o and d have no effect.
   */
  options: string;
  /**
   * Accepts a pattern that can take exponential time.
   */
  allow_slow: boolean;
}
/**
 * Sends a record of each request to a log server over tcp or TLS, as a line of JSON.
 */
export interface TcpLogger {
  /**
   * Host name or address of the log server.
   */
  host: string;
  /**
   * Port of the log server.
   */
  port: number;
  /**
   * Timeout in milliseconds for connecting and for each send.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * true: uses TLS and verifies the server's certificate.
   */
  tls: boolean;
  /**
   * With tls: server name to send (SNI) and to verify in the certificate. Default: host.
   */
  tls_options?: string;
  /**
   * With tls: CA certificates (PEM) that replace the trusted authorities of the system.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Requires key.
   */
  cert?: string;
  /**
   * Private key (PEM) of cert. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: IncludeRequestBody;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: MaxRequestBodyBytes;
  include_resp_body: IncludeResponseBody;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: MaxResponseBodyBytes;
  batch_max_size: BatchMaxSize;
  inactive_timeout: InactiveTimeout;
  buffer_duration: BufferDuration;
  max_retry_count: MaxRetryCount;
  retry_delay: RetryDelay;
  max_pending_bytes: MaxPendingBytes;
  delivery: DeliveryMode;
  ack: DeliveryAck;
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: RecordId;
  redact: Redact;
  _meta?: PluginMeta;
}
/**
 * Sends a record of each request to a log server over udp, one JSON datagram per record.
 */
export interface UdpLogger {
  /**
   * Host name or address of the log server.
   */
  host: string;
  /**
   * Port of the log server.
   */
  port: number;
  /**
   * Timeout in seconds for resolving the server's name.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * Maximum size of a datagram in bytes; a longer record is not sent and is counted as refused.
   */
  max_datagram: number;
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: IncludeRequestBody;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: MaxRequestBodyBytes;
  include_resp_body: IncludeResponseBody;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: MaxResponseBodyBytes;
  batch_max_size: BatchMaxSize;
  inactive_timeout: InactiveTimeout;
  buffer_duration: BufferDuration;
  max_retry_count: MaxRetryCount;
  retry_delay: RetryDelay;
  max_pending_bytes: MaxPendingBytes;
  delivery: DeliveryMode;
  ack: DeliveryAck;
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: RecordId;
  redact: Redact;
  _meta?: PluginMeta;
}
