import type { Catalogue } from "../diagnostic.js";

export const regex: Catalogue = {
  GW4501: {
    severity: "error",
    summary: "Invalid regular expression",
    message: 'regex "{pattern}" validation failed: {reason}, at character {position} of the pattern',
    help: "the syntax is PCRE; see docs/regular-expressions.md",
    explain: `The text is no regular expression in PCRE syntax, so it could never match. The reason is PCRE2's own wording.

\`\`\`yaml
filters:
  - regex: "(\\\\d+"        # the parenthesis is never closed
    replace: "#"
\`\`\`

Close the parenthesis: \`(\\d+)\`. To match such a character itself, put a backslash in front of it: \`\\(\`.
`,
  },
  GW4502: {
    severity: "error",
    summary: "Regular expression that cannot be translated exactly",
    message:
      'regex "{pattern}" cannot be run exactly as PCRE does: {reason}, at character {position} of the pattern',
    help: "write the pattern without this construct; docs/regular-expressions.md lists what can replace it",
    explain: `Patterns have PCRE's meaning, but run in V8. A construct whose result could differ is refused instead of
silently meaning something else.

\`\`\`yaml
regex: "(?:(a)|b)+"        # PCRE remembers the last a, JavaScript forgets it at each repetition
replace: "$1"
\`\`\`

Often a small change helps: read no capture that stands inside a repetition, give an optional group an empty alternative,
or move an atomic group behind the captures.
`,
  },
  GW4503: {
    severity: "error",
    summary: "Unknown option of a regular expression",
    message: 'regex "{pattern}" validation failed: {reason}',
    help: "known options: a anchored, i caseless, m multi-line, s dot matches newline, x extended, u or U UTF-8, D duplicate names; d, j, J and o change nothing",
    explain: `An option letter that the gateway does not know.

\`\`\`yaml
options: "jg"        # there is no option g
\`\`\`

To replace every match write \`scope: global\`; \`g\` is no option.
`,
  },
  GW4504: {
    severity: "error",
    summary: "Regular expression that can take too long",
    message: 'regex "{pattern}" can take too long: {reason}',
    help: "remove the nested or overlapping repetition, make it possessive (a++), anchor it, or give its repetitions a limit",
    explain: `The largest text that the limits let through would keep a worker busy for more than 50 ms, and neither linear engine can
run the pattern: it has a look-around, a back reference, an atomic group, or counts that multiply to too much.

\`\`\`yaml
regex: "(?=.*\\\\d)^(a+)+$"       # each a can belong to the inner or to the outer repetition, and there is a look-ahead
\`\`\`

Write \`^a+$\`, or stop the engine from trying again with a possessive quantifier: \`^(?:a++)+$\`. Patterns that a linear engine can
run are accepted as they are. A filter may state \`allow_slow: true\`: then it is the operator who vouches for the bodies.
`,
  },
  GW4506: {
    severity: "error",
    summary: "Invalid replacement text",
    message: 'replacement "{text}" is not valid: {reason}, at character {position}',
    explain: `In a replacement \`$\` begins a capture: \`$0\` is the whole match, \`$1\` or \`\${1}\` the first group. Named groups are
not available there.

\`\`\`yaml
replace: "costs $x"        # $x is no capture
\`\`\`

Write \`$$\` for a dollar: \`costs $$x\`.
`,
  },
  GW4507: {
    severity: "error",
    summary: "Capture that the pattern lacks",
    message: "${capture} has no group: the pattern has {groups}",
    help: "write $$ for a dollar",
    explain: `The replacement asks for a group that the pattern does not have; it would always be empty.

\`\`\`yaml
regex: "(\\\\w+)@(\\\\w+)"
replace: "$3"              # there are two groups
\`\`\`

Number the groups by their opening parentheses from the left.
`,
  },
  GW4508: {
    severity: "error",
    summary: "Regular expression that cannot be run",
    message: 'regex "{pattern}" cannot be run: {reason}',
    help: "split it into simpler patterns",
    explain: `The engine that is to run the pattern refuses to compile it, or would run out of memory or stack while it does. Each pattern is
compiled for its engine before it is accepted, so that no request meets such a fault.

\`\`\`yaml
regex: "(?<x>(?&y)(?&y))(?<y>(?&z)(?&z))…"    # calls of calls double the size each time
\`\`\`

Several simple filters in a row are easier to run than one that does everything.
`,
  },
  GW4509: {
    severity: "error",
    summary: "Regular expression that is too long",
    message: "the regex has {length} characters; {limit} is the limit",
    help: "split it into several patterns",
    explain: `V8 compiles a pattern when a request first meets it, which takes the longer the longer the pattern is; beyond some 16,000
characters it fails for some of them.

\`\`\`yaml
regex: "word1|word2|word3|…"       # thousands of words
\`\`\`

Several filters, or several comparisons under \`OR\`, do the same. A list of whole values is an \`in\` comparison, which takes any number.
`,
  },
  GW4510: {
    severity: "error",
    summary: "Regular expressions of a resource that are too many or too long together",
    message: "too much text in the regexes of this resource: {found}; {limit} is the limit",
    help: "share them out among several routes, or make one alternative of many filters",
    explain: `The patterns of a route count together with those that it takes from its service and plugin_config. Each is translated,
judged and compiled when the configuration is read, and has to be run for the requests of that route, so both grow with their number and length.

\`\`\`yaml
filters: [{ regex: "word0", replace: "" }, { regex: "word1", replace: "" }]    # and thousands more
\`\`\`

\`word0|word1\` is one pattern, and one pass over the body.
`,
  },
  GW4512: {
    severity: "warning",
    summary: "Capture with a backslash",
    message: 'the replacement has "\\{capture}" as it stands, a backslash and a digit',
    help: "write ${capture} for the capture",
    explain: `Captures are named with a dollar. What sed, Python and other tools write with a backslash is text here.

\`\`\`yaml
regex_uri: ["^/old/(.*)", "/new/\\\\1"]   # GW4512: /new/$1
\`\`\`
`,
  },
  GW4513: {
    severity: "warning",
    summary: "Regular expression between slashes",
    message: 'the regex "{pattern}" looks for its slashes and for "{flags}" too',
    help: "write what stands between the slashes, and the letters as options",
    explain: `A regex is given as it is, without the slashes that enclose it in other languages. Letters such as \`i\` go to \`options\`;
all matches are replaced with \`scope: global\`.

\`\`\`yaml
filters:
  - { regex: "/secret/gi", replace: "***" }                                  # GW4513
  - { regex: "secret", options: "i", scope: global, replace: "***" }
\`\`\`
`,
  },
  GW4511: {
    severity: "error",
    summary: "Regular expressions that take too long to judge",
    message: "the regexes of this resource take over {seconds} s to judge",
    help: "write them more simply, or share them out among several resources",
    explain: `A write whose patterns take long to translate, judge and compile is worked out in a thread of its own, beside the other
writes, for so many seconds at the most. What it found out is forgotten when they are over, and nothing has changed.

\`\`\`yaml
regex: "(?=a.*b)(?=a.*b)(?=a.*b)…"     # a thousand look-aheads, and more of the like
\`\`\`

Files are given as long as they need: nothing waits for them at the start.
`,
  },
};
