import type { Catalogue } from "../../model/diagnostic.js";

const WHY = `A policy (\`--policy FILE\`) restricts what a configuration may contain, whether it comes from files, a build or the admin API.
The note of the diagnostic shows the line of the policy. See docs/supply-chain.md.`;

const HELP = "change the configuration, or ask the maintainer of the policy";

/** GW9xxx: violations of the operator's policy. */
export const policy: Catalogue = {
  GW9001: {
    severity: "error",
    summary: "a plugin that the policy does not allow",
    message: 'the policy does not allow plugin "{plugin}", which {kind} "{id}" uses',
    help: HELP,
    explain: WHY,
  },
  GW9002: {
    severity: "error",
    summary: "a package that the policy does not allow",
    message: 'the policy does not allow package "{package}"',
    help: HELP,
    explain: `${WHY} The package was not loaded, so none of its code has run.`,
  },
  GW9003: {
    severity: "error",
    summary: "a host that the policy does not allow",
    message: 'the policy does not allow route "{id}" to serve {host}',
    help: HELP,
    explain: `${WHY} A route without hosts, in itself and in its service, serves every host.`,
  },
  GW9004: {
    severity: "error",
    summary: "an upstream node that the policy does not allow",
    message: 'the policy does not allow the node {node} of {kind} "{id}"',
    help: HELP,
    explain: `${WHY} Addresses are compared with networks, and names with names, because a name resolves only when the gateway runs.`,
  },
  GW9005: {
    severity: "error",
    summary: "a pattern that the policy does not allow",
    message: "the policy does not allow the pattern /{pattern}/, which {what}",
    help: HELP,
    explain: `${WHY} docs/regular-expressions.md shows which patterns run on which engine, and which filters buffer the body.`,
  },
  GW9006: {
    severity: "error",
    summary: "a listener that the policy does not allow",
    message: "the policy does not allow the listener {address} ({setting})",
    help: HELP,
    explain: `${WHY} Default listeners, which a configuration does not mention, are checked as well.`,
  },
  GW9007: {
    severity: "error",
    summary: "a listener without TLS",
    message: "the policy requires TLS, and the listener {address} does not use it ({setting})",
    help: "move it to gw.ssl.listen, or listen only on 127.0.0.1",
    explain: WHY,
  },
  GW9009: {
    severity: "error",
    summary: "an upstream node whose variable may have a value that the policy does not allow",
    message: 'the policy does not allow the node {node} of {kind} "{id}" for every value of its variable',
    help: "write the host in full, or a fixed ending after the variable that the policy can check: ${{SHARD}}.db.internal",
    explain: `${WHY} A variable receives its value, or its default, when the gateway runs. A node is allowed if an entry of \`upstreams.allow\` matches
it for every value, and no entry of \`deny\` for any. The ending of \`\${{NAME}}.internal\` is known; \`\${{NAME}}\` may be anything, even an address.`,
  },
  GW9008: {
    severity: "warning",
    summary: "a policy for an unknown plugin",
    message: 'the policy refers to "{plugin}", and there is no such plugin',
    explain: `${WHY} A misspelled name allows and denies nothing.`,
  },
};
