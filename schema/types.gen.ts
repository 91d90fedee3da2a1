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
 * true: the request body is in the record.
 */
export type IncludeRequestBody = boolean;
/**
 * With include_req_body: the body is in the record only when this holds. Sees the request.
 *
 * @minItems 1
 */
export type IncludeRequestBodyWhen = unknown[];
/**
 * Longest request body in a record, in bytes; what is longer is cut and marked.
 */
export type MaxRequestBodyBytes = number;
/**
 * true: the response body is in the record, decoded when it was compressed.
 */
export type IncludeResponseBody = boolean;
/**
 * With include_resp_body: the body is in the record only when this holds. Sees the response.
 *
 * @minItems 1
 */
export type IncludeResponseBodyWhen = unknown[];
/**
 * Longest response body in a record, in bytes; what is longer is cut and marked.
 */
export type MaxResponseBodyBytes = number;
/**
 * A batch is sent as soon as it has this many records. 1: every record is sent at once.
 */
export type BatchMaxSize = number;
/**
 * Seconds after its first record at which a batch is sent at the latest.
 */
export type InactiveTimeout = number;
/**
 * Seconds that a record may wait; the smaller of this and inactive_timeout holds.
 */
export type BufferDuration = number;
/**
 * Number of times that a batch which failed is tried again before it is dropped. With delivery: durable it is tried until it arrives.
 */
export type MaxRetryCount = number;
/**
 * Seconds between two tries.
 */
export type RetryDelay = number;
/**
 * Bytes of records that one worker holds for this destination, waiting and being sent; what comes beyond is dropped and counted as buffer overflow.
 */
export type MaxPendingBytes = number;
/**
 * memory: records wait in memory, within bounds, and go with the process. durable: they are appended to a spool on disk first, survive a crash, and are sent until they arrive.
 */
export type DeliveryMode = "memory" | "durable";
/**
 * With delivery: durable. log: the record is appended after the response. response: the last byte of the response leaves once the record is on disk, so every answered request is logged.
 */
export type DeliveryAck = "log" | "response";
/**
 * Share of the requests that a record is made of, from 0 to 1: 0.01 is one in a hundred, and each error. Default: all. Or an object that says more.
 */
export type Sample =
  | number
  | {
      /**
       * Share of the requests, from 0 to 1.
       */
      rate: number;
      /**
       * Text with variables that decides: requests with the same one are all logged or none is, by every logger, worker and machine. Of a traceparent its trace id counts. Default, and where it is empty: chance.
       */
      key?: string;
      /**
       * true: requests that are answered with 500 or above are always logged.
       */
      always_errors: boolean;
      /**
       * Requests that take longer, in milliseconds, are always logged. Default: none is for that.
       */
      always_slower_than_ms?: number;
    };
/**
 * true: each record has a field record_id, the same in every copy that is delivered. Default: true with delivery: durable, else false.
 */
export type RecordId = boolean;
/**
 * Name of a header field. Its spelling is kept; comparison ignores case.
 */
export type HeaderName = string;
/**
 * A variable, an operator, a logic word, a value, or a nested list of these. Objects are refused with the condition.
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
 * Conditions over variables. A list of conditions [variable, operator, value] must all hold; a list that starts with AND, OR, !AND or !OR combines the items after it. Operators: == ~= > >= < <= ~~ (regular expression) ~* (the same, ignoring case) in, has, ipmatch; "!" before an operator negates it. An empty list always holds.
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
 * Path to serve: exact (/a), everything below (/a/*), with named segments (/a/:name/b) or a named rest (/a/*rest). Compared in normal form (docs/paths.md), without query.
 */
export type PathPattern = string;
/**
 * Host name without port, compared in lower case. A leading * stands for any beginning: *.example.com matches a.example.com and a.b.example.com, not example.com.
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
 * Names of fields that must stand in this order and spelling.
 *
 * @minItems 1
 */
export type Spelled = string[];
/**
 * Names of fields that must not be there.
 *
 * @minItems 1
 */
export type Absent = string[];
/**
 * Records that loggers ship, in the order of their plugins' names; []: there is none.
 */
export type ExpectedRecords = ExpectedRecord[];
/**
 * Constant text or number. Text may hold variables: $name, ${name}, ${name ?? default}; \$ is a dollar.
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
 * A configuration file of the gateway: how it is run, and the resources it serves with.
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
   * Values of environment variables for `gwc test`, in the place of what is set. Nothing else reads it.
   */
  test_environment?: {
    [k: string]: string;
  };
  captcha?: CaptchaSection;
  /**
   * Packages of plugins besides those that gwc brings along: a name as npm knows it, or a folder relative to this file.
   */
  plugins?: string[];
  /**
   * Routes: the requests that are served, and how.
   */
  routes?: Route[];
  /**
   * Services: settings that several routes share.
   */
  services?: Service[];
  /**
   * Servers that requests go to.
   */
  upstreams?: Upstream[];
  /**
   * Sets of plugins to share.
   */
  plugin_configs?: PluginConfig[];
  /**
   * Settings shared by all instances of a plugin.
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
   * Exchanges that `gwc test` tries. Nothing else reads it: it changes no check, no build and no gateway.
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
   * Private keys that backends verify captcha tokens with.
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
   * Worker processes. Default: one for each processor core; 0: everything in one process, for development.
   */
  workers?: number;
  /**
   * Proxies in front of the gateway: what they say about the client is believed, its address (real_ip_header) and X-Forwarded-Proto, -Host and -Port. The forwarding fields of all others are removed.
   */
  trusted_addresses: AddressBlock[];
  /**
   * Field in which trusted proxies name the client. It is read from the right, for as long as each address on the way is a trusted one; the first that is not is the client's.
   */
  real_ip_header: "X-Forwarded-For" | "X-Real-IP" | "Forwarded";
  /**
   * Treatment of request headers with _ in their names, which CGI and its like take for those with -. drop: all are removed; refuse: 400; keep: they pass. Without the setting those are removed that spell a field which the configuration of the route sets or removes. In any case those are removed that spell a field of the gateway, such as X_Real_IP.
   */
  underscores_in_headers?: "drop" | "keep" | "refuse";
  /**
   * true: TRACE and TRACK are routed like other methods. They send back what they get, credentials included, so they are answered with 405 otherwise.
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
   * Listeners for clients with TLS: a list of ports, or of { ip, port }. Without it nothing listens.
   *
   * @minItems 1
   */
  listen?: NodeListen[];
  /**
   * Versions of TLS that clients may speak.
   */
  ssl_protocols: "TLSv1.2 TLSv1.3" | "TLSv1.3" | "TLSv1.2";
  /**
   * Cipher suites in OpenSSL's names, separated by colons. Default: those with forward secrecy and authenticated encryption.
   */
  ssl_ciphers?: string;
  /**
   * Server name whose certificate is presented to clients that name no server, or one that no certificate is for. Without it they are refused (alert unrecognized_name).
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
 * Rules that bring the paths of requests into the one form that is matched and sent (docs/paths.md).
 */
