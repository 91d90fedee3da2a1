import { useDebouncedCallback } from "@mantine/hooks";
import { useRouter } from "@tanstack/react-router";
import { useRef } from "react";

/** Milliseconds until a text rests: browsers refuse some hundred changes of the address within seconds. */
const REST_MS = 100;

/**
 * Writes what is typed into the address once it rests; not after one has gone to another page, which would be taken back.
 * @param write replaces the address of this page
 */
export function useAddressSoon<T>(write: (typed: T) => void, restMs = REST_MS): (typed: T) => void {
  const router = useRouter();
  const page = useRef("");
  const soon = useDebouncedCallback((typed: T) => {
    if (router.latestLocation.pathname === page.current) write(typed);
  }, restMs);
  return (typed) => {
    page.current = router.latestLocation.pathname;
    soon(typed);
  };
}
