import { QueryClient } from "@tanstack/react-query";
import { AdminError } from "./client";

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A rejection would be repeated; a gateway that does not respond may be restarting.
      retry: (count, error) => !(error instanceof AdminError) && count < 3,
      retryDelay: (count) => Math.min(4_000, 500 * 2 ** count),
    },
  },
});