export interface PathSettings {
  /**
   * Treatment of %2F and %5C in a path. keep: they stay as they are; the route and its plugins must be the same as with them decoded, else 400; refuse: 400; decode: %2F separates segments, %5C stays.
   */
  escaped_slashes: "keep" | "refuse" | "decode";
  /**
   * Several slashes in a row become one, as nginx and Apache httpd read them. false: they stay as they are; the route and its plugins must be the same as with one, else 400.
   */
  merge_slashes: boolean;
}
/**
 * Stop of the gateway at SIGTERM. A second SIGTERM ends everything at once.
 */
export interface DrainSettings {
  /**
   * Seconds in which a gateway that is to stop goes on taking connections while /status/ready answers 503, so that balancers send no more before it refuses any. Not with `workers: 0`.
   */
  delay: number;
  /**
   * Seconds that requests in flight get after that.
   */
  timeout: number;
}
/**
 * Secrets of resources are encrypted in the store (AES-256-GCM).
 */
export interface DataEncryption {
  /**
   * Keys: the first encrypts, all decrypt. Without any a key is made and kept beside the store.
   *
   * @minItems 1
   *
   * Items: A text of at least 16 characters that nobody can guess. Better ${{VAR}} than the key in a file.
   */
  keyring?: string[];
}
/**
 * A line for each request, written by the workers. Without this section there is none.
 */
export interface AccessLogSettings {
  /**
   * A file, relative to the working directory, or stdout. Files are opened again on SIGUSR1.
   */
  path: string;
  /**
   * combined (that of nginx and Apache httpd), json, or a pattern with variables: $status, ${http_user_agent}. Credentials are masked.
   */
  format: string;
  /**
   * Escaping of the values of a pattern, so that none forges a line. default: quotes, backslashes, control characters and bytes beyond ASCII as \xHH, what is absent as -; json: as JSON does it, what is absent is empty.
   */
  escape: "default" | "json";
}
/**
 * Bounds that protect the gateway. Sizes are bytes, times are seconds.
 */
export interface Limits {
  /**
   * Bytes of a request or response head; above: 431 to clients, 502 for upstreams.
   */
  header_bytes: number;
  /**
   * Fields in a head; above: 431 to clients, 502 for upstreams.
   */
  header_count: number;
  /**
   * Bytes of a request target; above: 414.
   */
  target_bytes: number;
  /**
   * Bytes of a request body; above: 413. 0: no limit, since bodies are streamed.
   */
  body_bytes: number;
  /**
   * Bytes of a trailer section; above: 431 to clients, 502 for upstreams.
   */
  trailer_bytes: number;
  /**
   * Bytes of the extensions of one chunk; above: 400 to clients, 502 for upstreams.
   */
  chunk_extension_bytes: number;
  /**
   * Bytes of all bodies that one worker holds for filters and logs, once decoded, and until slow clients have taken them; above: 503, and logs keep less.
   */
  buffered_body_bytes: number;
  /**
   * Interim (1xx) responses of upstreams that a client gets before the final one; further ones are dropped.
   */
  interim_responses: number;
  /**
   * Client connections of one worker; above: closed at once.
   */
  connections: number;
  /**
   * Requests on one client connection before it is closed.
   */
  requests_per_connection: number;
  /**
   * Seconds from the first byte of a request head to its end; above: 408. A connection without a byte is closed after as long.
   */
  header_timeout: number;
  /**
   * Seconds between two pieces of a request body, or of a response that the client does not take; above: 408, or the connection is closed.
   */
  body_timeout: number;
  /**
   * Bytes a second that a client must send of a request body at the least, on the mean, after 10 seconds; below: 408. Time in which the upstream does not take them does not count. 0: no least rate.
   */
  request_body_rate: number;
  /**
   * Bytes a second that a client must take at the least of what waits for it, on the mean, after 10 seconds; below: the connection is closed. Time in which nothing waits for it does not count. 0: no least rate.
   */
  response_body_rate: number;
  /**
   * Seconds that a client connection may be without a further request.
   */
  idle_timeout: number;
  /**
   * Seconds from a connection to the end of its TLS handshake; above: closed.
   */
  handshake_timeout: number;
  /**
   * TLS handshakes under way in one worker; above: the one that is under way longest is closed.
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
   * Keys that clients of the admin API send in X-API-KEY.
   */
  admin_key?: AdminKey[];
  /**
   * false: everyone who reaches the admin listener may write; for browsers, Host must then be localhost, an address or the name of the listener, and writes need Content-Type: application/json.
   */
  admin_key_required: boolean;
  /**
   * Addresses that may use the admin API; empty: all.
   */
  allow_admin: AddressBlock[];
  /**
   * Connections of the admin API, and as many of the status and the metrics listener; a quarter of them (at least 16) for one address. Above: the one that was idle longest is closed.
   */
  connections: number;
  /**
   * File, relative to the working directory, that a line of JSON is appended to for each change of the configuration, and each that was refused: when, who (name of the key, address), what. Without secrets. Default: none.
   */
  audit_log?: string;
  history?: AdminHistory;
  /**
   * Serves the web interface at /gw/ui beside the admin API. Its pages hold nothing; what they show they ask the admin API with the key that is typed in.
   */
  enable_admin_ui: boolean;
  /**
   * Lets browsers call the admin API from pages of other origins, with a key; without effect where admin_key_required is false.
   */
  enable_admin_cors: boolean;
}
export interface AdminKey {
  /**
   * Name of the key for people and logs.
   */
  name: string;
  /**
   * The key itself. Better ${{VAR}}, which is resolved when the gateway runs, than the key in a file.
   */
  key: string;
  /**
   * admin: may read and write; viewer: may read.
   */
  role: "admin" | "viewer";
}
/**
 * Limits of the history of changes by the admin API; the oldest make room.
 */
