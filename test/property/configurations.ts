import fc from "fast-check";

/** Text that has broken code generators, header lines or request targets before. */
const hostile = fc.constantFrom(
  "plain",
  'it\'s "quoted"',
  "`\\${x}` \\u0041 \\n",
  "*/ // <!--",
  "größe €",
  "a,b;c=d",
  "\\$ $$ $ ",
  "%41%zz",
  "</script>",
  " blanks  inside ",
);
const literal = fc.oneof(
  hostile,
  fc.string({ maxLength: 6 }).map((text) => text.replace(/[^\x20-\x7e]|[${}\\]/g, "_")),
);

const braced = (...names: string[]) => fc.constantFrom(...names.map((name) => `\${${name}}`));
const requestVariable = braced(
  ...[
    "arg_a",
    "arg_b",
    "arg_c ?? none",
    "http_x_a",
    "http_x_b",
    "cookie_sid",
    "remote_addr",
    "uri",
    "request_uri",
  ],
  ...["args", "host", "request_method", "route_id", "uri_param_rest", "is_args", "server_protocol"],
);
const responseVariable = braced("status", "sent_http_x_a", "upstream_http_x_b", "upstream_status");

const textOf = (variable: fc.Arbitrary<string>) =>
  fc.array(fc.oneof(literal, variable), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(""));
const requestText = textOf(requestVariable);
const responseText = textOf(fc.oneof(requestVariable, responseVariable));

const name = fc.constantFrom(
  "X-A",
  "x-b",
  "X-C",
  "Accept",
  "X-D_e",
  "Cache-Control",
  "Vary",
  "X-Forwarded-Proto",
  "x-real-ip",
  "X-Forwarded-For",
);
const names = fc.uniqueArray(name, { minLength: 1, maxLength: 3 });

/** A map that has some of its parts and is absent when it has none. */
const some = (parts: Record<string, fc.Arbitrary<unknown>>) =>
  fc
    .record(parts, { requiredKeys: [] })
    .map((value) => (Object.keys(value).length === 0 ? undefined : value));

const requestHeaders = some({
  add: fc.dictionary(name, fc.oneof(requestText, fc.array(requestText, { minLength: 1, maxLength: 2 })), {
    minKeys: 1,
    maxKeys: 3,
  }),
  remove: names,
  set: fc.dictionary(name, requestText, { minKeys: 1, maxKeys: 3 }),
});
const responseHeaders = some({
  add: fc.array(
    fc.tuple(name, responseText).map(([field, text]) => `${field}: ${text}`),
    { minLength: 1, maxLength: 3 },
  ),
  remove: names,
  set: fc.dictionary(name, responseText, { minKeys: 1, maxKeys: 3 }),
});

type Comparison = unknown[];

const value = fc.constantFrom("", "a", "1", "10", "-1.5", "é", "x y");
const number = fc.constantFrom(0, 1, 10, -1.5, 404);
const comparison = (variables: string[], operator: fc.Arbitrary<string>, right: fc.Arbitrary<unknown>) =>
  fc
    .tuple(fc.constantFrom(...variables), fc.constantFrom<string[]>([], ["!"]), operator, right)
    .map(([left, not, op, other]): Comparison => [left, ...not, op, other]);

/** Comparisons that can hold and can fail: the compiler rejects others. */
const comparisons = (texts: string[], numbers: string[]) => {
  const equality = fc.constantFrom("==", "~=");
  const optional = texts.filter((name) => !["request_method", "remote_addr", "uri"].includes(name));
  const forText = [
    comparison(texts, equality, fc.oneof(value, number)),
    comparison(optional, equality, fc.constant(null)),
    comparison(texts, fc.constantFrom(">", ">=", "<", "<="), number),
    comparison(texts, fc.constantFrom("~~", "~*"), fc.constantFrom("^a", "1$", "[^a-z]", "É", "a|x y", "^$")),
    comparison(texts, fc.constant("in"), fc.array(fc.oneof(value, number), { minLength: 1, maxLength: 5 })),
    comparison(["arg_a", "remote_addr"], fc.constant("ipmatch"), fc.constantFrom("127.0.0.0/8", "127.0.0.9")),
  ];
  if (numbers.length === 0) return fc.oneof(...forText);
  const status = fc.constantFrom(200, 204, 404, 502);
  const forNumber = [
    comparison(numbers, fc.constantFrom("==", "~=", ">", "<="), status),
    comparison(numbers, fc.constant("in"), fc.array(status, { minLength: 1, maxLength: 4 })),
  ];
  return fc.oneof(...forText, ...forNumber, ...forNumber);
};

