/**
 * Letters of text tasks: consonants, so that no words come about, and none that a letter of another script looks like
 * (B, C, H, K, M, P, T, X are Cyrillic ones too) or that could be another of them.
 */
export const LETTERS = "DFGJLNQRSVWZ";