export interface AdminHistory {
  /**
   * Changes; 0: none is kept.
   */
  max_entries: number;
  /**
   * Bytes of all of them in the store; the newest is kept whatever it takes.
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
 * Spool, in which loggers with delivery: durable keep records until they are delivered. A change needs a restart.
 */
export interface Spool {
  /**
   * Directory of the spools, relative to the working directory; of one gateway alone. Default: spool below the directory of the store.
   */
  path?: string;
  /**
   * Bytes that the undelivered records of all destinations together may take.
   */
  max_bytes: number;
  /**
   * Bytes of the disk, at most a twentieth of it, that records of ack: log leave free for those that a response waits for. Requests with ack: response are taken while half of it is free.
   */
  reserve_bytes: number;
}
/**
 * Settings of the process that go with features, not with routes.
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
   * Port of the URL that `http_to_https` leads to. Default: that of the first listener of `gw.ssl.listen`, else 443.
   */
  https_port?: number;
}
/**
 * The page of metrics that Prometheus reads.
 */
export interface PrometheusSettings {
  /**
   * false: no page and no listener for it.
   */
  enable_export_server: boolean;
  export_addr: Listen;
  /**
   * Path of the page.
   */
  export_uri: string;
  /**
   * Series that each metric keeps apart in each worker; further ones are counted together, with (overflow) in their labels. A route has one of gw_http_status for each code, consumer and node, and three of gw_http_latency for each consumer and node, of half a kB each. A change needs a restart.
   */
  series_limit: number;
  /**
   * Labels that gw_http_status, gw_http_latency and gw_bandwidth do without, so that they have fewer series. A change needs a restart.
   */
  drop_labels: ("matched_uri" | "matched_host" | "service" | "consumer" | "node" | "upstream")[];
}
/**
 * The captcha service: a process of its own with its own listener, which runs when this section is there, even empty.
 */
export interface CaptchaSection {
  listen: Listen;
  /**
   * Address of the service as browsers see it: https and a host of its own, without a path. Default: the listener's address, which only this machine can use.
   */
  url?: string;
  /**
   * Root of the keys that API keys, addresses and signing keys are protected with: at least 16 characters that nobody can guess, the same on all nodes that share a store. Default: 32 random bytes, made once and kept beside the store. With another secret all API keys that the admin API issued are void.
   */
  secret?: string;
  store?: CaptchaStore;
  /**
   * Proxies in front of the service, whose word about the client's address is believed. Default: gw.trusted_addresses.
   */
  trusted_addresses?: AddressBlock[];
  /**
   * Field in which they name the client. Default: gw.real_ip_header.
   */
  real_ip_header?: "X-Forwarded-For" | "X-Real-IP" | "Forwarded";
  testing?: CaptchaTesting;
  /**
   * Networks of hosting companies, where people seldom are: they raise the score.
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
   * lmdb: an embedded database, for one machine. redis: for several nodes; needs secret. memory: tokens and signing keys end with the process.
   */
  type: "lmdb" | "redis" | "memory";
  /**
   * Directory of lmdb, relative to the working directory. Default: captcha below the directory of the store.
   */
  path?: string;
  /**
   * Address of redis, with the password where there is one. ${{VAR}} is resolved when the gateway runs.
   */
  url?: string;
  /**
   * Milliseconds that redis has for each command; after it the request is answered 503. A verification waits a second more, to look up a token whose answer was lost.
   */
  timeout: number;
}
/**
 * Fixed keys with which integrations are tested: sp-test-pass, sp-test-fail, sp-test-task, sp-test-expired and the API key sp-test-api-key.
 */
export interface CaptchaTesting {
  /**
   * true: the keys work. Their tokens are refused by all other API keys, and the widget shows a ribbon.
   */
  enabled: boolean;
}
/**
 * Destination of the records of decisions and verifications. Settings of the destination and of its batch only; what concerns requests, and delivery: durable, have no meaning here.
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
   * Name or address of the syslog server.
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
   * Milliseconds for connecting and for each send.
   */
  timeout: number;
  /**
   * true: TLS, and the server's certificate is verified. Not with udp.
   */
  tls: boolean;
  /**
   * Kilobytes in the send buffer at which it is written. Whatever it holds is also written whenever a batch is complete.
   */
  flush_limit: number;
  /**
   * Kilobytes in the send buffer above which messages are dropped. Should be more than flush_limit.
   */
  drop_limit: number;
  /**
   * Transport. With udp each message is one datagram.
   */
  sock_type: "tcp" | "udp";
  /**
   * Idle tcp connections kept open.
   */
  pool_size: number;
  /**
   * Framing of messages on tcp and TLS: newline (LF after each), or octet_counting (length before each, RFC 6587).
   */
  framing: "newline" | "octet_counting";
  /**
   * With tls: certificates (PEM) of the authorities that are trusted in place of the system's.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Needs key.
   */
  cert?: string;
  /**
   * Its private key (PEM). ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
  /**
   * HOSTNAME of the messages (RFC 5424 section 6.2.4); may hold variables. Default: the host name of the machine. $host: what the client named, which anybody can make up.
   */
  hostname?: string;
  /**
   * With udp: bytes of a datagram; longer messages are cut at their end.
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
 * Fields of a record. A text may hold variables: $name, ${name}, ${name ?? default}; one that is nothing but a variable keeps the variable's type, and is left out when it is absent. Objects nest up to 5 levels; deeper ones become {}.
 */
export interface LogFormat {
  [k: string]: LogFormatValue;
}
/**
 * With delivery: durable: bounds of the spool.
 */
export interface SpoolLimits {
  /**
   * Bytes that the records of this destination may take on disk.
   */
  max_bytes: number;
  /**
   * refuse: a full spool takes nothing new; drop_oldest: it gives up its oldest records. What is lost is counted.
   */
  on_full: "refuse" | "drop_oldest";
}
/**
 * Values that are masked in default records and in the origin format. Replaces the default list that it names; [] masks nothing.
 */
