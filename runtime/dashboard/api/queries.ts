import { QueryClient } from "@tanstack/react-query";
import { AdminError } from "./client";

/** Answers of the admin API, as far as pages know them. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      // A refusal would come again; a gateway that does not answer may be restarting.
      retry: (count, error) => !(error instanceof AdminError) && count < 3,
      retryDelay: (count) => Math.min(4_000, 500 * 2 ** count),
    },
  },
});
