import type {
  ArrowFunctionExpression,
  AssignmentExpression,
  CallExpression,
  Expression,
  FunctionExpression,
  MemberExpression,
  ModuleDeclaration,
  Node,
  ObjectPattern,
  Pattern,
  Program,
  Property,
  SpreadElement,
  Statement,
  Super,
  VariableDeclaration,
} from "acorn";
import { PIPELINE_METHODS } from "../../runtime/abi/route-module.js";
import {
  either,
  exportsOf,
  hasIndex,
  isSetter,
  LIST,
  memberOf,
  PATTERN,
  PLAIN,
  resultOf,
  unknownMember,
  type ValueType,
} from "./members.js";
import { Scope } from "./scope.js";

/** Reason why a module is rejected, and its offset. */
export class ForeignNameError extends Error {
  readonly at: number;
  readonly reason: string;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
    this.reason = reason;
  }
}

/** Types of the parameters of phases and records. */
const PARAMETERS: ReadonlyMap<string, ValueType> = new Map([
  ["x", "Exchange"],
  ["shown", "RecordView"],
  ["_", PLAIN],
]);
const OPERATORS: ReadonlySet<string> = new Set(["===", "!==", "<", "<=", ">", ">=", "+", "-"]);
const METHOD_NAMES: ReadonlySet<string> = new Set(PIPELINE_METHODS);
/** Keywords that begin syntax nodes which no module contains. */
const WORD =
  /^(?:async|break|class|continue|debugger|delete|do|export|for|function|import|new|super|switch|this|throw|try|typeof|var|void|while|with|yield)\b/;

/**
 * Reads a module once, from its beginning. It rejects, in this order: syntax nodes that the emitter never
 * prints, names without an earlier declaration, and members that their object's type lacks.
 */
export class ModuleReader {
  readonly #code: string;

  constructor(code: string) {
    this.#code = code;
  }

  /** @throws ForeignNameError */
  read(program: Program): void {
    const scope = new Scope();
    for (const node of program.body) {
      if (this.#isImport(node, scope)) continue;
      const exported = exportedBy(node);
      if (exported === undefined) this.#statement(node, scope);
      else this.#value(exported, scope);
    }
  }

  /** `const { a, b } = require("gwc/runtime");` */
  #isImport(node: Node, scope: Scope): boolean {
    const [pattern, call] = onlyDeclared(node);
    if (pattern?.type !== "ObjectPattern" || call?.type !== "CallExpression") return false;
    if (call.callee.type !== "Identifier" || call.callee.name !== "require") return false;
    const [module] = call.arguments;
    if (module?.type !== "Literal" || typeof module.value !== "string" || call.arguments.length > 1)
      throw this.#unexpected(call);
    const given = exportsOf(module.value);
    if (given === undefined)
      throw new ForeignNameError(module.start, `module ${module.raw} is not part of the runtime's surface`);
    for (const { name, start } of this.#shorthands(pattern)) {
      const type = Object.hasOwn(given, name) ? given[name] : undefined;
      if (type === undefined) throw new ForeignNameError(start, `${module.raw} has no "${name}"`);
      this.#declare({ name, start }, { type, assignable: false }, scope);
    }
    return true;
  }

