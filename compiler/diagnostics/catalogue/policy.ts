import type { Catalogue } from "../diagnostic.js";

const WHY = `A policy (\`--policy FILE\`) says what a configuration may hold, whoever writes it: files, a build, or the admin API.
The note of the finding names the line of the policy. See docs/supply-chain.md.`;

const HELP = "change the configuration, or ask whoever keeps the policy";

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
    explain: `${WHY} The package was not loaded, so nothing of it has run.`,
  },
  GW9003: {
    severity: "error",
    summary: "a host that the policy does not allow",
    message: 'the policy does not allow route "{id}" to take {host}',
    help: HELP,
    explain: `${WHY} A route without hosts, of its own or of its service, takes every host.`,
  },
  GW9004: {
    severity: "error",
    summary: "an upstream node that the policy does not allow",
    message: 'the policy does not allow the node {node} of {kind} "{id}"',
    help: HELP,
    explain: `${WHY} Addresses are compared with networks, names with names: what a name resolves to is known only where the gateway runs.`,
  },
  GW9005: {
    severity: "error",
    summary: "a pattern that the policy does not allow",
    message: "the policy does not allow the pattern /{pattern}/, which {what}",
    help: HELP,
    explain: `${WHY} docs/regular-expressions.md says which patterns run on which engine, and which filters hold the body.`,
  },
  GW9006: {
    severity: "error",
    summary: "a listener that the policy does not allow",
    message: "the policy does not allow to listen on {address} ({setting})",
    help: HELP,
    explain: `${WHY} Listeners that a configuration does not name have defaults, and are judged as well.`,
  },
  GW9007: {
    severity: "error",
    summary: "a listener without TLS",
    message: "the policy asks for TLS, and clients connect to {address} without it ({setting})",
    help: "listen there in gw.ssl.listen, or on 127.0.0.1 only",
    explain: WHY,
  },
  GW9009: {
    severity: "error",
    summary: "an upstream node whose variable can become what the policy does not allow",
    message: 'the policy does not allow the node {node} of {kind} "{id}" for every value of its variable',
    help: "write the host out, or leave so much of its end outside of the variable that the policy can judge it: ${{SHARD}}.db.internal",
    explain: `${WHY} A variable gets its value, or its default, where the gateway runs. A node is allowed when an entry of \`upstreams.allow\` names
it for every value, and none of \`deny\` for any: of \`\${{NAME}}.internal\` the end is known, of \`\${{NAME}}\` nothing is, and it could be an address.`,
  },
  GW9008: {
    severity: "warning",
    summary: "a policy about a plugin that nobody knows",
    message: 'the policy names "{plugin}", and there is no such plugin',
    explain: `${WHY} A misspelt name allows and forbids nothing.`,
  },
};
