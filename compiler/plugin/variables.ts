import { type Availability, VARIABLES, type Variable } from "../../runtime/abi/variables.js";

/** Variable such as `$user_tier`, which the run-time part reads (`PluginRuntime.variables`). */
export interface PluginVariable {
  /** Name without "$": lower-case words joined by "_", beginning with the name of the plugin. */
  name: string;
  type: "text" | "number";
  /** Phase from which it has its value; it may be absent even then. */
  from: Exclude<Availability, "record">;
  description: string;
}

const known = new Map<string, { plugin: string; variable: Variable }>();

/** @throws Error if a name is taken; then it registers nothing */
export function registerVariables(plugin: string, variables: readonly PluginVariable[] = []): void {
  for (const { name } of variables) {
    const owner = variableOwner(name);
    if (owner !== undefined) throw new Error(`plugin ${plugin}: ${owner} has a variable $${name} already`);
  }
  for (const { name, type, from, description } of variables) {
    const code = `x.variable("${name}")`;
    const variable = { name, type, from, description, code, prefixed: false, optional: true };
    known.set(name, { plugin, variable });
  }
}

/** Returns "gwc", "the plugin hello"; undefined if there is no such variable. */
export function variableOwner(name: string): string | undefined {
  const own = VARIABLES.some((one) => (one.prefixed ? name.startsWith(one.name) : name === one.name));
  const plugin = known.get(name)?.plugin;
  return own ? "gwc" : plugin && `the plugin ${plugin}`;
}

export const pluginVariable = (name: string): Variable | undefined => known.get(name)?.variable;

export const pluginVariableNames = (): string[] => [...known.keys()];
