import type { Catalogue } from "../diagnostic.js";

/** GW8xxx: parts of a plan that a target cannot express. */
export const target: Catalogue = {
  GW8001: {
    severity: "warning",
    summary: "a plugin that brings no words",
    message: 'prose lacks words for "{plugin}": what it does here is not said',
    help: 'its author adds "describe" to the definition: see docs/plugin-guide.md',
    explain: `\`gwc explain-route\` says what a route does in sentences that plugins bring. The plugin runs all the same: only its part of
the text is missing, so do not take the text for the whole.

\`\`\`js
export default definePlugin({
  name: "hello",
  describe: ({ data }) => [\`sets the response header \${data.name}\`],
  // …
});
\`\`\``,
  },
};
