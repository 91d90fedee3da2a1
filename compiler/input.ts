import type { BuiltResource } from "../runtime/abi/build-files.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { SourceText } from "./parse/source.js";
import type { Kind } from "./resolve/resource.js";

/** A resource of the store: its JSON value as written through the admin API. */
export interface StoredResource {
  kind: Kind;
  id: string;
  /** Null: it was deleted by force while others still named it, and those answer 503 until it is back. */
  value: unknown;
}

/** Everything a compile depends on. */
export interface CompileInput {
  sources: readonly SourceText[];
  /** What was found while reading the files, such as one that cannot be read: its content is missing in the sources. */
  faults?: readonly Diagnostic[];
  stored?: readonly StoredResource[];
  /** What the whole may hold (`schema/policy.json`). */
  policy?: SourceText | undefined;
  /** Of the build that runs, in place of sources. What it has is not compiled again, unless something stored changes what it does. */
  built?: readonly BuiltResource[];
  /** What `${{VAR}}` in the sources is replaced from. */
  environment: Readonly<Record<string, string | undefined>>;
  /** Epoch seconds, for what expires; without it nothing has. */
  now?: number;
  /** False: findings that are advice are left out. */
  advice?: boolean;
  /** Key of the HMAC that literal secrets are known by (`SecretKeeper`); without one they are known by their place. */
  secretKey?: string;
}

/** One change of a write; several are one transaction. */
export type Change =
  | {
      put: {
        kind: Kind;
        id: string;
        /** JSON as it is to be stored. */
        text: string;
        /** The body as sent, where it is another text: it is parsed first, so that a repeated key is refused by every method. */
        sent?: string | undefined;
        /** How the body came, for the place in messages; default "PUT". */
        method?: "PUT" | "POST" | "PATCH";
      };
    }
  | { remove: { kind: Kind; id: string /** Also when others still name it. */; force?: boolean } };
