/**
 * Maximum values and variables of a resource: 10,000 nodes with host, port, weight and priority have 50,000.
 * Each takes some 10 µs until it is compiled.
 */
export const MAX_VALUES = 60_000;
