import type { Catalogue } from "../entry.js";

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
    summary: "Regular expression that can take exponential time",
    message: 'regex "{pattern}" can take exponential time, for example on {attack}',
    help: "remove the nested or overlapping repetition, make it possessive (a++), or state allow_slow: true on the rule",
    explain: `Some text of a few dozen characters makes this pattern try more ways than it ever can, and a worker would do nothing
else meanwhile.

\`\`\`yaml
regex: "^(a+)+$"           # each a can belong to the inner or to the outer repetition
\`\`\`

Write \`^a+$\`, or stop the engine from trying again with a possessive quantifier: \`^(?:a++)+$\`. Patterns that V8's linear engine can run
are accepted as they are: no look-around (\`$\` is one, \`\\z\` is not), no back reference, no large counts.
`,
  },
  GW4505: {
    severity: "warning",
    summary: "Regular expression whose time grows faster than the text",
    message:
      'regex "{pattern}" takes time that grows with power {degree} of the length, for example on {attack}',
    help: "anchor the pattern, or give its repetitions characters or an upper limit that tells them apart",
    explain: `On ordinary text the pattern is fast, but a long text made for the purpose keeps a worker busy: twice the length takes
four times as long, or worse.

\`\`\`yaml
regex: "\\\\s+$"             # each blank of a long run is a new start that runs to the end of the run
\`\`\`

Anchor the pattern, bound the repetition (\`\\s{1,100}$\`), or let it start with a character that the repetition cannot match.
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
    severity: "warning",
    summary: "Regular expression whose cost is unknown",
    message: 'regex "{pattern}" is too involved to tell how its time grows with the text ({reason})',
    help: "split it into simpler patterns",
    explain: `The analysis of a pattern may take two seconds. This one needed more, which says nothing about how fast it runs, but
nobody knows how it behaves on a text made to slow it down.

\`\`\`yaml
regex: "(?:(?:a|b)*c(?:d|e)*){2,40}(?:f|g)*$"
\`\`\`

Several simple filters in a row are easier to judge than one that does everything.
`,
  },
};
