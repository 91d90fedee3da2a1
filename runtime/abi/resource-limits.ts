/** For a resource: 10,000 nodes with host, port, weight and priority have 50,000, each some 10 µs to compile. */
export const MAX_VALUES = 60_000;
