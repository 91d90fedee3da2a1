import { RUNTIME_EXPORTS } from "../../runtime/abi/calls.gen.js";
import { isObject } from "../../runtime/abi/json-object.js";
import { reservedHeaderFault } from "../../runtime/abi/reserved-header-names.js";
import { ABI } from "../../runtime/abi/version.js";
import { nearest } from "../diagnostics/nearest.js";
import { LOGGER_MEMBERS, LOGGER_PHASES } from "../log/define-logger.js";
import { variableOwner } from "../plugin/contributions.js";
import { RESOURCE_NAME } from "../plugin/definition.js";
import { isPluginCode, type PackagedPlugin, PLUGIN_MARK } from "../plugin/package.js";
import { plugins } from "../plugin/registry.js";
import { broken, type LocatedPackage } from "./locate.js";
import { PackageError } from "./package-error.js";
import { UNSUPPORTED_FIELDS } from "./unsupported-fields.js";

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
const PHASES: ReadonlySet<unknown> = new Set(["rewrite", "access", "headerFilter", "acknowledge", "log"]);
/** Members that give access from any value to the language itself. */
const REACHING: ReadonlySet<string> = new Set([
  ..."__proto__ apply bind call caller callee constructor prototype".split(" "),
  ...Object.getOwnPropertyNames(Object.prototype),
]);

export const isPhase = (name: string): boolean => PHASES.has(name);

const SEVERITIES: ReadonlySet<unknown> = new Set(["error", "warning", "note"]);
const TYPES = ["text", "number"];
const MOMENTS = ["request", "upstream", "response", "log"];

const isText = (value: unknown): value is string => typeof value === "string";
const isFunction = (value: unknown) => typeof value === "function";
const isBoolean = (value: unknown) => typeof value === "boolean";
const isIdentifier = (value: unknown): value is string => typeof value === "string" && IDENTIFIER.test(value);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function isRange(value: unknown): boolean {
  if (!isList(value) || value.length !== 2) return false;
  const [min, max] = value as [number, number];
  return Number.isInteger(min) && Number.isInteger(max) && min <= max;
}

function areCalls(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(value).every(
    ([name, members]) =>
      isIdentifier(name) &&
      isList(members) &&
      members.every((member) => isIdentifier(member) && !REACHING.has(member)),
  );
}

function areDiagnostics(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.values(value).every((entry) => {
    if (!isObject(entry)) return false;
    const { severity, summary, message, help = "", explain } = entry;
    return SEVERITIES.has(severity) && [summary, message, help, explain].every(isText);
  });
}

/** Token of RFC 9110 section 5.6.2. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const areTokens = (value: unknown): boolean =>
  isList(value) && value.every((name) => isText(name) && TOKEN.test(name));

function areCarriers(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { headers = [], query = [], cookies = [], ...others } = value;
  const areNames = isList(query) && query.every((name) => isText(name) && name !== "");
  return areTokens(headers) && areTokens(cookies) && areNames && Object.keys(others).length === 0;
}

const areVariables = (value: unknown): boolean =>
  isList(value) &&
  value.every(
    (one) =>
      isObject(one) &&
      isText(one["name"]) &&
      TYPES.includes(String(one["type"])) &&
      MOMENTS.includes(String(one["from"])) &&
      isText(one["description"]),
  );

/** Requirements of a definition; `says` is the text of one. */
const FIELDS: Readonly<Record<string, [required: boolean, fits: (value: unknown) => boolean, says: string]>> =
  {
    name: [
      true,
      (value) => typeof value === "string" && NAME.test(value) && value.length <= 64,
      "lower-case words joined by hyphens, at most 64 characters",
    ],
    abi: [true, isRange, "two whole numbers, the lowest and the highest interface"],
    priority: [true, Number.isInteger, "a whole number"],
    phases: [
      true,
      (value) => isList(value) && value.length > 0 && value.every((phase) => PHASES.has(phase)),
      `a list of ${[...PHASES].join(", ")}`,
    ],
    template: [false, (value) => value === "logger", '"logger"'],
    plan: [true, isFunction, "a function"],
    describe: [false, isFunction, "a function"],
    view: [true, isFunction, "a function"],
    guard: [false, isFunction, "a function"],
    decisions: [false, isFunction, "a function"],
    resource: [false, isFunction, "a function"],
    canRespond: [false, isBoolean, "true or false"],
    authenticates: [false, isBoolean, "true or false"],
    asyncAccess: [false, isBoolean, "true or false"],
    resourceConstant: [false, isIdentifier, "an identifier of JavaScript"],
    resourceLabel: [false, isFunction, "a function"],
    exports: [false, areCalls, "names of functions, each with a list of the members of its result"],
    runtime: [false, (value) => typeof value === "string", "the path of a module in the package"],
    reservedHeaders: [false, (value) => isList(value) && value.every(isText), "a list of names of headers"],
    headerActions: [false, isIdentifier, "the name of a member of the data of its steps"],
    credentials: [false, areCarriers, "lists of names as headers, query and cookies"],
    diagnostics: [
      false,
      areDiagnostics,
      "diagnostics by code, each with severity, summary, message and explain",
    ],
    variables: [
      false,
      areVariables,
      `a list of name, type (${TYPES.join(", ")}), from (${MOMENTS.join(", ")}) and description`,
    ],
  };

