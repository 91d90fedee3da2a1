/** A module that was run with the code of others. */
export interface SharedModule {
  exports: unknown;
  /** As stacks name the code. */
  compiledAs: string;
  /** Address of the whole, "routes/shop". */
  address: string;
  /** Its notes behind the numbers of their lines, with `WHOLE` for the address; one string for all that have the same. */
  notes: string;
}

/** Stands for the address of the whole in notes. */
export const WHOLE = "\0";
