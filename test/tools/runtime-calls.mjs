// What generated modules may name, read by TypeScript from declared types. Run by itself it prints `runtime/abi/calls.gen.ts`,
// or for folders of plugins' runtime parts their calls, each with the members of what it gives.
import { fileURLToPath } from "node:url";
import { Project, SymbolFlags, ts } from "ts-morph";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** Types of the language whose members modules use; which ones, `compiler/6-check/members.ts` says. */
const LANGUAGE = new Set(["RegExp", "RegExpExecArray", "ReadonlySet"]);

const project = new Project({ tsConfigFilePath: `${root}tsconfig.json`, skipAddingFilesFromTsConfig: true });

/** The text of `runtime/abi/calls.gen.ts`. */
export function runtimeCalls() {
  const types = new Types();
  const exported = project.addSourceFileAtPath(`${root}runtime/abi/index.ts`).getExportSymbols();
  const names = {};
  for (const symbol of exported.map((one) => one.getAliasedSymbol() ?? one).filter(isValue))
    names[symbol.getName()] = types.nameOf(symbol.getDeclarations()[0].getType());
  for (const type of ["exchange.ts:Exchange", "log.ts:RecordView"]) {
    const [file, name] = type.split(":");
    types.add(project.addSourceFileAtPath(`${root}runtime/abi/${file}`).getInterfaceOrThrow(name).getType());
  }
  return [
    "// Generated from the types of runtime/abi by `npm run types`. Change those, not this file.",
    "",
    '/** What `gwc/runtime` exports, each with its type: "T()" is called and gives a T, "" has no members. Promises count as what they bring. */',
    constant("RUNTIME_EXPORTS", "Readonly<Record<string, string>>", sorted(names)),
    "",
    "/** Members of the types that modules get to see. */",
    constant("MEMBERS", "Readonly<Record<string, Readonly<Record<string, string>>>>", sorted(types.members)),
    "",
    "/** Members that may be assigned. */",
    constant("SETTERS", "Readonly<Record<string, readonly string[]>>", sorted(types.setters)),
    "",
  ].join("\n");
}

/** The calls of the plugin whose runtime part is in that folder. */
export function pluginCalls(folder) {
  const file = project.addSourceFileAtPath(`${folder}/index.ts`);
  const runtime = file.getVariableDeclarationOrThrow("runtime").getInitializerOrThrow();
  const calls = runtime.getPropertyOrThrow("exports").getInitializerOrThrow();
  return Object.fromEntries(
    calls
      .getType()
      .getProperties()
      .map((symbol) => {
        const [signature] = symbol.getTypeAtLocation(calls).getCallSignatures();
        const given = signature.getReturnType();
        // Modules pass texts on and ask nothing of them, as with those of `gwc/runtime`.
        const members = given.isObject() ? given.getProperties() : [];
        // Modules cannot use the private members of a class.
        const names = members.map((member) => member.getName()).filter((member) => !member.startsWith("#"));
        return [symbol.getName(), names];
      }),
  );
}

const isValue = (symbol) => (symbol.getFlags() & SymbolFlags.Value) !== 0;
const sorted = (object) => Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
const constant = (name, type, value) => `export const ${name}: ${type} = ${JSON.stringify(value, null, 2)};`;

/** Collects interfaces of ours, and those that their members lead to. */
class Types {
  members = {};
  setters = {};

  /** Its name here; an interface of ours is added. */
  nameOf(type) {
    const [call] = type.getCallSignatures();
    if (call !== undefined) return `${this.nameOf(call.getReturnType())}()`;
    const present = type.getNonNullableType();
    if (present.isUnion()) return "";
    const name = present.getSymbol()?.getName() ?? "";
    if (name === "Promise") return this.nameOf(present.getTypeArguments()[0]);
    if (present.isReadonlyArray() || present.isArray()) return "Array";
    if (LANGUAGE.has(name)) return name;
    if (!present.isInterface() || isForeign(present)) return "";
    this.add(present);
    return name;
  }

  add(type) {
    const name = type.getSymbolOrThrow().getName();
    if (Object.hasOwn(this.members, name)) return;
    const members = {};
    this.members[name] = members;
    const settable = [];
    for (const symbol of type.getProperties()) {
      const [declaration] = symbol.getDeclarations();
      members[symbol.getName()] = this.nameOf(symbol.getTypeAtLocation(declaration));
      const readonly =
        (ts.getCombinedModifierFlags(declaration.compilerNode) & ts.ModifierFlags.Readonly) !== 0;
      if (!readonly && declaration.getKindName() === "PropertySignature") settable.push(symbol.getName());
    }
    if (settable.length > 0) this.setters[name] = settable;
  }
}

const isForeign = (type) =>
  type
    .getSymbol()
    ?.getDeclarations()
    .some((one) => one.getSourceFile().getFilePath().includes("/node_modules/"));

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folders = process.argv.slice(2);
  process.stdout.write(folders.length === 0 ? runtimeCalls() : JSON.stringify(folders.map(pluginCalls)));
}