const expression = (one: fc.Arbitrary<Comparison>) => {
  const many = fc.array(one, { minLength: 2, maxLength: 3 });
  const word = fc.constantFrom("AND", "or", "!AND", "!or");
  const nested = fc.tuple(word, many).map(([logic, items]): Comparison => [logic, ...items]);
  const mixed = fc.array(fc.oneof(one, nested), { minLength: 2, maxLength: 3 });
  return fc.oneof(
    fc.array(one, { minLength: 1, maxLength: 2 }),
    nested,
    fc.tuple(word, mixed).map(([logic, items]): Comparison => [logic, ...items]),
  );
};
const REQUEST_TEXTS = ["arg_a", "arg_b", "http_x_a", "cookie_sid", "request_method", "remote_addr", "uri"];
const requestExpression = expression(comparisons(REQUEST_TEXTS, []));
const responseExpression = expression(
  comparisons([...REQUEST_TEXTS, "sent_http_x_a", "upstream_status"], ["status"]),
);

const pair = fc.constantFrom(
  ["^/a/(.*)$", "/b/$1"],
  ["/([^/]+)/([^/]+)", "/$2/$1?first=$1"],
  ["([0-9]+)", "<${1}>"],
  ["(é)|(b)", "$1-$2"],
  ["^/", "no slash "],
  [" ", "+"],
);
const uri = fc.constantFrom(
  "/new",
  "/new?",
  "/new?x=$arg_a",
  "/new/$arg_a/$uri",
  "/p$request_uri",
  "/é %41 100%?q=$args&r=${arg_b ?? none}",
  "/$http_x_a?",
);
const proxyRewrite = fc
  .record(
    {
      uri,
      regex_uri: fc
        .uniqueArray(pair, { minLength: 1, maxLength: 3, selector: ([pattern]) => pattern })
        .map((pairs) => [...pairs].sort(([a]) => (a === "^/" ? 1 : -1)).flat()),
      method: fc.constantFrom("PUT", "GET", "HEAD"),
      host: fc.constantFrom("other.test", "other.test:81"),
      headers: requestHeaders,
      use_real_request_uri_unsafe: fc.boolean(),
      _meta: fc.record({ filter: requestExpression }),
    },
    { requiredKeys: [] },
  )
  .map((value) => ({ use_real_request_uri_unsafe: false, ...withoutAbsent(value) }));

const filter = fc.record(
  {
    regex: fc.constantFrom("a", "[a-z]+", "(.)(.)", "é", "^", "\\d+|x", "(?i)B", "b(?=c)", "\\s+$"),
    replace: fc.constantFrom("", "x", "[$0]", "$$`\\", "é$0", "\\$$'"),
    scope: fc.constantFrom("once", "global"),
    options: fc.constantFrom("jo", "i", "m", "s", "u", "iu", "x", ""),
  },
  { requiredKeys: ["regex", "replace"] },
);
const sizes = {
  max_resp_body_size: fc.constantFrom(1, 8, 100),
  on_oversize: fc.constantFrom("refuse", "pass"),
};
const responseRewrite = (limits: Partial<typeof sizes>) =>
  fc
    .record(
      {
        status_code: fc.constantFrom(200, 201, 204, 304, 404, 598),
        headers: responseHeaders,
        vars: responseExpression,
        ...limits,
        _meta: fc.record({ filter: responseExpression }),
      },
      { requiredKeys: [] },
    )
    .chain((rest) =>
      fc
        .oneof(
          fc.constant({}),
          fc.record({ body: literal }),
          fc.record({ filters: fc.array(filter, { minLength: 1, maxLength: 3 }) }),
        )
        .map((body) => ({ ...withoutAbsent(rest), ...body })),
    );

function withoutAbsent(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined));
}

const formatName = fc.oneof(literal, fc.constantFrom("route_id", "service_id", "__proto__", "host", "1"));
const formatValue = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    responseText,
    fc.oneof(requestVariable, responseVariable).map((braces) => `$${braces.slice(2, -1).split(" ")[0]}`),
    fc.constantFrom<unknown>("$request_body", "$resp_body", 5, -1.5, true, "plain"),
    fc.array(fc.tuple(formatName, tie("value")), { maxLength: 3 }).map(object),
  ),
})).value;
const format = fc.array(fc.tuple(formatName, formatValue), { maxLength: 4 }).map(object);

