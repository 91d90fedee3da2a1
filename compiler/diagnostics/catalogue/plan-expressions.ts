import type { Catalogue } from "../diagnostic.js";

/** Variables, texts with variables, and the condition language of `vars` and `_meta.filter`. */
export const expressions: Catalogue = {
  GW4001: {
    severity: "error",
    summary: "unknown variable",
    message: 'unknown variable "{name}"',
    help: "see docs/variables.md for the list; write \\$ for a dollar sign",
    explain: `A text or a condition names a variable that does not exist, so it would always be empty.

\`\`\`yaml
set: { X-Client: $remote_adr }   # $remote_addr
vars: [[arg, ==, "1"]]           # arg_<name>, for example arg_version
\`\`\`

Variables with a parameter are \`arg_<name>\`, \`http_<name>\`, \`cookie_<name>\`, \`uri_param_<name>\`, \`sent_http_<name>\` and
\`upstream_http_<name>\`. Where a dollar sign is meant, write \`\\$\`.`,
  },
  GW4002: {
    severity: "error",
    summary: "variable used before it has a value",
    message: '"{name}" has no value yet in {place}',
    help: "use it in response-rewrite, or choose a variable of the request",
    explain: `Variables of the response, such as \`status\`, are known only once the upstream has answered. A condition that decides
on the way in would never see them.

\`\`\`yaml
routes:
  - uri: /a
    vars: [[status, ==, 200]]      # a route is chosen before there is a status
\`\`\``,
  },
  GW4418: {
    severity: "warning",
    summary: "variable of a header field that the gateway keeps to itself",
    message: '"{name}" never has a value: {field} is a field that the gateway reads and writes itself',
    explain: `Fields of one connection and of the framing (\`Connection\`, \`Keep-Alive\`, \`Upgrade\`, \`TE\`, \`Transfer-Encoding\`, \`Content-Length\`,
\`Proxy-Connection\`), \`Expect\` and \`Proxy\` of a request, and \`Server\` of an upstream's response are read or dropped before headers are kept, and so are
fields in which a gateway tells upstreams what it knows of a request: \`X-Consumer-Username\`, \`X-Consumer-Custom-Id\`, \`X-Consumer-Groups\`,
\`X-Credential-Identifier\`, \`X-Captcha-Result\` and \`X-Captcha-Request-Id\`. Their variables are absent in every request; nginx has values for
some of them. An upstream that hashes by such a field hashes by the client's address, and key-auth and the captcha find nothing in it.

\`\`\`yaml
vars: [[http_content_length, ">", 1000]]        # GW4418: write content_length
\`\`\``,
  },
  GW4208: {
    severity: "warning",
    summary: "two parts of a path with one name",
    message: 'two parts of "{uri}" are called "{name}", so $uri_param_{name} loses the value of one',
    help: "give each part a name of its own",
    explain: `A variable has one value. Parts of the same name need not be alike, and only one of them is kept.

\`\`\`yaml
routes:
  - { id: a, uri: "/shops/:id/orders/:id", upstream_id: a }      # GW4208: takes /shops/1/orders/2
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
    summary: "capture where there is no regex_uri",
    message: "{capture} is a capture, and no regex_uri applies here",
    help: "only regex_uri of redirect and proxy-rewrite has captures; a dollar sign is written \\$",
    explain: `\`$1\`, \`$2\` … are the captures of the \`regex_uri\` pair that matched. They exist in its second half, and in the headers of a proxy-rewrite
that has \`regex_uri\` (and no \`uri\`, which would win over it). A price is written \`\\$5\`.

\`\`\`yaml
redirect: { uri: "/new/$1" }                        # GW4004
redirect: { regex_uri: ["^/old/(.*)", "/new/$1"] }
\`\`\``,
  },
  GW4005: {
    severity: "error",
    summary: "capture that the pattern lacks",
    message: "{capture} does not exist: the patterns of regex_uri have {groups}",
    explain: `The text names a capture with a number above the number of groups in every pattern of \`regex_uri\`, so it would
always be empty.

\`\`\`yaml
regex_uri: ["^/old/(.*)", "/new/$1"]
headers: { set: { X-Part: $2 } }     # the pattern has only $1
\`\`\``,
  },
  GW4010: {
    severity: "error",
    summary: "malformed condition",
    message: "malformed condition: {reason}",
    explain: `A condition list is \`[[variable, operator, value], …]\`: all of them must hold. \`["OR", cond, cond]\`, \`AND\`, \`!AND\` and
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
    message: 'unknown operator "{operator}"; one of {choices}',
    explain:
      "Comparisons know `==` `~=` `>` `>=` `<` `<=`, the regular expressions `~~` and `~*` (ignoring case), `in`, `has` and `ipmatch`. Not-equal is `~=`.",
  },
  GW4012: {
    severity: "error",
    summary: "condition that can never hold",
    message: "this condition can never hold: {reason}",
    explain: `The comparison is false for every request, because of the types of its two sides: \`status\` is a number, query arguments
and headers are texts.

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
    help: "join alternatives with OR",
    explain: `All conditions of a list must hold together. Two that exclude each other mean that none of the list ever applies.

\`\`\`yaml
vars: [[status, ==, 200], [status, ==, 500]]        # never both
vars: [OR, [status, ==, 200], [status, ==, 500]]
vars: [[status, in, [200, 500]]]
\`\`\``,
  },
  GW4020: {
    severity: "warning",
    summary: "vars that the route's own fields exclude",
    message: '"{name}" cannot satisfy all of: {conditions}',
    help: "no request matches the route; change one of the two",
    explain: `A route is chosen by its methods, hosts and paths first and then by its \`vars\`. These hold for no request that has come so
far, so the route never answers.

\`\`\`yaml
methods: [GET]
vars: [[request_method, ==, POST]]        # GW4020
\`\`\``,
  },
  GW4014: {
    severity: "warning",
    summary: "condition that always holds",
    message: "this condition always holds: {reason}",
    explain:
      'The comparison is true for every request, because of the types of its two sides: `status ~= "200"` compares a number with a text.',
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
    summary: "ipmatch on a variable that is no address",
    message: '"{name}" is never an address',
    help: "ipmatch fits remote_addr, or a header that holds an address",
    explain:
      "`ipmatch` needs the text of an address on its left. `status` is a number and `uri` a path; neither ever matches.",
  },
  GW4018: {
    severity: "warning",
    summary: "a part of a condition that can never hold",
    message: "this part can never hold: {reason}",
    help: "remove it; the other alternatives decide",
    explain: `An alternative inside OR is false for every request, so it never decides. Where the whole condition can never hold,
that is an error (GW4012, GW4013, GW4016).

\`\`\`yaml
vars: [OR, [status, ==, "200"], [status, ==, 404]]   # GW4018: 200 is not the text "200"
\`\`\``,
  },
  GW4017: {
    severity: "warning",
    summary: "a form of conditions that APISIX reads in another way",
    message: "{written} is read as {form}: {reason}",
    explain: `Three forms are accepted as in APISIX, where they mean something else than they seem to. The old form \`[variable, value]\`
means equality; APISIX lower-cases the value first, so that \`["arg_k", "ABC"]\` there asks for \`abc\`. One value after \`in\` is a list of
one; there it never matches. Elements after the third are ignored. The form that the finding names says plainly what is meant.

\`\`\`yaml
vars: [[arg_k, ABC]]              # read as [arg_k, ==, ABC]
vars: [[arg_k, in, v]]            # read as [arg_k, in, [v]]
vars: [[arg_k, ==, a, b, c]]      # read as [arg_k, ==, a]
\`\`\``,
  },
  GW4019: {
    severity: "warning",
    summary: "a value that no path has",
    message: '"{value}" is in no "{name}": a path holds it as "{form}"',
    help: "write the escapes",
    explain: `\`uri\` and \`uri_param_*\` are in normal form (docs/paths.md): blanks and letters beyond ASCII are escapes in them, with upper-case digits.

\`\`\`yaml
vars: [[uri, "==", "/a b"]]        # GW4019: never holds; write /a%20b
\`\`\``,
  },
};
