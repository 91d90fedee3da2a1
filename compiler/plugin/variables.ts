import { type Availability, VARIABLES, type Variable } from "../../runtime/abi/variables.js";

/** A variable that a plugin has by itself: `$user_tier`. Its runtime part reads it (`PluginRuntime.variables`). */
export interface PluginVariable {
  /** Without "$": lower-case words joined by "_", the name of the plugin first. */
  name: string;
  type: "text" | "number";
  /** From when on it has its value; it may always be absent. */
  from: Exclude<Availability, "record">;
  description: string;
}

/** With their plugins' names. */
const known = new Map<string, { plugin: string; variable: Variable }>();

/** @throws Error when a name is taken; nothing is registered then */
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

/** Who has that variable: "gwc", "the plugin hello"; undefined where nobody has. */
export function variableOwner(name: string): string | undefined {
  const own = VARIABLES.some((one) => (one.prefixed ? name.startsWith(one.name) : name === one.name));
  const plugin = known.get(name)?.plugin;
  return own ? "gwc" : plugin && `the plugin ${plugin}`;
}

export const pluginVariable = (name: string): Variable | undefined => known.get(name)?.variable;

export const pluginVariableNames = (): string[] => [...known.keys()];
