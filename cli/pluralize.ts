/** "1 route", "2 routes": one spelling for all commands. @param noun in the singular, with a plural in "s" */
export const pluralize = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;
