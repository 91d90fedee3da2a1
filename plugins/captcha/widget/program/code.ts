import { OPCODES, OPERANDS, type Opcode } from "../../service/program/opcodes.js";

export interface Operation {
  opcode: Opcode;
  operands: (string | number)[];
}

/** Format: service/program/code.ts. @throws RangeError for an invalid program */
export function readCode(base64: string): Operation[] {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  let at = 0;
  const byte = (): number => {
    const value = bytes[at++];
    if (value === undefined) throw new RangeError("program");
    return value;
  };
  const unsigned = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const next = byte();
      value += (next & 127) * 2 ** shift;
      if (next < 128) return value;
    }
  };
  const signed = (): number => {
    const value = unsigned();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const opcodes = new Map<number, Opcode>();
  for (const opcode of OPCODES) opcodes.set(byte(), opcode);
  const texts = Array.from({ length: unsigned() }, () => {
    const end = unsigned();
    return String.fromCharCode(...Array.from({ length: end }, byte));
  });
  const operations: Operation[] = [];
  while (at < bytes.length) {
    const opcode = opcodes.get(byte());
    if (opcode === undefined) throw new RangeError("program");
    const operands = [...OPERANDS[opcode]].map((kind) =>
      kind === "s" ? (texts[unsigned()] ?? "") : signed(),
    );
    operations.push({ opcode, operands });
  }
  return operations;
}
