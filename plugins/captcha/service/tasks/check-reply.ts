import type { CheckReply } from "../contract.js";

/** Degrees to either side of the right angle, inclusive. */
export const TOLERANCE = 20;
const MAX_TEXT = 64;

/** Always compares all of a reply and does not reveal how near it was (reference 4.4, W11). */
export const checkReply: CheckReply = (answer, reply) => {
  switch (answer.type) {
    case "shapes":
      return "cells" in reply && areSame(answer.cells, reply.cells);
    case "rings":
      return "angles" in reply && areNear(answer.angles, reply.angles);
    case "text":
      return "text" in reply && isSameText(answer.text, lettersOf(reply.text));
    case "audio":
      return "text" in reply && isSameText(answer.groups.join(""), digitsOf(reply.text));
  }
};

function areSame(wanted: readonly number[], given: readonly number[]): boolean {
  if (!Array.isArray(given) || given.length !== wanted.length) return false;
  return wanted.reduce((wrong, cell, i) => wrong + (given[i] === cell ? 0 : 1), 0) === 0;
}

function areNear(wanted: readonly number[], given: readonly number[]): boolean {
  if (!Array.isArray(given) || given.length !== wanted.length) return false;
  return wanted.reduce((wrong, angle, i) => wrong + (isNear(angle, given[i]) ? 0 : 1), 0) === 0;
}

function isNear(wanted: number, given: unknown): boolean {
  return (
    typeof given === "number" && Number.isFinite(given) && circularDifference(wanted, given) <= TOLERANCE
  );
}

/** 0..180 degrees. */
export function circularDifference(one: number, other: number): number {
  const turn = (((one - other) % 360) + 360) % 360;
  return Math.min(turn, 360 - turn);
}

function isSameText(wanted: string, given: string): boolean {
  let wrong = wanted.length ^ given.length;
  for (let i = 0; i < wanted.length; i++) wrong |= wanted.charCodeAt(i) ^ given.charCodeAt(i);
  return wrong === 0;
}

const plain = (text: unknown): string =>
  typeof text === "string" && text.length <= MAX_TEXT ? text.normalize("NFKC").toUpperCase() : "";

/** Case, width and spaces do not matter. */
const lettersOf = (text: unknown): string => plain(text).replace(/\s+/g, "");

/** "3 5 2 7", "3,5,2,7", "3527": groups have one digit each, so separators do not matter. */
const digitsOf = (text: unknown): string => plain(text).replace(/[^0-9]/g, "");