/** An object, also with the name `__proto__`, as a parser of JSON makes it. */
function object(fields: readonly (readonly [string, unknown])[]): unknown {
  const texts = fields.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`);
  return JSON.parse(`{${texts.join(",")}}`);
}

const logging = {
  log_format: format,
  log_format_extra: format,
  include_req_body: fc.boolean(),
  include_req_body_expr: requestExpression,
  max_req_body_bytes: fc.constantFrom(1, 5, 100),
  include_resp_body: fc.boolean(),
  include_resp_body_expr: responseExpression,
  // Only the decoder knows how much of a coded body its first bytes yield: no body is longer than this.
  max_resp_body_bytes: fc.constantFrom(5_000, 50_000),
  redact: fc.record(
    { headers: fc.constantFrom([], ["X-A", "cookie"]), query: fc.constantFrom([], ["a"]) },
    { requiredKeys: [] },
  ),
  _meta: fc.record({ filter: fc.oneof(requestExpression, responseExpression) }),
};
const syslog = fc
  .record(logging, { requiredKeys: [] })
  .map((settings) => ({ host: "127.0.0.1", port: 514, ...settings }));
const brokerLogger = fc
  .record(
    { ...logging, key: requestText, meta_format: fc.constantFrom("default", "origin") },
    { requiredKeys: [] },
  )
  .map((settings) => ({
    brokers: [{ host: "kafka", port: 9092 }],
    broker_topic: "t",
    ...settings,
    ...(settings.key === "" && { key: "$host" }),
  }));

const plugins = (limits: Partial<typeof sizes>) =>
  fc.record(
    {
      "proxy-rewrite": proxyRewrite,
      "response-rewrite": responseRewrite(limits),
      syslog,
      "broker-logger": brokerLogger,
    },
    { requiredKeys: [] },
  );

/** A route in front of an upstream, perhaps a second one, and perhaps a global rule. Calls `port` late. */
export const configuration = (port: () => number) =>
  fc
    .record({
      first: plugins(sizes),
      second: plugins(sizes),
      vars: fc.option(requestExpression, { nil: undefined }),
      global: fc.option(plugins({}), { nil: undefined }),
      passHost: fc.constantFrom("pass", "node"),
    })
    .map(({ first, second, vars, global, passHost }) => ({
      upstreams: [{ id: "main", nodes: { [`127.0.0.1:${port()}`]: 1 }, pass_host: passHost }],
      routes: [
        {
          id: "first",
          uri: "/*rest",
          upstream_id: "main",
          plugins: first,
          ...(vars && { vars, priority: 1 }),
        },
        ...(vars ? [{ id: "second", uri: "/*rest", upstream_id: "main", plugins: second }] : []),
      ],
      ...(global && Object.keys(global).length > 0 && { global_rules: [{ id: "g", plugins: global }] }),
    }));

const segment = fc.constantFrom(
  "a",
  "b",
  "1",
  "%C3%A9",
  "x%20y",
  "%3F",
  "%2F",
  "..",
  ".",
  "",
  "A+b",
  "%25",
  "a'b\"",
);
const queryValue = fc.constantFrom(
  "",
  "a",
  "1",
  "10",
  "-1.5",
  "%C3%A9",
  "x%20y",
  "x+y",
  "%0d%0aX:%201",
  "%",
  "a&b",
  "=",
  "?",
);

/** A request that the codec accepts. */
export const request = fc
  .record({
    method: fc.constantFrom("GET", "POST", "HEAD", "DELETE"),
    path: fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join("/")}`),
    query: fc.array(fc.tuple(fc.constantFrom("a", "b", "c", "%61"), queryValue), { maxLength: 3 }),
    bare: fc.constantFrom("", "?"),
    fields: fc.array(
      fc.constantFrom(
        "X-A: a",
        "x-a: 1",
        "X-B: é",
        "X-B:",
        "Accept: */*",
        "Cookie: sid=a; x=1",
        "Cookie: sid=10",
        "Vary: x",
        "X-Forwarded-Proto: https",
        "X-Real-IP: 10.0.0.1",
        "X-Forwarded-For: 10.0.0.2",
        "Connection: x-a, close",
      ),
      { maxLength: 4 },
    ),
    body: fc.constantFrom("", "body", "größe"),
    from: fc.constantFrom("127.0.0.1", "127.0.0.9"),
  })
  .map(({ method, path, query, bare, fields, body, from }) => ({
    method,
    target:
      query.length === 0
        ? path + bare
        : `${path}?${query.map(([key, value]) => `${key}=${value}`).join("&")}`,
    headers: ["Host: Gw.test:9080", ...fields],
    from,
    ...(method === "POST" && { body }),
  }));

/** A response of the upstream. */
export const answer = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .record({
        status: fc.constantFrom(200, 201, 204, 304, 404, 500, 503),
        fields: fc.array(
          fc.constantFrom(
            "X-A: a",
            "x-a: 10",
            "X-B: é",
            "Vary: Accept",
            'ETag: "1"',
            "Cache-Control: no-store",
            "Server: up",
          ),
          { maxLength: 4 },
        ),
        body: fc.constantFrom("", "a", "abc abc\n", "12 größe 34 é", "bcbcbc", "x".repeat(20)),
        encoding: fc.option(fc.constantFrom("gzip", "br", "deflate", "zstd"), { nil: undefined }),
        framing: fc.constantFrom("length", "chunked", "close"),
        pieces: fc.constantFrom(1, 3, 100),
      })
      .map(({ status, fields, body, encoding, framing, pieces }) => {
        const bodiless = status === 204 || status === 304;
        return {
          status,
          headers: fields,
          ...(!bodiless && {
            body,
            framing,
            pieces,
            ...(encoding && body !== "" && { encoding: [encoding] }),
          }),
        };
      }),
  },
  { weight: 1, arbitrary: fc.constantFrom({ failure: "connect" }, { failure: "timeout" }) },
);
