import type { Random } from "../tasks/random.js";
import { OPCODES, OPERANDS, type Opcode } from "./opcodes.js";

/** A program has 2 to 4 kB; a longer one is a mistake of the catalogue, and throws. */
const MAX_BYTES = 16_384;
/** Shared by all programs, since each is written synchronously: new buffers took a third of the time. */
const SCRATCH = Buffer.alloc(MAX_BYTES);
const INDEX = Object.fromEntries(OPCODES.map((opcode, i) => [opcode, i])) as Record<Opcode, number>;

/**
 * Format: the opcode byte of each operation, the number of texts, the texts (ASCII, each with its length),
 * the operations. Numbers are LEB128, signed ones in zigzag.
 */
export class CodeWriter {
  readonly #head: Uint8Array;
  readonly #texts = new Map<string, number>();
  #length = 0;

  constructor(random: Random) {
    this.#head = numbering(random);
  }

  /** @param operands as in OPERANDS */
  add(opcode: Opcode, ...operands: readonly (string | number)[]): void {
    if (OPERANDS[opcode].length !== operands.length)
      throw new TypeError(`${opcode} has ${OPERANDS[opcode].length} operands`);
    SCRATCH[this.#length++] = this.#head[INDEX[opcode]] ?? 0;
    for (const operand of operands)
      this.#length = unsigned(
        SCRATCH,
        this.#length,
        typeof operand === "string" ? this.#text(operand) : zigzag(operand),
      );
    if (this.#length > MAX_BYTES / 2) throw new RangeError("a program is too long");
  }

  bytes(): Buffer {
    const texts = [...this.#texts.keys()];
    const room = texts.reduce((sum, text) => sum + text.length + 3, this.#head.length + 3 + this.#length);
    const made = Buffer.allocUnsafe(room);
    made.set(this.#head);
    let at = unsigned(made, this.#head.length, texts.length);
    for (const text of texts) {
      at = unsigned(made, at, text.length);
      at += made.write(text, at, "latin1");
    }
    at += SCRATCH.copy(made, at, 0, this.#length);
    return made.subarray(0, at);
  }

  #text(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, this.#texts.size);
    return this.#texts.size - 1;
  }
}

function numbering(random: Random): Uint8Array {
  const free = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  const chosen = new Uint8Array(OPCODES.length);
  for (let i = 0; i < chosen.length; i++) {
    const at = random.int(i, 255);
    chosen[i] = free[at] ?? 0;
    free[at] = free[i] ?? 0;
  }
  return chosen;
}

const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

/** @returns the end offset */
function unsigned(to: Uint8Array, at: number, value: number): number {
  let [rest, end] = [value, at];
  while (rest > 127) {
    to[end++] = (rest & 127) | 128;
    rest >>>= 7;
  }
  to[end++] = rest;
  return end;
}
