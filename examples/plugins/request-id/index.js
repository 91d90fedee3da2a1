import { definePlugin } from "gwc/plugin";

/** Plugin without a run-time part: the generated code needs only members of the exchange. */
export default definePlugin({
  name: "request-id",
  abi: [3, 3],
  // Before the other plugins, so that they and the loggers see the id.
  priority: 12_015,
  phases: ["rewrite", "headerFilter"],
  plan({ value }, context) {
    const origin = context.origin([]);
    const data = { header: value.header_name };
    const steps = [{ phase: "rewrite", origin, data }];
    return value.include_in_response ? [...steps, { phase: "headerFilter", origin, data }] : steps;
  },
  describe: ({ phase, data }) =>
    phase === "rewrite"
      ? [`sets the request header ${data.header} to a new id where the client sent none`]
      : [`sets the response header ${data.header} to the id of the request`],
  view: ({ data }) => data,
});
