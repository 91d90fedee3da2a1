import type { Catalogue } from "../../model/diagnostic.js";

export const regex: Catalogue = {
  GW4501: {
    severity: "error",
    summary: "Invalid regular expression",
    message: 'regex "{pattern}" validation failed: {reason}, at character {position} of the pattern',
    help: "the syntax is PCRE; see docs/regular-expressions.md",
    explain: `The text is not a regular expression in PCRE syntax. The reason is the error message of PCRE2.

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
    help: "write the pattern without this construct; docs/regular-expressions.md lists alternatives",
    explain: `Patterns have the meaning of PCRE, but run in V8. gwc rejects a construct whose result could differ.

\`\`\`yaml
regex: "(?:(a)|b)+"        # PCRE remembers the last a, JavaScript forgets it at each repetition
replace: "$1"
\`\`\`

Often a small change is enough: do not use a capture inside a repetition, give an optional group an empty alternative,
or move an atomic group after the captures.
`,
  },
  GW4503: {
    severity: "error",
    summary: "Unknown option of a regular expression",
    message: 'regex "{pattern}" validation failed: {reason}',
    help: "use the options a anchored, i caseless, m multi-line, s dot matches newline, x extended, u or U UTF-8, D duplicate names; d, j, J and o have no effect",
    explain: `The options contain a letter that the gateway does not support.

\`\`\`yaml
options: "jg"        # there is no option g
\`\`\`

To replace every match, write \`scope: global\`; \`g\` is not an option.
`,
  },
  GW4504: {
    severity: "error",
    summary: "Regular expression that can take too long",
    message: 'regex "{pattern}" can take too long: {reason}',
    help: "remove the nested or overlapping repetition, make it possessive (a++), anchor it, or limit its repetitions",
    explain: `The largest text within the limits could block a worker for more than 50 ms, and neither linear engine can run the pattern: it
has a look-around, a back reference, an atomic group, or counts whose product is too large.

\`\`\`yaml
regex: "(?=.*\\\\d)^(a+)+$"       # each a can belong to the inner or to the outer repetition, and there is a look-ahead
\`\`\`

Write \`^a+$\`, or avoid backtracking with a possessive quantifier: \`^(?:a++)+$\`. Patterns that a linear engine can run are
accepted unchanged. With \`allow_slow: true\` in a filter, the operator takes responsibility for the bodies.
`,
  },
  GW4506: {
    severity: "error",
    summary: "Invalid replacement text",
    message: 'replacement "{text}" is not valid: {reason}, at character {position}',
    explain: `In a replacement \`$\` begins a capture: \`$0\` is the whole match, \`$1\` or \`\${1}\` the first group. Named groups are
not available in it.

\`\`\`yaml
replace: "costs $x"        # $x is not a capture
\`\`\`

Write \`$$\` for a dollar sign: \`costs $$x\`.
`,
  },
  GW4507: {
    severity: "error",
    summary: "Capture that does not exist",
    message: "${capture} has no group: the pattern has {groups}",
    help: "write $$ for a dollar sign",
    explain: `The replacement uses a group that the pattern does not have, so it would always be empty.

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
    explain: `The regex engine cannot compile the pattern, or would run out of memory or stack. gwc compiles each pattern for its engine before
it accepts the configuration, so that requests never fail for this reason.

\`\`\`yaml
regex: "(?<x>(?&y)(?&y))(?<y>(?&z)(?&z))…"    # calls of calls double the size each time
\`\`\`

Several simple filters in a row are easier to run than one complex filter.
`,
  },
  GW4509: {
    severity: "error",
    summary: "Regular expression that is too long",
    message: "the regex has {length} characters; the limit is {limit}",
    help: "split it into several patterns",
    explain: `V8 compiles a pattern when a request first uses it. The time grows with the length of the pattern, and above about 16,000
characters some patterns do not compile.

\`\`\`yaml
regex: "word1|word2|word3|…"       # thousands of words
\`\`\`

Use several filters, or several comparisons under \`OR\`. For a list of whole values, use an \`in\` comparison, which takes any number.
`,
  },
  GW4510: {
    severity: "error",
    summary: "Regular expressions of a resource that are too many or too long together",
    message: "the regexes of this resource are too large: {found}; the limit is {limit}",
    help: "distribute them over several routes, or combine filters into one pattern with alternatives",
    explain: `The patterns of a route count together with those of its service and plugin_config. gwc translates, analyzes and compiles each
pattern when it reads the configuration, and requests of the route run them, so both times grow with their number and length.

\`\`\`yaml
filters: [{ regex: "word0", replace: "" }, { regex: "word1", replace: "" }]    # and thousands more
\`\`\`

\`word0|word1\` is one pattern, and one pass over the body.
`,
  },
  GW4512: {
    severity: "warning",
    summary: "Capture with a backslash",
    message: '"\\{capture}" in the replacement is text: a backslash and a digit',
    help: "write ${capture} for the capture",
    explain: `A capture begins with a dollar sign. The form of sed, Python and other tools, with a backslash, is text here.

\`\`\`yaml
regex_uri: ["^/old/(.*)", "/new/\\\\1"]   # GW4512: /new/$1
\`\`\`
`,
  },
  GW4513: {
    severity: "warning",
    summary: "Regular expression between slashes",
    message: 'the regex "{pattern}" matches its slashes and "{flags}" as text',
    help: "write only the text between the slashes, and the letters as options",
    explain: `A regex is written without the slashes that enclose it in other languages. Letters such as \`i\` belong in \`options\`;
\`scope: global\` replaces all matches.

\`\`\`yaml
filters:
  - { regex: "/secret/gi", replace: "***" }                                  # GW4513
  - { regex: "secret", options: "i", scope: global, replace: "***" }
\`\`\`
`,
  },
  GW4511: {
    severity: "error",
    summary: "Regular expressions that take too long to analyze",
    message: "the analysis of the regexes of this resource takes over {seconds} s",
    help: "simplify them, or distribute them over several resources",
    explain: `Patterns of a write that take long to translate, analyze and compile are handled in a separate thread with this time limit, while
other writes continue. After the limit the write is rejected, and nothing changes.

\`\`\`yaml
regex: "(?=a.*b)(?=a.*b)(?=a.*b)…"     # a thousand look-aheads, and more of the like
\`\`\`

Configuration files have no such limit.
`,
  },
};