  #statement(node: Statement | ModuleDeclaration, scope: Scope): void {
    switch (node.type) {
      case "VariableDeclaration":
        this.#declaration(node, scope);
        return;
      case "ExpressionStatement":
        this.#value(node.expression, scope);
        return;
      case "ReturnStatement":
        if (node.argument) this.#value(node.argument, scope);
        return;
      case "IfStatement":
        this.#value(node.test, scope);
        this.#statement(node.consequent, new Scope(scope));
        if (node.alternate) this.#statement(node.alternate, new Scope(scope));
        return;
      case "BlockStatement":
        this.#statements(node.body, new Scope(scope));
        return;
      default:
        throw this.#unexpected(node);
    }
  }

  #statements(nodes: readonly Statement[], scope: Scope): void {
    for (const node of nodes) this.#statement(node, scope);
  }

  /** `const a = …`, `let a = …`, `const { headers } = x.response` */
  #declaration(node: VariableDeclaration, scope: Scope): void {
    const [pattern, init] = onlyDeclared(node);
    if (node.kind === "var" || pattern === undefined || init === undefined) throw this.#unexpected(node);
    const type = this.#value(init, scope);
    if (pattern.type === "Identifier")
      this.#declare(pattern, { type, assignable: node.kind === "let" }, scope);
    else if (pattern.type === "ObjectPattern")
      for (const name of this.#shorthands(pattern)) {
        const member = this.#memberType(type, name.name, name.start);
        this.#declare(name, { type: member, assignable: false }, scope);
      }
    else throw this.#unexpected(pattern);
  }

  /** Names of a pattern without renaming, computed keys, defaults and rest. */
  #shorthands(pattern: ObjectPattern): { name: string; start: number }[] {
    return pattern.properties.map((property) => {
      if (property.type !== "Property" || !property.shorthand || property.value.type !== "Identifier")
        throw this.#unexpected(property);
      return property.value;
    });
  }

  #declare(
    { name, start }: { name: string; start: number },
    binding: { type: ValueType; assignable: boolean },
    scope: Scope,
  ): void {
    this.#spelled(name, start);
    if (!scope.declare(name, binding)) throw foreign(name, start);
  }

  /** Type of an expression that uses only known names. */
  #value(node: Expression, scope: Scope): ValueType {
    switch (node.type) {
      case "Literal":
        if (typeof node.value === "bigint") throw this.#unexpected(node);
        return node.regex ? PATTERN : PLAIN;
      case "Identifier":
        return this.#identifier(node.name, node.start, scope);
      case "MemberExpression":
        return this.#member(node, scope);
      case "ChainExpression":
        return this.#value(node.expression, scope);
      case "CallExpression":
        return this.#call(node, scope);
      case "AssignmentExpression":
        return this.#assignment(node, scope);
      case "TemplateLiteral":
        for (const hole of node.expressions) this.#value(hole, scope);
        return PLAIN;
      case "AwaitExpression":
        return this.#value(node.argument, scope);
      case "UnaryExpression":
        if (node.operator !== "!" && node.operator !== "-") throw this.#unexpected(node);
        this.#value(node.argument, scope);
        return PLAIN;
      case "BinaryExpression":
        if (!OPERATORS.has(node.operator) || node.left.type === "PrivateIdentifier")
          throw this.#unexpected(node);
        this.#value(node.left, scope);
        this.#value(node.right, scope);
        return PLAIN;
      case "LogicalExpression":
        return either(this.#value(node.left, scope), this.#value(node.right, scope));
      case "ConditionalExpression":
        this.#value(node.test, scope);
        return either(this.#value(node.consequent, scope), this.#value(node.alternate, scope));
      case "ArrayExpression":
        for (const item of node.elements) this.#value(this.#present(item, node), scope);
        return LIST;
      case "ObjectExpression":
        for (const property of node.properties) this.#property(property, scope);
        return PLAIN;
      default:
        throw this.#unexpected(node);
    }
  }

  #identifier(name: string, start: number, scope: Scope): ValueType {
    this.#spelled(name, start);
    if (name === "undefined") return PLAIN;
    if (name === "module") throw new ForeignNameError(start, '"module" is used for more than its export');
    const binding = scope.find(name);
    if (binding === undefined) throw foreign(name, start);
    return binding.type;
  }

  /** `a.b`, `found[1]`; a value that may be absent is only indexed or converted to text. */
  #member(node: MemberExpression, scope: Scope): ValueType {
    const { object, property, computed, optional } = node;
    const type = this.#value(this.#notSuper(object), scope);
    if (computed) {
      const index = property.type === "Literal" ? property.raw : undefined;
      if (!hasIndex(type) || !/^\d+$/.test(index ?? ""))
        throw new ForeignNameError(property.start, "a member is computed");
      return PLAIN;
    }
    if (property.type !== "Identifier") throw this.#unexpected(property);
    this.#spelled(property.name, property.start);
    if (optional && property.name !== "toString") throw this.#unexpected(node, object.end);
    return this.#memberType(type, property.name, property.start);
  }

  #memberType(type: ValueType, name: string, at: number): ValueType {
    const member = memberOf(type, name);
    if (member === undefined) throw new ForeignNameError(at, unknownMember(type, name));
    return member;
  }

  #call(node: CallExpression, scope: Scope): ValueType {
    const { callee, optional } = node;
    if (optional) throw this.#unexpected(node, callee.end);
    const isString = callee.type === "Identifier" && callee.name === "String";
    const result = isString ? PLAIN : resultOf(this.#value(this.#notSuper(callee), scope));
    if (result === undefined)
      throw new ForeignNameError(node.start, `${JSON.stringify(this.#text(callee))} is not called here`);
    for (const argument of node.arguments) {
      const item = this.#present(argument, node);
      if (item.type === "ArrowFunctionExpression" && callee.type === "Identifier" && !isString)
        this.#function(item, scope);
      else this.#value(item, scope);
    }
    return result;
  }

  /** Assigns a value of the same type to a name declared by `let`, or to a member that has a setter. */
  #assignment({ operator, left, right, start }: AssignmentExpression, scope: Scope): ValueType {
    if (operator !== "=") throw new ForeignNameError(start, `unexpected ${JSON.stringify(operator)}`);
    if (left.type === "MemberExpression") {
      const { object, property } = left;
      const type = this.#value(this.#notSuper(object), scope);
      if (left.computed || property.type !== "Identifier") throw this.#unexpected(left);
      this.#spelled(property.name, property.start);
      this.#memberType(type, property.name, property.start);
      if (!isSetter(type, property.name))
        throw new ForeignNameError(property.start, `member "${property.name}" is not assigned by modules`);
      return this.#value(right, scope);
    }
    if (left.type !== "Identifier") throw this.#unexpected(left);
    const type = this.#identifier(left.name, left.start, scope);
    if (!scope.find(left.name)?.assignable)
      throw new ForeignNameError(left.start, `name "${left.name}" is not assigned by modules`);
    if (this.#value(right, scope) !== type)
      throw new ForeignNameError(right.start, `name "${left.name}" becomes something else`);
    return type;
  }

  /**
   * Records have keys chosen by the operator. A key gives access to nothing, except `__proto__`, which sets
   * the prototype.
   */
  #property(node: Property | SpreadElement, scope: Scope): void {
    if (node.type !== "Property" || node.kind !== "init") throw this.#unexpected(node);
    const { key, value, computed } = node;
    if (node.method) {
      this.#phase(node, scope);
      return;
    }
    if (computed) {
      if (key.type !== "Literal" && key.type !== "Identifier") throw this.#unexpected(key);
      this.#value(key, scope);
    } else if (keyOf(key) === "__proto__")
      throw new ForeignNameError(key.start, 'key "__proto__" is not data');
    if (value.type === "ArrowFunctionExpression") this.#function(value, scope);
    else this.#value(value, scope);
  }

  /** Reads a phase, the only kind of named function. */
  #phase({ key, value, computed }: Property, scope: Scope): void {
    const name = computed ? undefined : keyOf(key);
    if (name === undefined || !METHOD_NAMES.has(name))
      throw new ForeignNameError(key.start, `function "${name ?? this.#text(key)}" is not a phase`);
    if (value.type !== "FunctionExpression") throw this.#unexpected(value);
    this.#function(value, scope);
  }

  #function(node: ArrowFunctionExpression | FunctionExpression, outer: Scope): void {
    if (node.generator) throw this.#unexpected(node);
    const scope = new Scope(outer);
    for (const parameter of node.params) this.#parameter(parameter, scope);
    if (node.body.type === "BlockStatement") this.#statements(node.body.body, scope);
    else this.#value(node.body, scope);
  }

  #parameter(node: Pattern, scope: Scope): void {
    const type = node.type === "Identifier" ? PARAMETERS.get(node.name) : undefined;
    if (node.type !== "Identifier") throw this.#unexpected(node);
    if (type === undefined) throw foreign(node.name, node.start);
    this.#declare(node, { type, assignable: false }, scope);
  }

  #present(node: Expression | SpreadElement | null, around: Node): Expression {
    if (node === null || node.type === "SpreadElement") throw this.#unexpected(node ?? around);
    return node;
  }

  #notSuper(node: Expression | Super): Expression {
    if (node.type === "Super") throw this.#unexpected(node);
    return node;
  }

  /** Rejects a name with escapes: its meaning differs from what a reader of the text sees. */
  #spelled(name: string, start: number): void {
    if (!this.#code.startsWith(name, start))
      throw new ForeignNameError(start, `name "${name}" is spelled with escapes`);
  }

  #unexpected(node: Node, at: number = node.start): ForeignNameError {
    const [word] = WORD.exec(this.#code.slice(at, at + 20)) ?? [];
    if (word !== undefined) return foreign(word, at);
    return new ForeignNameError(at, `unexpected ${JSON.stringify(this.#code.slice(at, at + 20))}`);
  }

  #text(node: Node): string {
    return this.#code.slice(node.start, node.end).slice(0, 40);
  }
}

function foreign(name: string, at: number): ForeignNameError {
  return new ForeignNameError(at, `name "${name}" is not part of the runtime's surface`);
}

/** Pattern and value of a declaration of one name or pattern. */
function onlyDeclared(node: Node): [Pattern, Expression] | [] {
  if (!isDeclaration(node)) return [];
  const [declarator, ...others] = node.declarations;
  return declarator?.init && others.length === 0 ? [declarator.id, declarator.init] : [];
}

const isDeclaration = (node: Node): node is VariableDeclaration => node.type === "VariableDeclaration";

/** Expression that `module.exports = …` exports. */
function exportedBy(node: Statement | ModuleDeclaration): Expression | undefined {
  if (node.type !== "ExpressionStatement" || node.expression.type !== "AssignmentExpression")
    return undefined;
  const { operator, left, right } = node.expression;
  if (operator !== "=" || left.type !== "MemberExpression" || left.computed) return undefined;
  const isModule = left.object.type === "Identifier" && left.object.name === "module";
  return isModule && left.property.type === "Identifier" && left.property.name === "exports"
    ? right
    : undefined;
}

/** Key as it is written without brackets. */
function keyOf(key: Expression): string | undefined {
  if (key.type === "Identifier") return key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}