export interface Redact {
  /**
   * true: what any plugin of the configuration takes for a credential (the header and parameter of key-auth, the token of the captcha) is masked too, in headers, queries, bodies and formats.
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
   * Values that are masked in bodies of requests and responses, beside credentials.
   */
  body?: {
    /**
     * Values of JSON that are masked, whatever they are: user.password, items[*].card, $..token. A body that says it is JSON and cannot be read as it is masked whole.
     *
     * @maxItems 64
     */
    json_paths?: string[];
    /**
     * Regular expressions; what they match in a body of any kind is masked.
     *
     * @maxItems 32
     */
    patterns?: string[];
  };
}
/**
 * Settings that every plugin understands.
 */
export interface PluginMeta {
  /**
   * true: the plugin is left out, and its other settings are not checked.
   */
  disable: boolean;
  /**
   * Place of this instance among the plugins of its phase: higher runs first. Default: the plugin's own priority.
   */
  priority?: number;
  filter?: Expression;
  /**
   * Body that replaces the plugin's own when it answers with a status of 400 or more: text, or an object that is sent as JSON.
   */
  error_response?:
    | string
    | {
        [k: string]: unknown;
      };
}
/**
 * Sends a record of each request to a topic of a Kafka cluster, one message a record.
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
   * Topic that records are written to.
   */
  broker_topic: string;
  /**
   * Library that speaks to the brokers; both deliver the same. platformatic takes a quarter of the CPU for a record, is younger here, and needs brokers of Kafka 2.4 or later.
   */
  client: "kafkajs" | "platformatic";
  /**
   * async: records are collected and sent in the background, also beyond one batch. sync: a batch of the batch processor is sent as it is, and its result decides about the retry.
   */
  producer_type: "async" | "sync";
  /**
   * 1: the leader of the partition has the record; -1: all replicas in sync have it.
   */
  required_acks: 1 | -1;
  /**
   * Key of the message, which decides about its partition; may hold variables. Default: partitions take turns.
   */
  key?: string;
  /**
   * Seconds for one send.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * default: a JSON record. origin: the text of the request as received; the body is in it with include_req_body.
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
   * Number of the cluster, for producer_type async. Producers are shared by all their connection settings, this among them.
   */
  cluster_name: number;
  /**
   * Version of the produce request, for configurations of other gateways: the client agrees on one with the brokers, so it has no effect.
   */
  api_version?: 0 | 1 | 2;
  /**
   * Messages in one request to a broker at most.
   */
  producer_batch_num: number;
  /**
   * Bytes of messages in one request to a broker at most; 0: each message alone.
   */
  producer_batch_size: number;
  /**
   * Messages that the producer holds at most; what comes beyond fails with buffer overflow.
   */
  producer_max_buffering: number;
  /**
   * Seconds after which the producer sends what it holds, with producer_type async.
   */
  producer_time_linger: number;
  /**
   * Seconds between two looks at the cluster's leaders and partitions.
   */
  meta_refresh_interval: number;
  /**
   * Compression of what goes to the brokers. There is no lz4: no codec of it is kept well and installs without a compiler.
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
   * Name or address.
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
   * Name or address.
   */
  host: string;
  /**
   * Port; with 0 nothing can connect.
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
 * Connections to the brokers use TLS.
 */
