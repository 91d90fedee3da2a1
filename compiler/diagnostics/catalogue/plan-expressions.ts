import type { Catalogue } from "../../model/diagnostic.js";

/** Variables, texts with variables, and the condition language of `vars` and `_meta.filter`. */
export const expressions: Catalogue = {
  GW4001: {
    severity: "error",
    summary: "unknown variable",
    message: 'unknown variable "{name}"',
    help: "see docs/variables.md for the list; write \\$ for a dollar sign",
    explain: `A text or a condition uses a variable that does not exist, so it would always be empty.

\`\`\`yaml
set: { X-Client: $remote_adr }   # $remote_addr
vars: [[arg, ==, "1"]]           # arg_<name>, for example arg_version
\`\`\`

Variables with a parameter are \`arg_<name>\`, \`http_<name>\`, \`cookie_<name>\`, \`uri_param_<name>\`, \`sent_http_<name>\` and
\`upstream_http_<name>\`. For a dollar sign, write \`\\$\`.`,
  },
  GW4002: {
    severity: "error",
    summary: "variable used before it has a value",
    message: '"{name}" has no value yet in {place}',
    help: "use it in response-rewrite, or use a variable of the request",
    explain: `Variables of the response, such as \`status\`, have a value only after the upstream has responded. A condition that is
evaluated before would never see it.

\`\`\`yaml
routes:
  - uri: /a
    vars: [[status, ==, 200]]      # a route is chosen before there is a status
\`\`\``,
  },
  GW4418: {
    severity: "warning",
    summary: "variable of a header that the gateway does not expose",
    message: '"{name}" never has a value: the gateway itself reads and writes the header {field}',
    explain: `Hop-by-hop and framing headers (\`Connection\`, \`Keep-Alive\`, \`Upgrade\`, \`TE\`, \`Transfer-Encoding\`, \`Content-Length\`,
\`Proxy-Connection\`), \`Expect\` and \`Proxy\` of a request, and \`Server\` of an upstream's response are removed before variables are available, and so are
the reserved headers: \`X-Consumer-Username\`, \`X-Consumer-Custom-Id\`, \`X-Consumer-Groups\`, \`X-Credential-Identifier\` and those that a
plugin declares. Their variables are absent in every request; nginx has values for
some of them. An upstream that hashes by such a header uses the client's address instead, and key-auth and the captcha never find it.

\`\`\`yaml
vars: [[http_content_length, ">", 1000]]        # GW4418: write content_length
\`\`\``,
  },
  GW4208: {
    severity: "warning",
    summary: "two parts of a path with the same name",
    message: 'two parts of "{uri}" have the name "{name}", so $uri_param_{name} has the value of only one',
    help: "give each part a different name",
    explain: `A variable has one value. Parts with the same name match different texts, and only one of them is available.

\`\`\`yaml
routes:
  - { id: a, uri: "/shops/:id/orders/:id", upstream_id: a }      # GW4208: matches /shops/1/orders/2
  - { id: b, uri: "/shops/:shop/orders/:id", upstream_id: a }
\`\`\``,
  },
  GW4003: {
    severity: "error",
    summary: "unclosed ${",
    message: '"{text}" has no closing brace',
    help: "write ${name}, or \\${ for the two characters",
    explain:
      "A variable in braces is written `${name}` or `${name ?? default}`. The text `${` alone is written `\\${`.",
  },
  GW4004: {
    severity: "error",
    summary: "capture without a regex_uri",
    message: "{capture} is a capture, and no regex_uri applies here",
    help: "use captures only with regex_uri of redirect and proxy-rewrite; write \\$ for a dollar sign",
    explain: `\`$1\`, \`$2\` … are the captures of the \`regex_uri\` pair that matched. They are available in its replacement, and in the headers of a
proxy-rewrite with \`regex_uri\` (and without \`uri\`, which takes precedence). Write a price as \`\\$5\`.

\`\`\`yaml
redirect: { uri: "/new/$1" }                        # GW4004
redirect: { regex_uri: ["^/old/(.*)", "/new/$1"] }
\`\`\``,
  },
  GW4005: {
    severity: "error",
    summary: "capture that does not exist",
    message: "{capture} does not exist: the patterns of regex_uri have {groups}",
    explain: `The number of the capture is greater than the number of groups in every pattern of \`regex_uri\`, so it would always be
empty.

\`\`\`yaml
regex_uri: ["^/old/(.*)", "/new/$1"]
headers: { set: { X-Part: $2 } }     # the pattern has only $1
\`\`\``,
  },
  GW4010: {
    severity: "error",
    summary: "malformed condition",
    message: "malformed condition: {reason}",
    explain: `A condition list is \`[[variable, operator, value], …]\`: all of them must be true. \`["OR", cond, cond]\`, \`AND\`, \`!AND\` and
\`!OR\` combine at least two. One comparison is negated as \`[variable, "!", operator, value]\`.

\`\`\`yaml
vars: [status, ==, 200]              # one pair of brackets is missing
vars: [[status, ==, 200]]
vars: [OR, [arg_a, ==, "1"], [arg_b, ==, "1"]]
\`\`\``,
  },
  GW4011: {
    severity: "error",
    summary: "unknown operator",
    message: 'unknown operator "{operator}"; the operators are {choices}',
    explain:
      "The operators are `==` `~=` `>` `>=` `<` `<=`, the regular expressions `~~` and `~*` (ignoring case), `in`, `has` and `ipmatch`. Not-equal is `~=`.",
  },
  GW4012: {
    severity: "error",
    summary: "condition that is never true",
    message: "this condition is never true: {reason}",
    explain: `The comparison is false for every request, because its two sides have different types: \`status\` is a number; query
arguments and headers are texts.

\`\`\`yaml
vars: [[status, ==, "200"]]          # never: 200 is not the text "200"
vars: [[status, ==, 200]]
vars: [[status, in, ["200"]]]        # never, write [200]
vars: [[arg_age, ">", "abc"]]        # never: not a number
\`\`\``,
  },
  GW4013: {
    severity: "error",
    summary: "conditions that exclude each other",
    message: '"{name}" cannot satisfy all of: {conditions}',
    help: "combine alternatives with OR",
    explain: `All conditions of a list must be true at once. If two exclude each other, the list is never true.

\`\`\`yaml
vars: [[status, ==, 200], [status, ==, 500]]        # never both
vars: [OR, [status, ==, 200], [status, ==, 500]]
vars: [[status, in, [200, 500]]]
\`\`\``,
  },
  GW4020: {
    severity: "warning",
    summary: "vars that contradict other fields of the route",
    message: '"{name}" cannot satisfy all of: {conditions}',
    help: "change one of the two: no request matches the route",
    explain: `A route is chosen by its methods, hosts and paths first and then by its \`vars\`. These \`vars\` are false for every request that
the other fields match, so the route is never used.

\`\`\`yaml
methods: [GET]
vars: [[request_method, ==, POST]]        # GW4020
\`\`\``,
  },
  GW4014: {
    severity: "warning",
    summary: "condition that is always true",
    message: "this condition is always true: {reason}",
    explain:
      'The comparison is true for every request, because its two sides have different types: `status ~= "200"` compares a number with a text.',
  },
  GW4015: {
    severity: "error",
    summary: "ipmatch with something that is not an address",
    message: 'invalid ip address: "{address}"',
    help: "write an address such as 10.0.0.1 or 2001:db8::1, or a block such as 10.0.0.0/8",
    explain:
      "`ipmatch` compares with IPv4 and IPv6 addresses and CIDR blocks; the prefix is at most 32 or 128 bits.",
  },
  GW4016: {
    severity: "error",
    summary: "ipmatch on a variable that is not an address",
    message: '"{name}" is never an address',
    help: "use ipmatch with remote_addr, or with a header that contains an address",
    explain:
      "The left side of `ipmatch` must be an address. `status` is a number and `uri` a path; neither ever matches.",
  },
  GW4018: {
    severity: "warning",
    summary: "a part of a condition that is never true",
    message: "this part is never true: {reason}",
    help: "remove it; the other alternatives decide",
    explain: `An alternative of OR is false for every request, so it has no effect. A whole condition that is never true is an error
(GW4012, GW4013, GW4016).

\`\`\`yaml
vars: [OR, [status, ==, "200"], [status, ==, 404]]   # GW4018: 200 is not the text "200"
\`\`\``,
  },
  GW4017: {
    severity: "warning",
    summary: "a form of a condition that APISIX interprets differently",
    message: "{written} is interpreted as {form}: {reason}",
    explain: `gwc accepts three misleading forms of APISIX. The old form \`[variable, value]\` means equality; APISIX converts the value to lower
case first, so that \`["arg_k", "ABC"]\` matches \`abc\` there. A single value after \`in\` is a list of one; in APISIX it never matches.
Elements after the third are ignored. The diagnostic shows the unambiguous form.

\`\`\`yaml
vars: [[arg_k, ABC]]              # means [arg_k, ==, ABC]
vars: [[arg_k, in, v]]            # means [arg_k, in, [v]]
vars: [[arg_k, ==, a, b, c]]      # means [arg_k, ==, a]
\`\`\``,
  },
  GW4019: {
    severity: "warning",
    summary: "a value that no path contains",
    message: '"{value}" never occurs in "{name}": a normalized path contains it as "{form}"',
    help: "write it with escapes",
    explain: `\`uri\` and \`uri_param_*\` are normalized (docs/paths.md): spaces and letters beyond ASCII are escapes, with upper-case digits.

\`\`\`yaml
vars: [[uri, "==", "/a b"]]        # GW4019: never true; write /a%20b
\`\`\``,
  },
};