/** Runs before any function of the package is called. @throws PackageError */
export function checkedDefinition(exported: unknown, name: string, located: LocatedPackage): PackagedPlugin {
  if (typeof exported !== "object" || exported === null || !(PLUGIN_MARK in exported))
    throw broken(name, "its default export is not made by definePlugin of gwc/plugin");
  const fields = exported as Record<string, unknown>;
  // The interface first, since another version may have other fields.
  if (isRange(fields["abi"])) checkAbi(fields as unknown as PackagedPlugin, name, located);
  for (const [field, [required, fits, says]] of Object.entries(FIELDS)) {
    const value = fields[field];
    if (value === undefined ? required : !fits(value)) throw broken(name, `"${field}" must be ${says}`);
  }
  const unknown = Object.keys(fields).find((field) => !Object.hasOwn(FIELDS, field));
  if (unknown !== undefined && Object.hasOwn(UNSUPPORTED_FIELDS, unknown))
    throw new PackageError("GW7014", {
      package: name,
      what: unknown,
      reason: UNSUPPORTED_FIELDS[unknown] ?? "",
    });
  if (unknown !== undefined) {
    const near = nearest(unknown, Object.keys(FIELDS));
    const help = near === undefined ? undefined : `did you mean "${near}"?`;
    throw new PackageError(
      "GW7002",
      { package: name, reason: `"${unknown}" is not a field of a definition` },
      help,
    );
  }
  const definition = fields as unknown as PackagedPlugin;
  const needsRuntime = definition.exports !== undefined || definition.variables !== undefined;
  if (needsRuntime !== (definition.runtime !== undefined))
    throw broken(name, '"exports" and "runtime" belong together: one is missing');
  const { exports = {}, resourceConstant = RESOURCE_NAME } = definition;
  if (Object.hasOwn(exports, resourceConstant))
    throw broken(name, `"resourceConstant" and an export are both "${resourceConstant}"`);
  checkLogger(definition, name);
  checkNames(definition, name);
  checkOwn(definition, name);
  return definition;
}

function checkAbi(
  { name: plugin, abi: [min, max] }: PackagedPlugin,
  name: string,
  { version }: LocatedPackage,
) {
  if (min <= ABI && ABI <= max) return;
  const range = min === max ? String(min) : `${min} to ${max}`;
  const params = { package: name, plugin: String(plugin), version, range, abi: ABI };
  const help =
    max < ABI
      ? `use a newer version of ${name}, or an older gwc`
      : `use an older version of ${name}, or a newer gwc`;
  throw new PackageError("GW7004", params, help);
}

/** Requires the phases of a logger: most settings need only `log`, so that its first tests would pass. */
function checkLogger({ exports = {}, phases }: PackagedPlugin, name: string): void {
  const isLogger = Object.values(exports).some((members) =>
    LOGGER_MEMBERS.every((member) => members.includes(member)),
  );
  const lacking = LOGGER_PHASES.find((phase) => !phases.includes(phase));
  if (isLogger && lacking !== undefined)
    throw broken(name, `"phases" lacks "${lacking}": a logger has ${LOGGER_PHASES.join(", ")}`);
}

/** Rejects names that are already used: modules with both could not tell them apart. */
function checkNames({ name: plugin, exports = {} }: PackagedPlugin, name: string): void {
  const taken = (kind: string, what: string, owner: string) =>
    new PackageError("GW7005", { package: name, kind, name: what, owner });
  if (plugins().some((other) => other.name === plugin))
    throw taken("a plugin", plugin, "another plugin has this name already");
  for (const call of Object.keys(exports)) {
    if (Object.hasOwn(RUNTIME_EXPORTS, call))
      throw taken("a call", call, "gwc/runtime has one with this name");
    const owner = plugins().find((other) => Object.hasOwn(other.exports ?? {}, call));
    if (owner !== undefined) throw taken("a call", call, `the plugin ${owner.name} has one with this name`);
  }
}

/** Requires the plugin's prefix, so that no other plugin and no later gwc can have the same name. */
function checkOwn(
  { name: plugin, diagnostics = {}, variables = [], reservedHeaders = [], runtime }: PackagedPlugin,
  name: string,
): void {
  for (const header of reservedHeaders) {
    const fault = reservedHeaderFault(header);
    if (fault !== undefined) throw broken(name, `the header "${header}" cannot be reserved: ${fault}`);
  }
  const code = Object.keys(diagnostics).find((one) => !isPluginCode(one, plugin));
  if (code !== undefined)
    throw broken(name, `the diagnostic ${code} does not have the form ${plugin.toUpperCase()}-001`);
  const prefix = plugin.replaceAll("-", "_");
  for (const { name: variable } of variables) {
    if (!new RegExp(`^${prefix}(_[a-z0-9]+)*$`).test(variable))
      throw broken(name, `the variable $${variable} does not have the form $${prefix} or $${prefix}_…`);
    const owner = variableOwner(variable);
    if (owner !== undefined)
      throw new PackageError("GW7005", {
        package: name,
        kind: "a variable",
        name: `$${variable}`,
        owner: `${owner} has one with this name`,
      });
  }
  if (variables.length > 0 && runtime === undefined)
    throw broken(name, '"variables" are read by "runtime", which is missing');
}
