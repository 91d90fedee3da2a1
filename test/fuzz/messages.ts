import fc from "fast-check";

/** Byte strings like requests and responses, valid and invalid in ways that matter to a parser. */

const name = fc.constantFrom("A", "X-One", "x-two", "Cookie", "Accept", "!#$%&'*+-.^_`|~", "X_3");
const value = fc.oneof(
  fc.constantFrom("", "1", "a b", "a\tb", "\xe9\xff", '"q,x"', "chunked", "a:b", "  padded \t", "=?;@[]{}"),
  fc.string({ maxLength: 12 }),
);
const plainField = fc.tuple(name, value).map(([n, v]) => `${n}: ${v}`);
const oddField = fc.constantFrom(
  ...[
    "A : b",
    "A\t: b",
    " A: b",
    "A b: c",
    ": b",
    "A",
    "A:",
    "A:b",
    "A:\t \tb",
    "A: b\r",
    "A: \0",
    "A: \x7f",
    "A: \x0b",
  ],
  ...["Host: other", "Host:", "host: a", "Expect: 100-continue", "Upgrade: h2c", "Trailer: X-Sum"],
  ...[
    "Connection: close",
    "Connection: keep-alive",
    "Connection: X-One, close",
    "Connection: Upgrade",
    "Connection:",
  ],
);
const framing = fc.constantFrom(
  ...[
    "Content-Length: 4",
    "Content-Length: 0",
    "content-length:4",
    "Content-Length: 04",
    "Content-Length: 4 ",
  ],
  ...[
    "Content-Length: +4",
    "Content-Length: 4, 4",
    "Content-Length: 0x4",
    "Content-Length:",
    "Content-Length: 4a",
  ],
  ...["Transfer-Encoding: chunked", "transfer-encoding:chunked", "Transfer-Encoding: CHUNKED"],
  ...[
    "Transfer-Encoding: gzip, chunked",
    "Transfer-Encoding: chunked, identity",
    "Transfer-Encoding: identity",
  ],
  ...[
    "Transfer-Encoding:",
    "Transfer-Encoding: xchunked",
    "Transfer-Encoding : chunked",
    "Transfer-Encoding:\x0bchunked",
  ],
);
const chunk = fc.constantFrom(
  ...[
    "4\r\nbody\r\n",
    "1\r\na\r\n",
    "a\r\n0123456789\r\n",
    "A;x=y\r\n0123456789\r\n",
    "04\r\nbody\r\n",
    '1;a="b;c"\r\na\r\n',
  ],
  ...[
    "4 \r\nbody\r\n",
    "+4\r\nbody\r\n",
    "0x4\r\nbody\r\n",
    "4\nbody\r\n",
    "4\r\nbody\n",
    "4\r\nbodyy\r\n",
    "4\r\nbody",
    "\r\n",
  ],
  ...["4;\r\nbody\r\n", "4;a\nb\r\nbody\r\n", "fffffffffffffffff\r\n", "-1\r\n"],
);
const lastChunk = fc.constantFrom(
  ...[
    "0\r\n\r\n",
    "000\r\n\r\n",
    "0;x\r\n\r\n",
    "0\r\nX-Sum: 1\r\n\r\n",
    "0\r\nContent-Length: 9\r\n\r\n",
    "0\r\n",
    "0\n\n",
  ],
  ...["0\r\nX : 1\r\n\r\n", "0\r\n X: 1\r\n\r\n", "0\r\nX: 1\n\r\n"],
);
const chunkedBody = fc
  .tuple(fc.array(chunk, { maxLength: 3 }), lastChunk)
  .map(([c, last]) => c.join("") + last);

const weighted = <T>(likely: fc.Arbitrary<T>, odd: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 14, arbitrary: likely }, { weight: 1, arbitrary: odd });

const fields = fc.array(weighted(plainField, oddField), { maxLength: 4 });

/** Framing headers with a body that may or may not fit them. */
const framed = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ lines: [] as string[], body: "" }) },
  { weight: 3, arbitrary: fc.constant({ lines: ["Content-Length: 4"], body: "body" }) },
  { weight: 3, arbitrary: chunkedBody.map((body) => ({ lines: ["Transfer-Encoding: chunked"], body })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.array(framing, { maxLength: 2 }), fc.oneof(chunkedBody, fc.constantFrom("", "body", "bo")))
      .map(([lines, body]) => ({ lines, body })),
  },
);

