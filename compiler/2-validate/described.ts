import {
  follow,
  pluginSchemaFile,
  type SchemaNode,
  type SchemaPlace,
  schemaFile,
} from "../../schema/schemas.js";

/** Every form that the value at one place may have. */
export class Described {
  readonly places: readonly SchemaPlace[];
  readonly isSecret: boolean;
  /** The value or something in it can be a secret; plugins may always hold one. */
  readonly holdsSecret: boolean;
  readonly besideSecret: boolean;
  readonly holdsPlugins: boolean;
  readonly #fields = new Map<string, Described>();
  #items: Described | undefined;
  #others: Described | undefined;

  constructor(places: readonly SchemaPlace[]) {
    this.places = places;
    const nodes = places.map(({ node }) => node);
    this.isSecret = nodes.some((node) => node["x-secret"] === true);
    this.holdsSecret = places.some(holdsSecret);
    this.besideSecret = nodes.some(({ properties = {} }) =>
      Object.values(properties).some((child) => child["x-secret"] === true),
    );
    this.holdsPlugins = nodes.some((node) => node["x-plugins"] !== undefined);
  }

  /** False if no schema describes the value. */
  get isKnown(): boolean {
    return this.places.length > 0;
  }

  get isText(): boolean {
    return this.isKnown && this.places.every(({ node }) => node.type === "string");
  }

  hasField(name: string): boolean {
    return this.places.some(({ node }) => Object.hasOwn(node.properties ?? {}, name));
  }

  /** Cached, since a configuration has many values and few such places. */
  at(step: string | number): Described {
    if (typeof step === "number") return (this.#items ??= this.#step(step));
    const known = this.#fields.get(step);
    if (known !== undefined) return known;
    if (this.holdsPlugins || this.hasField(step)) {
      const field = this.#step(step);
      // An unknown plugin may still come with a package.
      if (field.isKnown) this.#fields.set(step, field);
      return field;
    }
    return (this.#others ??= this.#step(step));
  }

  #step(step: string | number): Described {
    const places = this.places.flatMap((place) => children(place, step)).flatMap(alternatives);
    return places.length === 0 ? UNKNOWN : new Described(places);
  }
}

const UNKNOWN = new Described([]);

const described = new WeakMap<SchemaNode, Described>();

/** @param file "configuration.json" */
export function describedBy(file: string): Described {
  const place = schemaFile(file);
  let found = described.get(place.node);
  if (found === undefined) described.set(place.node, (found = new Described(alternatives(place))));
  return found;
}

const known = new Map<SchemaNode, SchemaPlace[]>();

/** All nodes that describe the same value. */
export function alternatives(place: SchemaPlace): SchemaPlace[] {
  let found = known.get(place.node);
  if (found === undefined) {
    const { file, node } = follow(place);
    const others = [...(node.anyOf ?? []), ...(node.oneOf ?? []), ...(node.allOf ?? [])];
    found = [{ file, node }, ...others.flatMap((other) => alternatives({ file, node: other }))];
    known.set(place.node, found);
  }
  return found;
}

const holding = new Map<SchemaNode, boolean>();

function holdsSecret(place: SchemaPlace): boolean {
  let holds = holding.get(place.node);
  if (holds === undefined) {
    // A schema that refers to itself adds no secret by that reference.
    holding.set(place.node, false);
    holds = alternatives(place).some(
      ({ file, node }) =>
        node["x-secret"] === true ||
        node["x-plugins"] !== undefined ||
        [...Object.values(node.properties ?? {}), node.items, node.additionalProperties].some(
          (child) => typeof child === "object" && holdsSecret({ file, node: child }),
        ),
    );
    holding.set(place.node, holds);
  }
  return holds;
}

function children({ file, node }: SchemaPlace, step: string | number): SchemaPlace[] {
  const inside = (child: SchemaNode): SchemaPlace[] => [{ file, node: child }];
  if (typeof step === "number") return node.items ? inside(node.items) : [];
  if (node["x-plugins"] !== undefined) {
    const settings = pluginSchemaFile(step, node["x-plugins"]);
    return settings === undefined ? [] : [schemaFile(settings)];
  }
  const named = node.properties;
  if (named !== undefined && Object.hasOwn(named, step)) return inside(named[step] ?? {});
  return typeof node.additionalProperties === "object" ? inside(node.additionalProperties) : [];
}
