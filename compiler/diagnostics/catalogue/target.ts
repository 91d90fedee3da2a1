import type { Catalogue } from "../../model/diagnostic.js";

/** GW8xxx: parts of a plan that a target cannot express. */
export const target: Catalogue = {
  GW8001: {
    severity: "warning",
    summary: "a plugin without a description in prose",
    message: 'plugin "{plugin}" has no description in prose, so the text omits it',
    help: 'ask its author to add "describe" to the definition: see docs/plugin-guide.md',
    explain: `\`gwc explain-route\` describes a route in sentences that its plugins provide. The plugin runs nevertheless; only its part of the
description is missing, so the text is incomplete.

\`\`\`js
export default definePlugin({
  name: "hello",
  describe: ({ data }) => [\`sets the response header \${data.name}\`],
  // …
});
\`\`\``,
  },
};