const requestLine = weighted(
  fc
    .tuple(
      fc.constantFrom("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE"),
      fc.constantFrom("/", "/a?b=c", "/%zz", "/a//b/../c", "*", "http://a/x", "http://a?y"),
      fc.constantFrom("HTTP/1.1", "HTTP/1.1", "HTTP/1.0"),
    )
    .map((parts) => parts.join(" ")),
  fc.constantFrom(
    "GET / HTTP/2.0",
    "GET / HTTP/1.2",
    "GET /",
    "GET  / HTTP/1.1",
    "GET / HTTP/1.1 ",
    "get / HTTP/1.1",
    "G\0T / HTTP/1.1",
    "GET /\xe9 HTTP/1.1",
    "GET /a b HTTP/1.1",
    "GET a HTTP/1.1",
    "GET http://b/ HTTP/1.1",
    "GET\t/ HTTP/1.1",
    "CONNECT a:1 HTTP/1.1",
  ),
);

const shuffled = (lines: string[], seed: number) => {
  const at = lines.length === 0 ? 0 : seed % lines.length;
  return [...lines.slice(at), ...lines.slice(0, at)];
};

const request = fc
  .tuple(
    requestLine,
    fields,
    framed,
    fc.nat(20),
    weighted(fc.constant("Host: a"), fc.constantFrom("", "Host: b")),
  )
  .map(([line, plain, { lines, body }, seed, host]) => {
    const all = shuffled([...(host === "" ? [] : [host]), ...plain, ...lines], seed);
    return `${line}\r\n${all.map((one) => `${one}\r\n`).join("")}\r\n${body}`;
  });

const statusLine = weighted(
  fc.constantFrom(
    "HTTP/1.1 200 OK",
    "HTTP/1.1 200 ",
    "HTTP/1.0 200 OK",
    "HTTP/1.1 204 No Content",
    "HTTP/1.1 304 x",
    "HTTP/1.1 404 Not \xe9",
  ),
  fc.constantFrom(
    "HTTP/1.1 200",
    "HTTP/1.1  200 OK",
    "HTTP/1.1 20 OK",
    "HTTP/1.1 2000 OK",
    "HTTP/2.0 200 OK",
    "http/1.1 200 OK",
    "HTTP/1.1 200 O\0K",
    "HTTP/1.1 103 Hints",
    "HTTP/1.1 +20 OK",
    "HTTP/1.1\t200 OK",
  ),
);

const response = fc
  .tuple(statusLine, fields, framed, fc.nat(20), fc.constantFrom("", "", "rest"))
  .map(([line, plain, { lines, body }, seed, rest]) => {
    const all = shuffled([...plain, ...lines], seed);
    return `${line}\r\n${all.map((one) => `${one}\r\n`).join("")}\r\n${body}${rest}`;
  });

interface Mutation {
  at: number;
  remove: number;
  insert: string;
}
const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(400),
  remove: fc.constantFrom(0, 0, 1, 1, 2, 7),
  insert: fc.constantFrom(
    "",
    "\r",
    "\n",
    "\r\n",
    "\r\n\r\n",
    "\0",
    " ",
    "\t",
    ":",
    ";",
    ",",
    "0",
    "x",
    "\xff",
    "Host: a\r\n",
    "\x0b",
    "-",
    "1",
  ),
});

const mutate = (text: string, mutations: Mutation[]): string =>
  mutations.reduce((now, { at, remove, insert }) => {
    const place = now.length === 0 ? 0 : at % now.length;
    return now.slice(0, place) + insert + now.slice(place + remove);
  }, text);

const mutations: fc.Arbitrary<Mutation[]> = fc.oneof(
  { weight: 4, arbitrary: fc.constant([] as Mutation[]) },
  { weight: 3, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
);

/** One to three requests in sequence, possibly damaged. */
export const requests: fc.Arbitrary<string> = fc
  .tuple(fc.array(request, { minLength: 1, maxLength: 3 }), mutations)
  .map(([all, changes]) => mutate(all.join(""), changes));

/** One response, possibly with bytes behind it, possibly damaged. */
export const responses: fc.Arbitrary<string> = fc
  .tuple(response, mutations)
  .map(([text, changes]) => mutate(text, changes));