export interface BrokerLoggerTls {
  /**
   * false: any certificate is accepted.
   */
  verify: boolean;
  /**
   * Certificates (PEM) of the authorities that are trusted in place of the system's.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Needs key.
   */
  cert?: string;
  /**
   * Its private key (PEM). ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
}
/**
 * Bounds that protect the service.
 */
export interface CaptchaLimits {
  /**
   * Sessions that are open at once, in one process, or on all nodes that share a Redis; above: the network that has the most loses its oldest, those that nobody has ticked first, and their widgets begin anew.
   */
  sessions: number;
  /**
   * Bytes that open sessions may take; above: as for sessions.
   */
  session_bytes: number;
  /**
   * Bytes that the answers of open tasks may take, with references to tasks and exposed scores; above: the network that has the most loses its oldest.
   */
  answer_bytes: number;
  /**
   * Bytes of pictures and sound that wait to be fetched, in base64; above: the network that has the most loses its oldest.
   */
  picture_bytes: number;
  /**
   * Per cent of each of these that one network (/24, /56) may have; above it loses its own oldest.
   */
  network_share: number;
  /**
   * Used tokens that are remembered at once; above: verification answers storage_error, none is forgotten.
   */
  claims: number;
  /**
   * Sessions a minute from one network (/24, /56) above which they cost more and score higher.
   */
  sessions_soft: number;
  /**
   * Sessions a minute from one network (/24, /56) above which they are refused with 429.
   */
  sessions_hard: number;
}
/**
 * Price of tokens: nothing but the usual work, then more work, then a task, then a wait; by what a network has taken lately, at all site keys together.
 */
export interface CaptchaPrice {
  /**
   * Tokens that one network (/24, /48) may have at once for the usual work alone, without a task.
   */
  free_burst: number;
  /**
   * The same, an hour: in its first hour a network has at most both together.
   */
  free_hourly: number;
  /**
   * Further tokens at once for more work: one to four bits of each puzzle more, the more of them are gone.
   */
  work_burst: number;
  /**
   * The same, an hour.
   */
  work_hourly: number;
  /**
   * Further tokens at once for a task, the first half of them at level 1 or above, the others at level 2; then the network waits (429).
   */
  task_burst: number;
  /**
   * The same, an hour.
   */
  task_hourly: number;
  /**
   * Sounds that one network (/24, /48) may be given at once, whatever comes of them: they are the easiest for a program; then 429 for sound alone.
   */
  audio_burst: number;
  /**
   * The same, an hour.
   */
  audio_hourly: number;
  /**
   * Times at once that visitors of one network (/24, /48) may begin the way without a puzzle; then 429 for that way alone.
   */
  patience_burst: number;
  /**
   * The same, an hour.
   */
  patience_hourly: number;
  /**
   * Seconds that the way without a puzzle takes at least; half as many more for each level of difficulty that a task would have. The work is done meanwhile.
   */
  patience_wait: number;
  /**
   * Bits of each puzzle of the proof of work that this way takes more than the site key asks for, 18 at the most, where it takes no memory-hard work: without WebAssembly, or with work: sha256.
   */
  patience_bits: number;
  /**
   * Per cent of a network's tokens that one part of it may have: an address of a /24, a /56 of a /48, a /64 of a /56.
   */
  part_share: number;
  /**
   * Networks and parts of them that are counted at once, about 450 bytes each; above: the one that was quiet longest is forgotten.
   */
  networks: number;
  /**
   * Tokens that all visitors of one site key may have at once; above, up to three bits of work more for each of them, never a task.
   */
  site_burst: number;
  /**
   * The same, an hour.
   */
  site_hourly: number;
  /**
   * Tokens, or failures, of one site key in five minutes that are no attack, whatever its usual level is.
   */
  attack_floor: number;
}
/**
 * Requests that are served, their plugins, and the upstream that they go to.
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
   * 1: in use; 0: left out, as if it were not there.
   */
  status: 0 | 1;
  timeout?: Timeout;
  /**
   * Passes Upgrade and Connection on, so that WebSocket connections work.
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
 * Time limits towards the upstream, in seconds. All three are needed.
 */
export interface Timeout {
  /**
   * Seconds until a connection must stand.
   */
  connect: number;
  /**
   * Seconds between two successful writes of the request.
   */
  send: number;
  /**
   * Seconds between two successful reads of the response.
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
 * The servers that requests go to, and how they are chosen and talked to.
 */
export interface Upstream {
  id?: Id;
  name?: Name;
  desc?: Description;
  labels?: Labels;
  /**
   * Choice of a node: roundrobin (by weight in turn), chash (consistent hash of a key), least_conn (fewest requests under way), ewma (lowest latency).
   */
  type: "roundrobin" | "chash" | "least_conn" | "ewma";
  /**
   * The servers: an object of "host:port" to weight, or a list of nodes. Without nodes the gateway answers 503.
   */
  nodes: NodeWeights | NodeList;
  /**
   * Further attempts after the first failed before an answer came. Default: the number of nodes less one.
   */
  retries?: number;
  /**
   * Seconds after which no new attempt starts; 0: no such limit.
   */
  retry_timeout: number;
  retry_budget?: RetryBudget;
  timeout?: Timeout;
  /**
   * Protocol towards the nodes.
   */
  scheme: "http" | "https";
  /**
   * Host header the nodes see: pass (the client's), node (the node's own name), rewrite (upstream_host).
   */
  pass_host: "pass" | "node" | "rewrite";
  /**
   * Host header for pass_host: rewrite.
   */
  upstream_host?: string;
  /**
   * Connections kept open between requests, for each worker.
   */
  keepalive_pool?: {
    /**
     * Idle connections kept.
     */
    size: number;
    /**
     * Seconds after which an idle connection is closed.
     */
    idle_timeout: number;
    /**
     * Requests after which a connection is closed.
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
   * Share of the requests relative to the other nodes; 0 gets none.
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
   * Share of the requests relative to the other nodes; 0 gets none.
   */
  weight: number;
  /**
   * Nodes of a lower priority are used only when all of a higher one were tried.
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
 * Budget of retries in all, for each worker: where most nodes fail, retries multiply the load of the others.
 */
export interface RetryBudget {
  /**
   * Percentage of the requests of the last 10 seconds.
   */
  percent: number;
  /**
   * Beside those, so that an upstream with few requests has some.
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
 * Rules that put a node out of use and bring it back.
 */
export interface UpstreamChecks {
  passive?: PassiveChecks;
}
/**
 * By what becomes of requests. A node that fails so often in a row is out for a time; then one request at a time is its trial; then its share grows again. Each worker judges for itself.
 */
export interface PassiveChecks {
  /**
   * Rules that bring a node back.
   */
  healthy?: {
    /**
     * Trials in a row that must be answered.
     */
    successes: number;
  };
  /**
   * Numbers of failures in a row that put a node out, with no answer in between. 0: such failures never do.
   */
  unhealthy?: {
    /**
     * Connections refused or reset before a response.
     */
    tcp_failures: number;
    /**
     * Requests that a time limit ended before a response.
     */
    timeouts: number;
    /**
     * Answers with one of http_statuses. Default: 0, and 5 where http_statuses is given.
     */
    http_failures?: number;
    /**
     * Statuses that count as failures where http_failures is not 0. Default: 500, 502, 503 and 504.
     *
     * @minItems 1
     */
    http_statuses?: number[];
  };
  /**
   * Seconds that a node is out the first time; doubled each further time.
   */
  ejection_time: number;
  /**
   * Seconds that a node is out at the most.
   */
  max_ejection_time: number;
  /**
   * Share of the nodes that may be out at once: of two or more at least one and never all; 0: no node is ever out.
   */
  max_ejected_percent: number;
  /**
   * Seconds in which a node that is back comes to its full share; 0: at once.
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
   * Hosts for the routes of this service that name none.
   *
   * @minItems 1
   */
  hosts?: HostPattern[];
  /**
   * Passes Upgrade and Connection on, unless the route says otherwise.
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
 * A set of plugins for routes and services to share.
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
 * Settings that all instances of one plugin share. The fields are the plugin's own.
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
 * A certificate and the server names it is presented for. One name may have several, such as RSA and ECDSA: the client's abilities decide.
 */
export interface Ssl {
  id?: Id;
  desc?: Description;
  labels?: Labels;
  sni?: HostPattern;
  /**
   * Server names the certificate is presented for.
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
   * File of the certificate chain in PEM, in place of cert: relative to the working directory of the gateway, which reads it and follows its changes. Not in the admin API.
   */
  cert_file?: string;
  /**
   * File of its private key in PEM, in place of key.
   */
  key_file?: string;
  /**
   * Further certificate chains for the same names, of other kinds of keys.
   *
   * @minItems 1
   * @maxItems 8
   */
  certs?: CertificateChain[];
  /**
   * Their private keys, in the same order.
   *
   * @minItems 1
   * @maxItems 8
   *
   * Items: Private key in PEM. ${{VAR}} is resolved when the gateway runs.
   */
  keys?: string[];
  client?: ClientCertificates;
  /**
   * 1: in use; 0: left out.
   */
  status: 0 | 1;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Clients must show a certificate of their own (mTLS); a request without is answered 400.
 */
export interface ClientCertificates {
  ca: CertificateChain;
  /**
   * Certificates that may stand between a client's and its authority's.
   */
  depth: number;
}
/**
 * A request through the compiled configuration, what its upstream answers, and what both ends must see. `gwc test` runs it; nothing else reads it.
 */
export interface Test {
  /**
   * Behaviour that is shown, in words.
   */
  name: string;
  request?: TestRequest;
  /**
   * Response of the upstream; a list: to one attempt after the other, the last to all that follow. Default: 200 with an empty body.
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
   * The field Host, instead of one among the headers.
   */
  host?: string;
  /**
   * Version of HTTP. Default: 1.1.
   */
  http?: "1.0" | "1.1";
  headers?: Lines;
  /**
   * A body. Text stands for its UTF-8 bytes; { json: … } for what follows as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. It is sent as JSON, with its Content-Type unless the headers have one; expected, it is what the JSON says, however it is spelled.
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
   * Send the body in chunks of that many bytes.
   */
  chunked?: number;
  trailers?: Lines;
  /**
   * Address of the client. Default: 127.0.0.1.
   */
  from?: string;
  /**
   * The client comes over TLS: true, or what is known of its connection.
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
   * The name that the client asked for. Default: the host of the request.
   */
  server_name?: string;
  /**
   * r: a session of before; Default: ".", a new one.
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
   * Its issuer.
   */
  client_i_dn?: string;
  /**
   * Its serial number.
   */
  client_serial?: string;
  /**
   * Its SHA-1 fingerprint.
   */
  client_fingerprint?: string;
}
/**
 * Outcome of one attempt at the upstream.
 */
export interface TestAnswer {
  /**
   * No answer comes: no connection, silence until the timeout, or what is no HTTP.
   */
  failure?: "connect" | "timeout" | "protocol";
  /**
   * Default: 200.
   */
  status?: number;
  headers?: Lines;
  /**
   * A body. Text stands for its UTF-8 bytes; { json: … } for what follows as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. It is sent as JSON, with its Content-Type unless the headers have one; expected, it is what the JSON says, however it is spelled.
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
   * Codings to apply to the body, in order; Content-Encoding names them.
   *
   * @minItems 1
   */
  encoding?: ("gzip" | "br" | "deflate" | "raw-deflate" | "zstd")[];
  /**
   * Framing of the body. Default: by its length.
   */
  framing?: "length" | "chunked" | "close" | "none";
  /**
   * Write the body in pieces of that many bytes.
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
   * Id of the route that takes the request; false: none does.
   */
  route?: string | number | false;
  /**
   * Expected request at the upstream, of several attempts the last; false: it is not called.
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
   * Its method.
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
   * A body. Text stands for its UTF-8 bytes; { json: … } for what follows as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. It is sent as JSON, with its Content-Type unless the headers have one; expected, it is what the JSON says, however it is spelled.
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
 * Field names to the exact values of their lines, in order.
 */
export interface Values {
  [k: string]: string | string[];
}
/**
 * Expected response at the client.
 */
export interface ExpectedResponse {
  /**
   * Its status.
   */
  status?: number;
  headers?: Values;
  spelled?: Spelled;
  absent?: Absent;
  /**
   * A body. Text stands for its UTF-8 bytes; { json: … } for what follows as JSON; other bytes are { hex: … } or { repeat: …, times: … }.
   */
  body?:
    | string
    | {
        /**
         * Any value. It is sent as JSON, with its Content-Type unless the headers have one; expected, it is what the JSON says, however it is spelled.
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
 * One record that a logger ships.
 */
export interface ExpectedRecord {
  /**
   * Name of the logger.
   */
  plugin: string;
  /**
   * The whole record, without fields that only a clock, a machine or the wire can know.
   */
  record?: {
    [k: string]: unknown;
  };
  /**
   * Fields of the record among others.
   */
  holds?: {
    [k: string]: unknown;
  };
  /**
   * Dotted paths of fields that the record does not have.
   *
   * @minItems 1
   */
  lacks?: string[];
  /**
   * Dotted paths of fields whose values differ each time, with their types.
   */
  types?: {
    [k: string]: "integer" | "number" | "string";
  };
  /**
   * The text of the request (meta_format: origin).
   */
  text?: string;
  /**
   * Key of the message; null: it has none.
   */
  key?: string | null;
}
/**
 * Owner of site keys of the captcha and of the API keys that its backends verify tokens with.
 */
export interface CaptchaCustomer {
  id?: Id;
  /**
   * false: neither the site keys nor the API keys of the customer are accepted.
   */
  enabled: boolean;
  desc?: Description;
  labels?: Labels;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * A public key of the captcha's widget, with its settings. Its id stands in the page (data-sitekey) and in the path of the verification.
 */
export interface CaptchaSiteKey {
  /**
   * The key itself: 8 to 64 letters, digits, '_' and '-'. Paths of the service and test keys (sp-test-…) are taken.
   */
  id?: string;
  customer: Id;
  /**
   * false: the widget shows an error, and tokens issued before are refused.
   */
  enabled: boolean;
  /**
   * Hosts of the pages that may show the widget, without port. A name stands for its subdomains as well.
   *
   * @minItems 1
   * @maxItems 200
   */
  hostnames: string[];
  /**
   * Hosts of other sites that may show pages of hostnames in a frame, and the widget in them. They may not show the widget in pages of their own.
   *
   * @maxItems 50
   */
  embed_hosts: string[];
  /**
   * Bot score, from 0 (human) to 1 (bot), above which a task is shown.
   */
  threshold: number;
  /**
   * adaptive: a task is shown when the score is above the threshold; always: every time; never: no task for anybody, so a token says only that the proof of work was done.
   */
  challenge_mode: "adaptive" | "always" | "never";
  /**
   * Kinds of task that may be shown, preferred ones first: shapes (pick in order), rings (align), text (read), audio (count beeps); and patience, a way without a puzzle: work and a wait. None of text, audio and patience may be the only one.
   *
   * @minItems 1
   */
  task_types: ("shapes" | "rings" | "text" | "audio" | "patience")[];
  /**
   * Difficulty of the proof of work: bits of each of its 16 puzzles. One more doubles the time it takes.
   */
  pow_bits: number;
  /**
   * Function of the proof of work beside SHA-256: adaptive (memory-hard Argon2id while the site key is under attack, and on the way without a puzzle), argon2id (at every tick as well), sha256 (nothing).
   */
  work: "adaptive" | "argon2id" | "sha256";
  /**
   * Part of the address that a backend gives which must equal that of the one the token was issued to: off (nothing), dual_stack (as prefix, and any address of the other family passes), prefix (/24 of IPv4, /56 of IPv6), exact (all of it).
   */
  ip_binding: "off" | "dual_stack" | "prefix" | "exact";
  /**
   * Seconds that a token is good for.
   */
  token_ttl: number;
  /**
   * true: answers of the verification also tell the bot score (1 is a bot).
   */
  expose_score: boolean;
  /**
   * true: scores are computed and audited but decide nothing: nobody is shown a task because of one, and everybody passes.
   */
  shadow: boolean;
  /**
   * Languages that the widget may use. The first is taken where a page asks for another.
   *
   * @minItems 1
   */
  languages: ("ru" | "en")[];
  /**
   * Colours of the widget where the page does not say: auto follows the visitor's system.
   */
  theme: "auto" | "light" | "dark";
  /**
   * Operator of the site, named in the widget in place of its shield.
   */
  operator?: {
    /**
     * Plain text, shown as it is; short, since there is little room.
     */
    name: string;
    /**
     * Page about the operator; it opens in a tab of its own.
     */
    link?: string;
  };
  desc?: Description;
  labels?: Labels;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * A private key that a customer's backend verifies tokens with (X-Api-Key). A customer has at most two live ones, so that one can replace the other.
 */
export interface CaptchaApiKey {
  /**
   * The eight letters and digits that follow spk_ in the key.
   */
  id?: string;
  customer: Id;
  /**
   * false: it is refused, like a key that does not exist.
   */
  enabled: boolean;
  /**
   * Moment from which it is refused: date and time with time zone (RFC 3339), or seconds since 1970. Default: it does not expire.
   */
  expires?: string | number;
  /**
   * The key's text, in files: "spk_…" as `gwc captcha init` prints it. ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
  /**
   * Keyed hash of the key in place of its text, as `gwc captcha init --digest` prints it, written out. It belongs to one captcha.secret.
   */
  digest?: string;
  desc?: Description;
  labels?: Labels;
  create_time?: Timestamp;
  update_time?: Timestamp;
}
/**
 * Lets requests pass whose captcha token the captcha service has verified.
 */
export interface Captcha {
  /**
   * Address of the captcha service, as the gateway reaches it. Default: where the section captcha of the configuration listens (captcha.listen), or http://127.0.0.1:9088.
   */
  captcha_url?: string;
  /**
   * Site key that tokens must be for.
   */
  site_key: string;
  /**
   * API key of the customer who owns the site key. ${{VAR}} is resolved when the gateway runs.
   */
  api_key: string;
  /**
   * With https: certificates (PEM) of the authorities that are trusted in place of the system's.
   */
  ca?: string;
  /**
   * Methods of requests that need a token; others pass.
   *
   * @minItems 1
   */
  methods: ("GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS")[];
  /**
   * Places of the token, in the order in which it is looked for. Of form (urlencoded), multipart and json the one counts that the Content-Type names.
   *
   * @minItems 1
   */
  token_from: ("form" | "multipart" | "json" | "header")[];
  /**
   * Name of the form field, or of the top-level member of a JSON body.
   */
  field: string;
  /**
   * Place of the token in a JSON body, where it is not the member that field names: "/captcha/token". Leads through objects only.
   */
  json_pointer?: string;
  header: HeaderName;
  /**
   * true: the token is taken out of the request before it goes to the upstream.
   */
  strip_field: boolean;
  /**
   * Longest urlencoded or JSON body in which a token is looked for. It is held until the token is verified.
   */
  max_body_bytes: number;
  /**
   * Bytes of a multipart body within which the token must end. So many are held until it is verified; what follows is not held.
   */
  max_multipart_bytes: number;
  /**
   * true: the service is told the client's address, so that a token solved in another network is refused.
   */
  send_ip: boolean;
  /**
   * Milliseconds for each call of the service.
   */
  timeout: number;
  /**
   * Further calls after one that brought no verdict.
   */
  retries: number;
  /**
   * Treatment of a request while the service gives no verdict: fail-closed answers 503, fail-open lets it through and tells the upstream.
   */
  policy: "fail-closed" | "fail-open";
  /**
   * Status of the answer to a request without a valid token.
   */
  reject_status: number;
  _meta?: PluginMeta;
}
/**
 * Appends a record of each request to a file, as a line of JSON.
 */
export interface FileLogger {
  /**
   * File that records are appended to; its folder exists. A relative one begins where the gateway was started. /dev/stdout and /dev/stderr are the gateway's own output.
   */
  path: string;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * Bytes at which the file is renamed and a new one begun; absent: never, and logrotate with SIGUSR1 does it.
   */
  max_bytes?: number;
  /**
   * With max_bytes: renamed files that are kept; the oldest beyond them are removed.
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
   * Seconds after its first record at which a batch is written at the latest.
   */
  inactive_timeout: number;
  buffer_duration: BufferDuration;
  /**
   * Number of times that a batch which could not be written is tried again before it is dropped: for a minute, by default. With delivery: durable it is tried until it is written.
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
 * Sends records of requests in batches to an HTTP server: JSON, or the forms that log stores take.
 */
export interface HttpLogger {
  /**
   * Address that records are sent to, without credentials. A query passes on, and is never printed.
   */
  uri: string;
  /**
   * Method of the requests.
   */
  method: "POST" | "PUT";
  headers: HttpLoggerHeaders;
  /**
   * Value of the field Authorization. ${{VAR}} is resolved when the gateway runs.
   */
  auth_header?: string;
  /**
   * Seconds for one request: connecting, sending and the whole answer.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * With https. false: any certificate is accepted.
   */
  ssl_verify: boolean;
  tls?: HttpLoggerTls;
  /**
   * Form of a request. json: an array of records (one record alone, as an object, with batch_max_size: 1). ndjson: a record a line. The others: what these stores take (elasticsearch: OpenSearch too; otlp: OpenTelemetry's logs as JSON).
   */
  format: "json" | "ndjson" | "loki" | "elasticsearch" | "clickhouse" | "otlp";
  /**
   * @deprecated
   * Deprecated; use format. json is json, new_line is ndjson.
   */
  concat_method?: "json" | "new_line";
  loki: HttpLoggerLoki;
  elasticsearch: HttpLoggerElasticsearch;
  clickhouse: HttpLoggerClickhouse;
  otlp: HttpLoggerOtlp;
  /**
   * Coding of what is sent. zstd: for servers that say they take it (Vector, ClickHouse, collectors); gzip takes each of them.
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
 * Header fields of the requests. Each value is kept as a secret; ${{VAR}} is resolved when the gateway runs.
 */
export interface HttpLoggerHeaders {
  /**
   * Value of the field.
   */
  [k: string]: string;
}
/**
 * With https: authorities of one's own, and a certificate of the client.
 */
export interface HttpLoggerTls {
  /**
   * Certificates (PEM) of the authorities that are trusted in place of the system's.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Needs key.
   */
  cert?: string;
  /**
   * Its private key (PEM). ${{VAR}} is resolved when the gateway runs.
   */
  key?: string;
}
/**
 * With format: loki: how records are sorted into streams.
 */
export interface HttpLoggerLoki {
  /**
   * Labels of a record's stream. A text may hold variables that have few values, such as $route_id and $status.
   */
  labels: {
    /**
     * Value of the label.
     */
    [k: string]: string;
  };
  /**
   * Combinations of labels that one worker makes; further ones have "other" in the place of what depends on the request.
   */
  max_streams: number;
}
/**
 * With format: elasticsearch: where documents go.
 */
export interface HttpLoggerElasticsearch {
  /**
   * Index or data stream: lower-case letters, digits, ".", "_" and "-", with variables, and with %Y, %m, %d and %H for the record's time in UTC.
   */
  index: string;
  /**
   * With variables in index: names that one worker makes of them, dates apart; further records go to the index with "other" in their places.
   */
  max_indexes: number;
}
/**
 * With format: clickhouse: where rows go.
 */
export interface HttpLoggerClickhouse {
  /**
   * Database of the table.
   */
  database: string;
  /**
   * Table with a column for each field of a record.
   */
  table: string;
}
/**
 * With format: otlp: who logs.
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
 * The key that a consumer authenticates itself with.
 */
export interface KeyAuthConsumer {
  /**
   * The key. ${{VAR}} is resolved when the gateway runs.
   */
  key: string;
  _meta?: PluginMeta;
}
/**
 * Lets only requests pass that carry the key of a consumer.
 */
export interface KeyAuth {
  header: HeaderName;
  /**
   * Query parameter that carries the key when the header is absent.
   */
  query: string;
  /**
   * true: the key is taken out of the request before it goes to the upstream.
   */
  hide_credentials: boolean;
  _meta?: PluginMeta;
}
/**
 * Changes the request before it goes to the upstream.
 */
export interface ProxyRewrite {
  /**
   * New path, and after a '?' new query. May hold variables, whose values are encoded for the place they stand in. Wins over regex_uri.
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
   * Pairs of pattern and replacement; the first pattern that matches the path in normal form is applied, the rest ignored. Captures $1, ${1} serve in the replacement and in headers.
   *
   * @minItems 2
   */
  regex_uri?: string[];
  /**
   * Value of the Host header sent to the upstream; wins over the upstream's pass_host.
   */
  host?: string;
  /**
   * Actions on request headers, executed in the order add, remove, set. A flat object of names to values means set.
   */
  headers?: RequestHeaderActions | RequestHeaderValues;
  /**
   * Rewrites the request target as received and keeps its spelling. Dot segments are refused all the same.
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
 * Header names to values. Values may hold variables and captures of regex_uri ($1).
 */
export interface RequestHeaderMap {
  [k: string]: HeaderValue | HeaderValue[];
}
export interface RequestHeaderValues {
  [k: string]: HeaderValue;
}
/**
 * Answers with a redirection to another URL.
 */
export interface Redirect {
  /**
   * true: a request that came without TLS is sent to the same URL with https, GET and HEAD with 301, others with 308. Others pass.
   */
  http_to_https?: boolean;
  /**
   * Target: a path, or a URL. May hold variables, whose values are encoded for the place they stand in.
   */
  uri?: string;
  /**
   * A pattern and where to: what it matches in the path in normal form is replaced; a path that it does not match passes. Captures: $1, ${1}.
   *
   * @minItems 2
   * @maxItems 2
   */
  regex_uri?: string[];
  /**
   * Status of the answer to `uri` and `regex_uri`.
   */
  ret_code: number;
  /**
   * true: the query of the request goes behind that of the new URL.
   */
  append_query_string: boolean;
  /**
   * Accepted, without effect: the new URL is always encoded, once.
   */
  encode_uri: boolean;
  _meta?: PluginMeta;
}
/**
 * Changes the response: status, headers, and the body as a whole or by regular expressions. Applies to answers of the gateway itself too.
 */
export interface ResponseRewrite {
  /**
   * New HTTP status. Default: the status stays.
   */
  status_code?: number;
  /**
   * New whole body. Cannot be combined with filters.
   */
  body?: string;
  /**
   * true: body is base64 and is decoded before it is sent. Never decodes the upstream's body.
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
   * Largest body in bytes that filters work on; see on_oversize. Filters that stream have no such limit unless it is stated.
   */
  max_resp_body_size: number;
  /**
   * Treatment of a body above max_resp_body_size: refuse (answer 502) or pass (unfiltered, counted).
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
 * Sets values, whatever was there before. An empty value removes.
 */
export interface ResponseHeaderMap {
  [k: string]: HeaderValue;
}
export interface ResponseHeaderValues {
  /**
   * Constant text or number. Text may hold variables: $name, ${name}, ${name ?? default}; \$ is a dollar.
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
   * once: the first match alone, what matches after it stays as it is; global: all matches.
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
   * Name or address of the log server.
   */
  host: string;
  /**
   * Port of the log server.
   */
  port: number;
  /**
   * Milliseconds for connecting and for each send.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * true: TLS, and the server's certificate is verified.
   */
  tls: boolean;
  /**
   * With tls: name that the server is asked for and its certificate must have; default: host.
   */
  tls_options?: string;
  /**
   * With tls: certificates (PEM) of the authorities that are trusted in place of the system's.
   */
  ca?: string;
  /**
   * Certificate chain (PEM) that is presented to the server. Needs key.
   */
  cert?: string;
  /**
   * Its private key (PEM). ${{VAR}} is resolved when the gateway runs.
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
 * Sends a record of each request to a log server over udp, one datagram of JSON each.
 */
export interface UdpLogger {
  /**
   * Name or address of the log server.
   */
  host: string;
  /**
   * Port of the log server.
   */
  port: number;
  /**
   * Seconds for looking the server's name up.
   */
  timeout: number;
  /**
   * Name of the batch processor in metrics and log lines.
   */
  name: string;
  /**
   * Bytes of a datagram; a longer record is never sent, and counted as refused.
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
